import { lstat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { WorktreeFacts } from "../../agent/index.ts";
import { currentProcess, hasErrorCode, ifPresent, makeFolder, safeName } from "../../platform/index.ts";
import { type AgentId, TroupeError, type WorktreeSettings } from "../../protocol/index.ts";
import { addWorktree } from "./add-worktree.ts";
import { defaultPorts } from "./ports-for-external-worktree.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { prepareWorktree } from "./prepare-worktree.ts";
import {
  currentBranch,
  defaultWorktreeFolder,
  homeWorktreeFolder,
  openRepository,
  type Repository,
  type RepositoryContext,
} from "./repository.ts";
import { factsOf } from "./worktree-facts.ts";
import { undoCreation } from "./undo-creation.ts";
import { readEntry, type WorktreeEntry, writeEntry } from "./worktree-entry.ts";

export interface WorktreeRequest {
  readonly agentId: AgentId;
  /** The name or type of its agent, for readable names: `implementer` gives `troupe/implementer-7c1d`. */
  readonly label?: string;
  /** The name of its folder. Default: derived from the label and the agent's id. */
  readonly name?: string;
  /** An entry whose folder is gone: the same branch, base and path are used again. */
  readonly again?: AgainRequest;
  /** The commit to start from. Default: `HEAD`. */
  readonly base?: string;
  readonly settings?: WorktreeSettings;
  /** Awaited before each step. */
  onStep?(step: string): void | Promise<void>;
}

interface AgainRequest extends Pick<WorktreeEntry, "path" | "branch" | "baseBranch" | "landed"> {
  /** True if the branch exists. It is then checked out, and not made. */
  readonly hasBranch: boolean;
}

export interface Worktree {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  /** The environment for every command that runs in it. */
  readonly env: Readonly<Record<string, string>>;
  /** For its agent. */
  readonly facts: WorktreeFacts;
  /** Notices for the agent or the user: what it lacks, and what the setup could not do. */
  readonly notices: readonly string[];
}

/**
 * Creates a worktree on a new branch for one agent, locked while this process runs. It is complete when this resolves.
 * Nothing of it is left when this rejects.
 */
export async function createWorktree(place: RepositoryContext, request: WorktreeRequest): Promise<Worktree> {
  const { onStep = () => undefined, settings = {} } = request;
  const repository = await openRepository(place);
  const { hasBranch = false } = request.again ?? {};
  const planned = await plan(repository, request);
  const entry = await withRepositoryLock(place, creationLock(repository), async () => {
    const named = await withFreeName(repository, planned.entry, request);
    await assertFree(repository, named, { hasBranch });
    await onStep("record");
    await writeEntry(repository, named);
    await onStep("add");
    await undoOnFailure(repository, named, () => addWorktree(repository, named, { hasBranch }));
    return named;
  });
  return undoOnFailure(repository, entry, async () => {
    const prepared = await prepareWorktree(repository, entry, { settings, onStep });
    return {
      ...openedWorktree(repository, prepared.entry, prepared.env),
      notices: [...planned.notices, ...prepared.notices],
    };
  });
}

export const creationLock = (repository: Repository) => ({
  folder: join(repository.stateFolder, "turns"),
  what: `The worktrees of ${repository.commonDir}`,
});

export const openedWorktree = (
  repository: Repository,
  entry: WorktreeEntry,
  env: Readonly<Record<string, string>>,
): Omit<Worktree, "notices"> => ({
  name: entry.name,
  path: entry.path,
  branch: entry.branch ?? "",
  base: entry.base,
  env,
  facts: factsOf(entry, repository.top),
});

/** Decides and checks all names and paths before anything is created. */
async function plan(
  repository: Repository,
  request: WorktreeRequest,
): Promise<{ entry: WorktreeEntry; notices: string[] }> {
  const { agentId, settings = {}, again } = request;
  const name = validateName(request.name ?? worktreeName(request));
  const base = await baseCommit(repository, request.base ?? "HEAD");
  const folder = await worktreeFolder(repository, settings);
  const { clock } = repository.place;
  const baseBranch = again?.baseBranch ?? (await currentBranch(repository));
  const entry: WorktreeEntry = {
    v: 1,
    name,
    state: "making",
    path: again?.path ?? join(folder, name),
    branch: again?.branch ?? branchName(worktreeName(request)),
    base,
    checkout: repository.top,
    ...(baseBranch !== undefined && { baseBranch }),
    agentId,
    owner: currentProcess(),
    createdAt: new Date(clock.now()).toISOString(),
    put: [],
    ports: settings.ports ?? defaultPorts,
    disposable: settings.disposable ?? [],
    reasons: [],
    ...(again?.landed !== undefined && { landed: again.landed }),
  };
  return { entry, notices: await noticesOf(repository) };
}

/** `implementer-7c1d`: the agent's name or type, and the end of its id. */
export const worktreeName = ({ label, agentId }: Pick<WorktreeRequest, "label" | "agentId">, characters = 4) =>
  `${worktreeLabel(label ?? "agent")}-${agentId.slice(-characters)}`;

/** A name in characters that are safe in a branch and a folder. */
export function worktreeLabel(name: string): string {
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 40);
  return readable === "" ? "agent" : readable;
}

const branchName = (name: string) => `troupe/${name}`;

/** Takes more of the agent's id if the short name is taken. Call it only with the repository lock held. */
async function withFreeName(
  repository: Repository,
  entry: WorktreeEntry,
  request: WorktreeRequest,
): Promise<WorktreeEntry> {
  if (request.name !== undefined) return entry;
  const branches = await repository.ask(["for-each-ref", "--format=%(refname:short)", "refs/heads/troupe"]);
  const isTaken = async (name: string) =>
    branches.split("\n").includes(branchName(name)) ||
    (await readEntry(repository, name)) !== undefined ||
    (await exists(join(dirname(entry.path), name)));
  if (!(await isTaken(entry.name))) return entry;
  const name = worktreeName(request, 12);
  return { ...entry, name, path: join(dirname(entry.path), name), branch: branchName(name) };
}

function validateName(name: string): string {
  if (/^[.\s]*git([.\s~]|$)/i.test(name)) {
    throw new TroupeError(
      "name",
      `${JSON.stringify(name)} cannot be the name of a worktree: it resembles .git. Choose another name.`,
    );
  }
  return safeName(name);
}

export async function baseCommit(repository: Repository, base: string): Promise<string> {
  const found = await repository.git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${base}^{commit}`]);
  if (found.ok) return found.stdout.trim();
  const message =
    base === "HEAD"
      ? `cannot make a worktree in ${repository.top}: it has no commit yet. Commit something first.`
      : `${base} is not a commit of ${repository.top}`;
  throw new TroupeError("git", message);
}

/** The folder for worktrees, created if needed. In the Troupe home if the folder beside the project is not writable. */
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
    notices.push(`${them} of ${repository.top} ${are} not in the worktree: it starts from the last commit.`);
  }
  if ((await repository.git(["cat-file", "-e", "HEAD:.gitmodules"])).ok) {
    notices.push("Submodules are empty folders in the worktree. Run 'git submodule update --init' for those you need.");
  }
  if (repository.isShallow) notices.push("This repository is a shallow clone without its older commits.");
  return notices;
}

async function assertFree(
  repository: Repository,
  entry: WorktreeEntry,
  { hasBranch }: { readonly hasBranch: boolean },
): Promise<void> {
  const { path, branch = "" } = entry;
  const taken = await readEntry(repository, entry.name);
  if (taken) throw new TroupeError("git", `a worktree named ${entry.name} already exists (${taken.path}). ${wayOut}`);
  if (await exists(path)) throw new TroupeError("git", `${path} already exists. Remove it, or choose another name.`);
  const refs = await repository.ask([
    "for-each-ref",
    "--format=%(refname:short)%00%(worktreepath)",
    "refs/heads/troupe",
  ]);
  for (const [name, where] of refs.split("\n").map((line) => line.split("\0"))) {
    if (name === branch && !(hasBranch && !where)) {
      const checkedOut = where ? `, checked out in ${where}` : "";
      throw new TroupeError("git", `the branch ${branch} already exists${checkedOut}. ${wayOut}`);
    }
    if (name === "troupe") {
      const message = `cannot create the branch ${branch}: a branch named troupe exists. Rename it (git branch -m troupe …).`;
      throw new TroupeError("git", message);
    }
  }
}

const wayOut = "Run 'troupe worktree list' to see what it contains.";

async function exists(path: string): Promise<boolean> {
  return (await ifPresent(() => lstat(path), { action: "inspect", path })) !== undefined;
}

/** Undoes the creation if `work` fails, and rethrows the error. The message includes a failure to undo. */
export async function undoOnFailure<T>(
  repository: Repository,
  entry: WorktreeEntry,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // An abort must not stop the cleanup.
    const { signal: _, ...place } = repository.place;
    const calm = repository.place.signal ? await openRepository(place) : repository;
    const now = (await readEntry(calm, entry.name)) ?? entry;
    try {
      await undoCreation(calm, now);
    } catch (undoing) {
      const left = `cannot remove ${basename(entry.path)} (${(undoing as Error).message}). Run 'troupe worktree prune' to try again`;
      throw new TroupeError("git", `${(error as Error).message} Also: ${left}.`, { cause: error });
    }
    throw error;
  }
}
