import type { LandingReport, SessionId, WorktreeListing } from "../protocol/index.ts";

/** The worktrees of a session's repository. All methods reject with a TroupeError that tells what to do. */
export interface WorktreeApi {
  list(session: SessionId): Promise<readonly WorktreeListing[]>;
  /** Returns the changes of a worktree since its base, as a unified diff. */
  diff(session: SessionId, name: string): Promise<string>;
  /** Lands branches of agents. The dashboard cannot land any other branch. */
  land(session: SessionId, branches: readonly string[]): Promise<LandingReport>;
}
