import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { isInside, realPathSync, runGit } from "../../platform/index.ts";
import { type AgentId, TroupeError, type WorktreeSettings } from "../../protocol/index.ts";
import {
  createWorktree,
  diffLine,
  finishWorktree,
  portsForExternalWorktree,
  releasePorts,
  type Isolation,
  resumeWorktree,
  type RepositoryContext,
  type Worktree,
} from "../../team/index.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";

export interface IsolationPorts {
  readonly place: RepositoryContext;
  readonly settings: WorktreeSettings;
  /** The session's hooks. */
  readonly hooks: Pick<SessionHooks, "makesWorktrees" | "makeWorktree" | "worktreeRemoved"> | undefined;
}

/** A worktree as recorded in an agent's log. */
export interface LoggedWorktree {
  readonly path: string;
  readonly branch: string;
  readonly hookMade?: boolean | undefined;
}

/** Creates a worktree for an agent, with the `WorktreeCreate` hook if there is one. */
export async function isolateInWorktree(
  agentId: AgentId,
  ports: IsolationPorts,
  signal?: AbortSignal,
): Promise<Isolation> {
  const { place, settings, hooks } = ports;
  if (!hooks?.makesWorktrees) return ownIsolation(ports, await createWorktree(place, { agentId, settings }));
  const start = await startOf(place);
  const made = await hooks.makeWorktree(
    { name: worktreeName(agentId), base: start.base ?? null, repository: start.repository ?? null },
    signal,
  );
  if ("refused" in made) throw new TroupeError("agent", `The WorktreeCreate hook refused: ${made.refused}`);
  const path = checkedPath(made.printed, [place.cwd, ...(start.repository === undefined ? [] : [start.repository])]);
  return hookIsolation(ports, { path, branch: await branchOf(path, place), base: start.base });
}

/** Returns the worktree of an agent that resumes, or undefined if it no longer exists. */
export async function resumeIsolation(
  agentId: AgentId,
  worktree: LoggedWorktree,
  ports: IsolationPorts,
): Promise<Isolation | undefined> {
  if (!worktree.hookMade) {
    const resumed = await resumeWorktree(ports.place, worktreeName(agentId));
    return resumed && ownIsolation(ports, resumed);
  }
  const { path, branch } = worktree;
  return isFolder(path) ? hookIsolation(ports, { path, branch, base: undefined }) : undefined;
}

const worktreeName = (agentId: AgentId) => `agent-${agentId.slice(-8)}`;

const ownIsolation = ({ place, hooks }: IsolationPorts, made: Worktree): Isolation => ({
  ...made,
  async finish() {
    const end = await finishWorktree(place, { name: made.name });
    if (end.outcome === "kept") {
      const diff = await diffLine(place, { path: end.path, base: made.base });
      return { path: end.path, branch: end.branch ?? made.branch, kept: true, diff };
    }
    await hooks?.worktreeRemoved({ worktree_path: made.path, name: made.name, branch: made.branch });
    return { path: made.path, branch: made.branch, kept: false };
  },
});

/** Always kept: only the hook's author knows what it is for. */
const hookIsolation = async (
  { place, settings }: IsolationPorts,
  { path, branch, base }: { path: string; branch: string; base: string | undefined },
): Promise<Isolation> => ({
  path,
  branch,
  hookMade: true,
  env: { TROUPE_WORKTREE: path, ...(await portsForExternalWorktree(place, { path, settings })) },
  notices: [],
  async finish() {
    await releasePorts(place, path);
    const hasDiff = base !== undefined && branch !== "";
    return { path, branch, kept: true, ...(hasDiff && { diff: await diffLine(place, { path, base }) }) };
  },
});

/** Returns the repository and commit to start from. Both are missing outside git, where a hook may have its own way. */
async function startOf({ cwd, env }: RepositoryContext): Promise<{ repository?: string; base?: string }> {
  const [top, head] = await Promise.all([
    runGit(["rev-parse", "--show-toplevel"], { cwd, env }),
    runGit(["rev-parse", "--verify", "--quiet", "HEAD"], { cwd, env }),
  ]);
  return { ...(top.ok && { repository: top.stdout.trim() }), ...(head.ok && { base: head.stdout.trim() }) };
}

/** Uses the last printed line, because git prints messages before it. */
function checkedPath(printed: string, taken: readonly string[]): string {
  const made = printed.trim().split("\n").at(-1)?.trim() ?? "";
  const wrong = (why: string) =>
    new TroupeError("agent", `The WorktreeCreate hook must print the path of the folder that it created: ${why}.`);
  if (made === "") throw wrong("it printed nothing");
  if (!isAbsolute(made)) throw wrong(`${JSON.stringify(made.slice(0, 300))} is not an absolute path`);
  if (!isFolder(made)) throw wrong(`${made.slice(0, 300)} is not an existing folder`);
  const real = realPathSync(made);
  if (taken.some((folder) => isInside(realPathSync(folder), real)))
    throw wrong(`${made} is already used by other agents`);
  return real;
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Returns an empty string if HEAD is detached or the folder is not in git. */
async function branchOf(cwd: string, { env }: RepositoryContext): Promise<string> {
  const found = await runGit(["symbolic-ref", "--quiet", "--short", "HEAD"], { cwd, env });
  return found.ok ? found.stdout.trim() : "";
}
