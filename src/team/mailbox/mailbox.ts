import type { Mail, MailBody, MailId, MailState, Member } from "../../protocol/index.ts";
import type { KeyUse, MemberKey } from "../../store/index.ts";

/** The mail of one team, for programs and agents. Independent of frontends. */
export interface Mailbox {
  /**
   * Resolves when the mail is stored. Rejects with `mail` if it cannot be sent: unknown or ended receiver, too large,
   * too many. Rejects with `storage` on disk errors. Stores nothing for an unknown name.
   */
  send(outgoing: OutgoingMail): Promise<{ readonly id: MailId }>;
  /** Sends one mail to each other member that has not ended. Rejects only if `from` cannot send at all. */
  broadcast(outgoing: Omit<OutgoingMail, "to" | "id">): Promise<BroadcastReport>;
  /** All stored mail, oldest first, read or not. Claims nothing, so any process may call it. */
  readAll(agent: string): Promise<ReceivedMail[]>;
  readUnread(agent: string): Promise<ReceivedMail[]>;
  /** Records that the mail is in the agent's log. Makes this process the only reader of the inbox. */
  markDelivered(agent: string, ids: readonly MailId[]): Promise<void>;
  /** Records that the mail is in the conversation. By ids, or by the index in the result of `readAll`. */
  markRead(agent: string, which: readonly MailId[] | number): Promise<void>;
  /** The oldest unread mail, now or when one arrives. Makes this process the only reader of the inbox. */
  waitForMessage(agent: string, signal?: AbortSignal): Promise<ReceivedMail>;
  /** Yields unread and new mail, each once. Makes this process the only reader. Ends when `signal` aborts. */
  follow(agent: string, signal?: AbortSignal): AsyncIterable<ReceivedMail>;
  /** Yields all mail, read or not, for observers. Claims nothing. */
  watch(agent: string, signal?: AbortSignal): AsyncIterable<ReceivedMail>;
  /**
   * The delivery state of a mail. `failed`: unread, and its receiver has ended, or the mail was damaged and set aside.
   * `read` also for mail so old that it is no longer stored. Rejects if there is no such mail.
   */
  receipt(id: MailId, to: string): Promise<MailState>;
  /** The full text of a mail, also if it is in a file. */
  textOf(mail: Mail): Promise<string>;
  /** The damage found in this agent's inbox since the last call, for the user. */
  takeNotices(agent: string): readonly string[];
  /** Ends all followers and lets other processes become readers. The store stays open. */
  close(): Promise<void>;
}

export interface OutgoingMail {
  readonly from: string;
  readonly to: string;
  /** A message, sent as mail of kind `text`. Give either this or `body`. */
  readonly text?: string;
  /** Set only by the runtime, never from model output. */
  readonly body?: MailBody;
  readonly summary?: string;
  /** Default: true, but false for an idle notification. */
  readonly wakes?: boolean;
  readonly urgent?: boolean;
  readonly replyTo?: MailId;
  /** For a retry after a failure: mail with the same id is the same mail and is read once. */
  readonly id?: MailId;
}

export interface BroadcastReport {
  readonly sent: readonly { readonly to: string; readonly id: MailId }[];
  readonly failed: readonly { readonly to: string; readonly error: Error }[];
}

/** Mail as its receiver gets it. For a large text `body.file` is the absolute path of the full text. */
export interface ReceivedMail extends Mail {
  readonly state: "queued" | "delivered" | "read";
  readonly read: boolean;
  /** `verified` if the signature belongs to the sender it names. */
  readonly sender: "verified" | "unverified";
  /** Why it is shown but not acted on: it is unsigned, or its sender may not send this kind. */
  readonly refused?: string;
}

/** The members and their keys. `StoredTeam` has both in its record. */
export interface MailboxMembers {
  /** All current and former members including the lead. Returns a new array whenever something changed. */
  members(): readonly Member[];
  /**
   * The key that signs or verifies mail of this member or of `user`. Undefined if there is none here. Asked again until
   * one exists.
   */
  keyOf(name: string, use: KeyUse): Promise<MemberKey | undefined>;
}
