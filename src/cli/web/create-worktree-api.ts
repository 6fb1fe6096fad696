import { createIdFactory, systemClock } from "../../platform/index.ts";
import { type LandingReport, type SessionId, TroupeError, type WorktreeListing } from "../../protocol/index.ts";
import { type Config, loadConfig, type SessionDirectory } from "../../session/index.ts";
import {
  branchReadiness,
  type DiffStat,
  diffStat,
  land,
  type LandReport,
  type ListedWorktree,
  listWorktrees,
  openRepository,
  type RefusedBranch,
  type RepositoryContext,
  worktreeDiff,
} from "../../team/index.ts";
import type { WorktreeApi } from "../../web-server/index.ts";
import { sessionFolder } from "./find-session-listing.ts";

export interface WorktreeApiOptions {
  readonly sessionDirectory: SessionDirectory;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the server closes. A running landing is then aborted if possible. */
  readonly signal: AbortSignal;
}

/**
 * Creates the dashboard's access to worktrees. It sees only the repository of a session, no other folder of this
 * machine.
 */
export function createWorktreeApi({ sessionDirectory, env, signal }: WorktreeApiOptions): WorktreeApi {
  const placeOf = async (session: SessionId): Promise<{ place: RepositoryContext; config: Config }> => {
    const config = await loadConfig({ cwd: await sessionFolder(sessionDirectory, session), env });
    const { cwd, home, userHome, childEnv } = config;
    const clock = systemClock;
    return { place: { cwd, home, userHome, env: childEnv, clock, createId: createIdFactory(clock), signal }, config };
  };
  return {
    async list(session) {
      const { place } = await placeOf(session);
      const { worktrees } = await listWorktrees(place);
      return Promise.all(worktrees.map((worktree) => listingOf(place, worktree)));
    },
    async diff(session, name) {
      const { place } = await placeOf(session);
      const { worktrees } = await listWorktrees(place);
      const worktree = worktrees.find((listed) => listed.name === name);
      if (worktree?.base === undefined)
        throw new TroupeError("git", `there is no agent worktree ${JSON.stringify(name)}. Reload the list.`);
      return worktreeDiff(place, { path: worktree.path, base: worktree.base });
    },
    async land(session, branches) {
      const { place, config } = await placeOf(session);
      const { worktrees } = await listWorktrees(place);
      const unknownWorktree = branches.find((branch) => !worktrees.some((listed) => listed.branch === branch));
      if (unknownWorktree !== undefined)
        throw new TroupeError(
          "git",
          `${JSON.stringify(unknownWorktree)} is not a branch of an agent. Reload the list.`,
        );
      return reportOf(await land(place, { branches, settings: config.land, worktree: config.worktree }));
    },
  };
}

async function listingOf(place: RepositoryContext, worktree: ListedWorktree): Promise<WorktreeListing> {
  const { name, path, branch, agentId, state, commits, reasons, base } = worktree;
  const exists = base !== undefined && !["making", "landing", "removing"].includes(state);
  const { files, problems } = exists ? await filesOf(place, { path, base }) : { files: [], problems: [] };
  const landing =
    exists && branch !== undefined && commits > 0
      ? await branchReadiness(await openRepository(place), branch)
      : undefined;
  return {
    name,
    path,
    ...(branch !== undefined && { branch }),
    ...(agentId !== undefined && { agentId }),
    state,
    commits: Number.isFinite(commits) ? commits : 0,
    files: [...files],
    reasons: [...reasons, ...problems],
    ...(landing !== undefined && { landing }),
  };
}

/** A worktree that is being removed, or whose folder is gone, gets a problem and does not hide the others. */
async function filesOf(
  place: RepositoryContext,
  worktree: { readonly path: string; readonly base: string },
): Promise<{ readonly files: DiffStat["files"]; readonly problems: readonly string[] }> {
  try {
    return { files: (await diffStat(place, worktree)).files, problems: [] };
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return { files: [], problems: [`unreadable: ${error.message}`] };
  }
}

const reportOf = ({ target, landed, refused, check, notices }: LandReport): LandingReport => ({
  target: target.replace("refs/heads/", ""),
  landed: landed.map(({ branch, commits, resolved }) => ({ branch, commits, resolved })),
  refused: refused.map((one) => ({ branch: one.branch, reason: one.reason, message: refusalText(one) })),
  ...(check !== undefined && { check }),
  notices: [...notices],
});

function refusalText(refused: RefusedBranch): string {
  switch (refused.reason) {
    case "nothing new":
      return "nothing new to land";
    case "red":
      return `the check fails with it (${refused.how}): ${refused.tail.slice(-2000)}`;
    case "conflict":
      return `conflict in ${refused.conflict.files.join(", ")}. Ask its agent to rebase it on the current branch and land it again, or run 'troupe land --agent ${refused.branch}'.`;
  }
}
