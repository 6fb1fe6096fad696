import type { Mail, MailBody, MailId, MailState, Member } from "../../protocol/index.ts";
import type { KeyUse, MemberKey } from "../../store/index.ts";

/** Mail of one team, for programs as for agents; knows no surface. */
export interface Mailbox {
  /**
   * Resolves when the mail is stored, and rejects if it may not be: `mail` for what cannot be sent (nobody of that name,
   * somebody who has ended, too large, too many), `storage` for what the disk says. Nothing is stored for an unknown name.
   */
  send(outgoing: OutgoingMail): Promise<{ readonly id: MailId }>;
  /** To everybody who is there but the sender, one mail each. Rejects only if nothing at all can be sent by `from`. */
  broadcast(outgoing: Omit<OutgoingMail, "to" | "id">): Promise<BroadcastReport>;
  /** Everything that is held, oldest first, read or not. Claims nothing: anybody may look. */
  readAll(agent: string): Promise<ReceivedMail[]>;
  readUnread(agent: string): Promise<ReceivedMail[]>;
  /** Into the agent's log. Makes this process the inbox's one reader. */
  markDelivered(agent: string, ids: readonly MailId[]): Promise<void>;
  /** Into its conversation. By ids, or by the place in what `readAll` gives. */
  markRead(agent: string, which: readonly MailId[] | number): Promise<void>;
  /** The oldest unread mail, now or as soon as there is one. Makes this process the inbox's one reader. */
  waitForMessage(agent: string, signal?: AbortSignal): Promise<ReceivedMail>;
  /** What is unread and all that comes, each once, pushed. Makes this process the one reader. Ends when `signal` aborts. */
  follow(agent: string, signal?: AbortSignal): AsyncIterable<ReceivedMail>;
  /** The same with what was read, for who only looks on. Claims nothing. */
  watch(agent: string, signal?: AbortSignal): AsyncIterable<ReceivedMail>;
  /**
   * How far a mail has come. `failed`: it was not read, and its receiver has ended, or it was damaged and set aside. `read` too
   * for what is so old that nothing of that time is held any more. Rejects if there never was such a mail.
   */
  receipt(id: MailId, to: string): Promise<MailState>;
  /** The whole text of a mail, also if it is in a file. */
  textOf(mail: Mail): Promise<string>;
  /** What was found damaged in this agent's inbox since the last call, for people. */
  takeNotices(agent: string): readonly string[];
  /** Ends who follows and lets others become readers. The store stays open. */
  close(): Promise<void>;
}

export interface OutgoingMail {
  readonly from: string;
  readonly to: string;
  /** What somebody wrote: always mail of kind `text`. Either this or `body`. */
  readonly text?: string;
  /** Set by the runtime alone, never from what a model wrote. */
  readonly body?: MailBody;
  readonly summary?: string;
  /** Default: true, but false for an idle notification. */
  readonly wakes?: boolean;
  readonly urgent?: boolean;
  readonly replyTo?: MailId;
  /** To try again after a failure: the same id is the same mail, and is read once. */
  readonly id?: MailId;
}

export interface BroadcastReport {
  readonly sent: readonly { readonly to: string; readonly id: MailId }[];
  readonly failed: readonly { readonly to: string; readonly error: Error }[];
}

/** A mail as its receiver gets it. Where the whole of a large text is in a file, `body.file` is its absolute path. */
export interface ReceivedMail extends Mail {
  readonly state: "queued" | "delivered" | "read";
  readonly read: boolean;
  /** Whether its signature is that of whom it names. */
  readonly sender: "verified" | "unverified";
  /** Why it is shown and never acted on: a control message that is not signed, or of a kind its sender may not send. */
  readonly refused?: string;
}

/** Who there is, and what they sign with: `StoredTeam` has both in its record. */
export interface MailboxMembers {
  /** Everybody who is or was in the team, the lead among them, as of now; another array whenever something has changed. */
  members(): readonly Member[];
  /** What signs, or checks, what this member (or `user`) sends; undefined for who has none here. Asked until there is one. */
  keyOf(name: string, use: KeyUse): Promise<MemberKey | undefined>;
}
