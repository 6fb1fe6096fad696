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

/** A session seen from outside: open in this process, open in another process, or only on disk. */
export interface ObservedSession {
  readonly id: SessionId;
  /**
   * Yields the stored events after the cursor, sorted by time and in order for each agent. Then it yields `caught-up`
   * and all later events, including live ones. No stored event is repeated or missing. `state` follows the stored
   * events, and is repeated when a process opens or closes the session. The stream continues until the signal aborts.
   * The current members and tasks arrive as `member.changed` and `task.changed` before `caught-up`, and again after
   * each change of `state`. Only events of this session are included: teammates have their own sessions
   * (`member.joined`, `member.changed`), which can be opened by id. A slow reader continues from disk and misses only
   * live events. Rejects with `session_damaged`, `session_newer` or `storage` if the log cannot be read.
   */
  events(options: { readonly after?: Cursor; readonly signal: AbortSignal }): AsyncIterable<ObservedUpdate>;
  /** Never rejects for a caller's mistake. Refuses with `not_running` if no process has the session open. */
  dispatch(command: Command): Promise<Ack>;
  transcript(of: TranscriptOf): Promise<readonly StoredEnvelope[]>;
  close(): Promise<void>;
}

export type ObservedUpdate =
  | { readonly kind: "envelopes"; readonly envelopes: readonly Envelope[] }
  | { readonly kind: "caught-up" }
  | { readonly kind: "state"; readonly state: SessionListing["state"] };

/** The sessions of one home folder. */
export interface SessionDirectory {
  /** Yields the whole list now and after each change. */
  sessions(signal: AbortSignal): AsyncIterable<readonly SessionListing[]>;
  /** Rejects with `session_not_found`. The caller closes the returned object. */
  open(id: SessionId): Promise<ObservedSession>;
  close(): Promise<void>;
}
