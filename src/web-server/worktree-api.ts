import type { LandingReport, SessionId, WorktreeListing } from "../protocol/index.ts";

/** The worktrees of the repository that a session works in. Everything rejects with a TroupeError that says what to do. */
export interface WorktreeApi {
  list(session: SessionId): Promise<readonly WorktreeListing[]>;
  /** What one of them has that its base has not, as a unified diff. */
  diff(session: SessionId, name: string): Promise<string>;
  /** Only branches of agents: the page cannot bring any other to the current one. */
  land(session: SessionId, branches: readonly string[]): Promise<LandingReport>;
}
