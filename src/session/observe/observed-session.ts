import type {
  Ack,
  Command,
  Cursor,
  Envelope,
  SessionId,
  SessionListing,
  StoredEnvelope,
} from "../../protocol/index.ts";
import type { TranscriptOf } from "../session.ts";

/** A session as somebody outside of it sees it: open in this process, open in another one, or only on disk. */
export interface ObservedSession {
  readonly id: SessionId;
  /**
   * What is stored after the cursor, agent by agent in the order of their logs, then `caught-up`, then what happens, live
   * events too; nothing twice and nothing left out. Members and tasks as they are now come as `member.changed` and
   * `task.changed` before `caught-up`. `state` says when a process opens or leaves it; the stream goes on over that.
   * A reader that falls far behind is thrown out with `slow_reader` and comes back with its cursor.
   */
  events(options: { readonly after?: Cursor; readonly signal: AbortSignal }): AsyncIterable<Observed>;
  /** Never rejects for what a caller can get wrong. A session that nobody has open refuses with `not_running`. */
  dispatch(command: Command): Promise<Ack>;
  transcript(of: TranscriptOf): Promise<readonly StoredEnvelope[]>;
  close(): Promise<void>;
}

export type Observed =
  | { readonly kind: "envelopes"; readonly envelopes: readonly Envelope[] }
  | { readonly kind: "caught-up" }
  | { readonly kind: "state"; readonly state: SessionListing["state"] };

/** The sessions of one home. */
export interface Observatory {
  /** The whole list now, and again whenever something in it changes. */
  sessions(signal: AbortSignal): AsyncIterable<readonly SessionListing[]>;
  /** Rejects with `session_not_found`. Each call gives an object of its own to close. */
  open(id: SessionId): Promise<ObservedSession>;
  close(): Promise<void>;
}
