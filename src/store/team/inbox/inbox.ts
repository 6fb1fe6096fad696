import type { Mail, MailId } from "../../../protocol/index.ts";

/** What has been sent to one member: any number of writers in any number of processes, one reader. */
export interface Inbox {
  readonly member: string;
  /**
   * Resolves when the mail is stored: text survives the death of any process at once and a power cut within a second;
   * every other kind survives a power cut too. Rejects with `storage` if it may not be. The same id again is the same
   * mail: a sender that was told of a failure may try again with it, and nobody reads it twice. What one process sends
   * is read in the order of its calls. `json` is the same mail, from a caller that has written it already.
   */
  send(mail: Mail, json?: string): Promise<void>;
  /** Everything that is held, oldest first, by anybody, without claiming anything. Not there is empty; unreadable is an error. */
  peek(): Promise<InboxReading>;
  /** The same of what is not read yet. Asked again it reads only what has come since. */
  peekUnread(): Promise<Pick<InboxReading, "mail" | "problems">>;
  /** Whether this mail is among what was found damaged and set aside. */
  hasQuarantined?(id: MailId): Promise<boolean>;
  /** All that is held and then all that comes, each once, by anybody. Ends without an error when `signal` aborts or the store closes. */
  watch(signal: AbortSignal): AsyncIterable<readonly HeldMail[]>;
  /** Becomes its one reader. Rejects with `session_busy`, naming who is, while there is another. */
  openReader(): Promise<InboxReader>;
}

export interface InboxReader {
  /** What is not marked `read`, oldest first, with all that has come until now. */
  unread(): Promise<readonly HeldMail[]>;
  /**
   * What is not marked `read` now and whatever comes, each once for each caller, pushed. Keeps the process alive while
   * somebody waits. Ends without an error when `signal` aborts or the reader is closed; throws if the inbox cannot be read.
   */
  follow(signal: AbortSignal): AsyncIterable<readonly HeldMail[]>;
  /** Only forwards: queued, delivered, read. Ids that are not held are left out. Resolves when it survives the death of this process. */
  mark(ids: readonly MailId[], state: "delivered" | "read"): Promise<void>;
  /** What was damaged and set aside since the last call, for people; each is told once, also across restarts. */
  takeNotices(): readonly string[];
  /** Lets another become the reader. */
  close(): Promise<void>;
}

export interface HeldMail {
  readonly mail: Mail;
  readonly state: "queued" | "delivered" | "read";
}

export interface InboxReading {
  readonly mail: readonly HeldMail[];
  /** Mail up to this id that is not here any more has been read, and was compacted away. */
  readonly compactedThrough?: MailId;
  /** What of it cannot be read, for people. */
  readonly problems: readonly string[];
}

/** Texts that are too large for a record. */
export interface MailBodies {
  /** On disk before it resolves. Gives the name that goes into the mail. */
  save(id: MailId, text: string): Promise<string>;
  /** Where the body with this name is, absolute; undefined for a name that is none of ours. */
  pathOf(name: string): string | undefined;
  read(name: string): Promise<string>;
}
