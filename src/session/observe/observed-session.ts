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
   * What is stored after the cursor, by time and each agent's in its order, then `caught-up`, then what happens, live events
   * too; nothing stored twice or left out. `state` is the first thing after what is stored, and comes again when a process
   * opens or leaves the session; the stream goes on over that, until the signal aborts. Members and tasks as they are now
   * come as `member.changed` and `task.changed` before `caught-up`, and again after each change of the state.
   * Of this session alone: members of its team have sessions of their own (`member.joined`, `member.changed`), to be opened
   * by their ids wherever they run.
   * Read as slowly as you like: who falls behind goes on from disk, and misses only live events. Rejects with
   * `session_damaged`, `session_newer` or `storage` for what cannot be read.
   */
  events(options: { readonly after?: Cursor; readonly signal: AbortSignal }): AsyncIterable<ObservedUpdate>;
  /** Never rejects for what a caller can get wrong. A session that nobody has open refuses with `not_running`. */
  dispatch(command: Command): Promise<Ack>;
  transcript(of: TranscriptOf): Promise<readonly StoredEnvelope[]>;
  close(): Promise<void>;
}

export type ObservedUpdate =
  | { readonly kind: "envelopes"; readonly envelopes: readonly Envelope[] }
  | { readonly kind: "caught-up" }
  | { readonly kind: "state"; readonly state: SessionListing["state"] };

/** The sessions of one home. */
export interface SessionDirectory {
  /** The whole list now, and again whenever something in it changes. */
  sessions(signal: AbortSignal): AsyncIterable<readonly SessionListing[]>;
  /** Rejects with `session_not_found`. Each call gives an object of its own to close. */
  open(id: SessionId): Promise<ObservedSession>;
  close(): Promise<void>;
}
