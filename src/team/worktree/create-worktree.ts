import { lstat } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { currentProcess, hasErrorCode, makeFolder, safeName, storageError } from "../../platform/index.ts";
import { type AgentId, TroupeError, type WorktreeSettings } from "../../protocol/index.ts";
import { addWorktree } from "./add-worktree.ts";
import { defaultPorts } from "./ports-for-external-worktree.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { prepareWorktree } from "./prepare-worktree.ts";
import {
  defaultWorktreeFolder,
  homeWorktreeFolder,
  openRepository,
  type Repository,
  type RepositoryContext,
} from "./repository.ts";
import { undoCreation } from "./undo-creation.ts";
import { readEntry, type WorktreeEntry, writeEntry } from "./worktree-entry.ts";

export interface WorktreeRequest {
  readonly agentId: AgentId;
  /** Of its folder; without it one is made of the agent's id. */
  readonly name?: string;
  /** What it begins from; `HEAD`. */
  readonly base?: string;
  readonly settings?: WorktreeSettings;
  /** Told before each step, and awaited. */
  onStep?(step: string): void | Promise<void>;
}

export interface Worktree {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  /** For every command that runs in it. */
  readonly env: Readonly<Record<string, string>>;
  /** What the agent or the user should know: what is not in it, what set-up could not do. */
  readonly notices: readonly string[];
}

/**
 * A working tree of its own for one agent, on a branch of its own, locked while this process lives. Either it is all there
 * when this resolves, or nothing of it is left when this rejects.
 */
export async function createWorktree(place: RepositoryContext, request: WorktreeRequest): Promise<Worktree> {
  const { onStep = () => undefined, settings = {} } = request;
  const repository = await openRepository(place);
  const { entry, notices } = await plan(repository, request);
  await withRepositoryLock(place, creationLock(repository), async () => {
    await assertFree(repository, entry);
    await onStep("record");
    await writeEntry(repository, entry);
    await onStep("add");
    await undoOnFailure(repository, entry, () => addWorktree(repository, entry));
  });
  return undoOnFailure(repository, entry, async () => {
    const prepared = await prepareWorktree(repository, entry, { settings, onStep });
    return { ...result(prepared.entry, prepared.env), notices: [...notices, ...prepared.notices] };
  });
}

export const creationLock = (repository: Repository) => ({
  folder: join(repository.stateFolder, "turns"),
  what: `The worktrees of ${repository.commonDir}`,
});

const result = (entry: WorktreeEntry, env: Readonly<Record<string, string>>) => ({
  name: entry.name,
  path: entry.path,
  branch: entry.branch ?? "",
  base: entry.base,
  env,
});

/** Where everything will be, decided and checked before anything is made. */
async function plan(
  repository: Repository,
  request: WorktreeRequest,
): Promise<{ entry: WorktreeEntry; notices: string[] }> {
  const { agentId, settings = {} } = request;
  const short = agentId.slice(-8);
  const name = validateName(request.name ?? `agent-${short}`);
  const base = await baseCommit(repository, request.base ?? "HEAD");
  const folder = await worktreeFolder(repository, settings);
  const { clock } = repository.place;
  const entry: WorktreeEntry = {
    v: 1,
    name,
    state: "making",
    path: join(folder, name),
    branch: `troupe/agent-${short}`,
    base,
    agentId,
    owner: currentProcess(),
    createdAt: new Date(clock.now()).toISOString(),
    put: [],
    ports: settings.ports ?? defaultPorts,
    disposable: settings.disposable ?? [],
    reasons: [],
  };
  return { entry, notices: await noticesOf(repository) };
}

function validateName(name: string): string {
  if (/^[.\s]*git([.\s~]|$)/i.test(name)) {
    throw new TroupeError("name", `${JSON.stringify(name)} cannot be the name of a worktree: choose one unlike .git`);
  }
  return safeName(name);
}

export async function baseCommit(repository: Repository, base: string): Promise<string> {
  const found = await repository.git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${base}^{commit}`]);
  if (found.ok) return found.stdout.trim();
  const message =
    base === "HEAD"
      ? `${repository.top} has no commit yet, and a worktree begins from one: commit something first`
      : `${base} is no commit of ${repository.top}`;
  throw new TroupeError("git", message);
}

/** Made if need be; the one in our home where the one beside the project cannot be written. */
export async function worktreeFolder(repository: Repository, settings: WorktreeSettings): Promise<string> {
  const { place } = repository;
  if (settings.folder !== undefined) {
    const folder = settings.folder.replace(/^~(?=\/|$)/, place.userHome);
    return makeFolder(isAbsolute(folder) ? folder : join(repository.top, folder));
  }
  try {
    return await makeFolder(defaultWorktreeFolder(repository));
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    if (!hasErrorCode(cause, "EACCES", "EPERM", "EROFS")) throw error;
    return makeFolder(homeWorktreeFolder(repository));
  }
}

async function noticesOf(repository: Repository): Promise<string[]> {
  const notices: string[] = [];
  const changed = await repository.ask(["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty"]);
  const count = changed.split("\0").filter(Boolean).length;
  if (count > 0) {
    const [them, are] = count === 1 ? ["1 uncommitted change", "is"] : [`${count} uncommitted changes`, "are"];
    notices.push(`${them} of ${repository.top} ${are} not in the worktree: it begins from the last commit.`);
  }
  if ((await repository.git(["cat-file", "-e", "HEAD:.gitmodules"])).ok) {
    notices.push("Submodules are empty folders in the worktree; git submodule update --init fills one that is needed.");
  }
  if (repository.isShallow) notices.push("This repository is a shallow clone: its older commits are not here.");
  return notices;
}

async function assertFree(repository: Repository, entry: WorktreeEntry): Promise<void> {
  const { path, branch = "" } = entry;
  const taken = await readEntry(repository, entry.name);
  if (taken) throw new TroupeError("git", `a worktree named ${entry.name} is there already (${taken.path}): ${wayOut}`);
  if (await exists(path)) throw new TroupeError("git", `${path} is there already: remove it, or choose another name`);
  const refs = await repository.ask([
    "for-each-ref",
    "--format=%(refname:short)%00%(worktreepath)",
    "refs/heads/troupe",
  ]);
  for (const [name, where] of refs.split("\n").map((line) => line.split("\0"))) {
    if (name === branch) {
      const checkedOut = where ? `, checked out in ${where}` : "";
      throw new TroupeError("git", `the branch ${branch} exists already${checkedOut}: ${wayOut}`);
    }
    if (name === "troupe") {
      const message = `a branch named troupe keeps git from making ${branch}: rename it (git branch -m troupe …)`;
      throw new TroupeError("git", message);
    }
  }
}

const wayOut = "'troupe worktree list' shows what it holds";

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return false;
    throw storageError("look at", path, error);
  }
}

/** What has failed is taken back, and the failure told; what cannot be taken back is told too. */
export async function undoOnFailure<T>(
  repository: Repository,
  entry: WorktreeEntry,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // An abort must not stop what cleans up after it.
    const { signal: _, ...place } = repository.place;
    const calm = repository.place.signal ? await openRepository(place) : repository;
    const now = (await readEntry(calm, entry.name)) ?? entry;
    try {
      await undoCreation(calm, now);
    } catch (undoing) {
      const left = `${basename(entry.path)} could not be removed (${(undoing as Error).message}); 'troupe worktree prune' tries again`;
      throw new TroupeError("git", `${(error as Error).message} And ${left}.`, { cause: error });
    }
    throw error;
  }
}
