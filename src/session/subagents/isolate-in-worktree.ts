import { statSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import type { AgentReport, LeftWorktree, WorktreeFacts } from "../../agent/index.ts";
import { isInside, realPathSync, runGit } from "../../platform/index.ts";
import { type AgentId, TroupeError, type WorktreeSettings } from "../../protocol/index.ts";
import {
  diffLine,
  portsForExternalWorktree,
  releasePorts,
  type Isolation,
  type LoggedWorktree,
  type RepositoryContext,
  type Worktree,
  type WorktreeEngine,
  worktreeName,
} from "../../team/index.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";

export interface IsolationPorts {
  readonly place: RepositoryContext;
  readonly worktrees: WorktreeEngine;
  readonly settings: WorktreeSettings;
  /** The session's hooks. */
  readonly hooks: Pick<SessionHooks, "makesWorktrees" | "makeWorktree" | "worktreeRemoved"> | undefined;
  /** Called with the path of each worktree that Troupe itself opens. */
  readonly onOpened: (path: string) => void;
}

/**
 * Creates a worktree for an agent, with the `WorktreeCreate` hook if there is one. `label` is the agent's name or type,
 * for a readable branch.
 */
export async function isolateInWorktree(
  { agentId, label }: { readonly agentId: AgentId; readonly label: string },
  ports: IsolationPorts,
  signal?: AbortSignal,
): Promise<Isolation> {
  const { place, worktrees, settings, hooks } = ports;
  if (!hooks?.makesWorktrees) return ownIsolation(ports, await worktrees.create(place, { agentId, label, settings }));
  return makeByHook(worktreeName({ label, agentId }), ports, signal);
}

async function makeByHook(name: string, ports: IsolationPorts, signal?: AbortSignal): Promise<Isolation> {
  const { place, hooks } = ports;
  if (!hooks) throw new TroupeError("agent", "Its worktree was made by a WorktreeCreate hook, and there is none now.");
  const start = await startOf(place);
  const made = await hooks.makeWorktree(
    { name, base: start.base ?? null, repository: start.repository ?? null },
    signal,
  );
  if ("refused" in made) throw new TroupeError("agent", `The WorktreeCreate hook refused: ${made.refused}`);
  const path = checkedPath(made.printed, [place.cwd, ...(start.repository === undefined ? [] : [start.repository])]);
  return hookIsolation(ports, { path, branch: await branchOf(path, place), start });
}

/** Returns the worktree of an agent that resumes. Makes it again if it is gone. */
export async function reopenIsolation(
  agentId: AgentId,
  { path, branch, hookMade }: LoggedWorktree,
  ports: IsolationPorts,
): Promise<Isolation> {
  const { place, worktrees, settings } = ports;
  if (!hookMade) {
    const resumed = await worktrees.resume(place, basename(path));
    return ownIsolation(ports, resumed ?? (await worktrees.recreate(place, { agentId, path, branch, settings })));
  }
  if (!isFolder(path)) return makeByHook(basename(path), ports);
  return hookIsolation(ports, { path, branch, start: await startOf(place) });
}

function ownIsolation({ place, worktrees, hooks, onOpened }: IsolationPorts, made: Worktree): Isolation {
  onOpened(made.path);
  const finish = async () => {
    const end = await worktrees.finish(place, { name: made.name });
    if (end.outcome === "kept") {
      const diff = await worktrees.diff(place, { path: end.path, base: made.base });
      const state = await worktrees.state(place, end.path);
      return { path: end.path, branch: end.branch ?? made.branch, kept: true, diff, state };
    }
    await hooks?.worktreeRemoved({ worktree_path: made.path, name: made.name, branch: made.branch });
    return { path: made.path, branch: made.branch, kept: false, landed: end.landed };
  };
  return { ...made, finish };
}

/** The worktree of an agent whose end was not reported. Changes nothing. */
export async function lookAtWorktree(
  { place, worktrees }: Pick<IsolationPorts, "place" | "worktrees">,
  { path, branch, hookMade }: LoggedWorktree,
): Promise<AgentReport["worktree"]> {
  const kept = { path, branch, kept: true };
  if (hookMade) return kept;
  try {
    return { ...kept, state: await worktrees.state(place, path) };
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return { ...kept, diff: `Its commits and uncommitted files are not known: ${error.message}` };
  }
}

/** The work in a worktree that has not landed. Undefined if there is none, or it cannot be inspected. */
export async function leftWorktreeAt(
  { place, worktrees }: Pick<IsolationPorts, "place" | "worktrees">,
  path: string,
): Promise<LeftWorktree | undefined> {
  try {
    const state = await worktrees.state(place, path);
    if (!state || (state.commits === 0 && state.uncommitted.length === 0)) return undefined;
    const { branch, target, commits, uncommitted } = state;
    const onBranch = branch === "" ? undefined : branch;
    return { path, branch: onBranch, target, commits, uncommitted, uncommittedFiles: uncommitted.length };
  } catch (error) {
    if (TroupeError.is(error)) return undefined;
    throw error;
  }
}

/** Always kept: only the hook's author knows what it is for. */
const hookIsolation = async (
  { place, settings }: IsolationPorts,
  { path, branch, start }: { path: string; branch: string; start: Start },
): Promise<Isolation> => ({
  path,
  branch,
  hookMade: true,
  env: { TROUPE_WORKTREE: path, ...(await portsForExternalWorktree(place, { path, settings })) },
  facts: factsFrom(start, { path, branch, place }),
  notices: [],
  async finish() {
    await releasePorts(place, path);
    const { base } = start;
    const hasDiff = base !== undefined && branch !== "";
    return { path, branch, kept: true, ...(hasDiff && { diff: await diffLine(place, { path, base }) }) };
  },
});

/** The facts about a worktree that a hook made, for its agent. */
export async function hookWorktreeFacts(
  place: RepositoryContext,
  tree: { readonly path: string; readonly branch: string },
): Promise<WorktreeFacts> {
  return factsFrom(await startOf(place), { ...tree, place });
}

const factsFrom = (
  start: Start,
  { path, branch, place }: { path: string; branch: string; place: Pick<RepositoryContext, "cwd"> },
): WorktreeFacts => ({
  path,
  branch,
  baseCommit: start.base,
  baseBranch: start.branch,
  checkout: start.repository ?? place.cwd,
  ignored: undefined,
});

/** The repository, commit and branch to start from. All are missing outside git, where a hook may have its own way. */
interface Start {
  readonly repository?: string;
  readonly base?: string;
  readonly branch?: string;
}

async function startOf(place: RepositoryContext): Promise<Start> {
  const { cwd, env } = place;
  const [top, head, branch] = await Promise.all([
    runGit(["rev-parse", "--show-toplevel"], { cwd, env }),
    runGit(["rev-parse", "--verify", "--quiet", "HEAD"], { cwd, env }),
    branchOf(cwd, place),
  ]);
  return {
    ...(top.ok && { repository: top.stdout.trim() }),
    ...(head.ok && { base: head.stdout.trim() }),
    ...(branch !== "" && { branch }),
  };
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
