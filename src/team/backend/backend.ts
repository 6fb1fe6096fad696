import type { BackendType, Member, TmuxPane } from "../../protocol/index.ts";

/** Runs members. Every backend starts a member from its entry in the team record. */
export interface Backend {
  readonly type: BackendType;
  /** Resolves when the member has started. Rejects with a TroupeError if it could not; then nothing of it is left. */
  start(member: Member): Promise<RunningMember>;
  /** Attaches to a member that a previous run of the lead started. Undefined if it no longer runs. */
  attach(member: Member): Promise<RunningMember | undefined>;
  /** Releases the backend's own resources. Its members must have ended before. */
  close(): Promise<void>;
}

export interface RunningMember {
  readonly pane?: TmuxPane | undefined;
  /** Resolves when the member is gone, with the problem if there was one. */
  readonly ended: Promise<string | undefined>;
  /** How long suspending may take, if longer than the default. */
  readonly suspendMs?: number;
  /** Resolves when the lead can see all that the member has done so far. */
  readonly settled?: () => Promise<void>;
  /** The working directory on another machine, if known. */
  readonly folder?: () => string | undefined;
  /** Ends the member and every process it started, without asking. */
  kill(): Promise<void>;
}
