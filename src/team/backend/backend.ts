import type { BackendType, Member, TmuxPane } from "../../protocol/index.ts";

/** Where members run. What they are is the same everywhere: each is started from its entry in the team record. */
export interface Backend {
  readonly type: BackendType;
  /** Resolves when it has begun. Rejects with a TroupeError if it could not; then nothing is left of it. */
  start(member: Member): Promise<RunningMember>;
  /** One that an earlier life of the lead has started and that is still there; undefined if it is not. */
  attach(member: Member): Promise<RunningMember | undefined>;
  /** Nothing of its own is left; members are ended before. */
  close(): Promise<void>;
}

export interface RunningMember {
  readonly pane?: TmuxPane | undefined;
  /** Resolves once it is no longer there; with what went wrong, if something did. */
  readonly ended: Promise<string | undefined>;
  /** How long it may take to come to rest, if that is longer than for others. */
  readonly suspendMs?: number;
  /** Resolves when all that it has done so far is where its lead can see it. */
  readonly settled?: () => Promise<void>;
  /** Where it works on another machine, as far as that is known. */
  readonly folder?: () => string | undefined;
  /** Ends it without asking, with everything it has started. */
  kill(): Promise<void>;
}
