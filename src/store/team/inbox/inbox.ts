import type { Mail, MailId } from "../../../protocol/index.ts";

/** The mail sent to one member: any number of writers in any number of processes, one reader. */
export interface Inbox {
  readonly member: string;
  /**
   * Resolves when the mail is stored. Text survives the death of any process at once and a power cut within a second;
   * every other kind also survives a power cut. Rejects with `storage` if it may not be stored. The same id is the same
   * mail: a sender may retry after a failure, and the mail is not read twice. Mail of one process is read in the order
   * of its calls. `json` is the same mail, already serialized by the caller.
   */
  send(mail: Mail, json?: string): Promise<void>;
  /**
   * Returns all stored mail, oldest first, for any caller, without a claim. A missing inbox is empty; an unreadable one
   * is an error.
   */
  peek(): Promise<InboxReading>;
  /** The same for unread mail. A repeated call reads only new data. */
  peekUnread(): Promise<Pick<InboxReading, "mail" | "problems">>;
  /** True if this mail is among the damaged and quarantined lines. */
  hasQuarantined?(id: MailId): Promise<boolean>;
  /**
   * Yields all stored and then all new mail, each once, for any caller. Ends without an error when `signal` aborts or
   * the store closes.
   */
  watch(signal: AbortSignal): AsyncIterable<readonly HeldMail[]>;
  /** Becomes the only reader. Rejects with `session_busy` and names the current reader if there is one. */
  openReader(): Promise<InboxReader>;
}

export interface InboxReader {
  /** Returns the mail not marked `read`, oldest first, up to now. */
  unread(): Promise<readonly HeldMail[]>;
  /**
   * Yields mail not marked `read` and then new mail, each once for each caller. Keeps the process alive while a caller
   * waits. Ends without an error when `signal` aborts or the reader closes. Throws if the inbox cannot be read.
   */
  follow(signal: AbortSignal): AsyncIterable<readonly HeldMail[]>;
  /**
   * Changes states only forwards: queued, delivered, read. Ignores unknown ids. Resolves when the change survives the
   * death of this process.
   */
  mark(ids: readonly MailId[], state: "delivered" | "read"): Promise<void>;
  /**
   * Returns notices for people about quarantined damage since the last call. Each is reported once, even across
   * restarts.
   */
  takeNotices(): readonly string[];
  /** Lets another process become the reader. */
  close(): Promise<void>;
}

export interface HeldMail {
  readonly mail: Mail;
  readonly state: "queued" | "delivered" | "read";
}

export interface InboxReading {
  readonly mail: readonly HeldMail[];
  /** Missing mail up to this id has been read and was removed by compaction. */
  readonly compactedThrough?: MailId;
  /** The unreadable parts, for people. */
  readonly problems: readonly string[];
}

/** Texts that are too large for a record. */
export interface MailBodies {
  /** Resolves when the text is on disk. Returns the name to put into the mail. */
  save(id: MailId, text: string): Promise<string>;
  /** Returns the absolute path of this body, or undefined for a name that is not ours. */
  pathOf(name: string): string | undefined;
  read(name: string): Promise<string>;
}
