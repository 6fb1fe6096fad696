import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { TroupeError, type WorktreeSettings } from "../../protocol/index.ts";
import { addFailed, retryWhileLocked } from "./add-worktree.ts";
import { findAdminFolder } from "./git-admin-folder.ts";
import { fingerprint } from "./worktree-fingerprint.ts";
import { ignoredPaths } from "./ignored-paths.ts";
import { reservePorts } from "./port-blocks.ts";
import { copyDependencies, defaultDependencies } from "./copy-dependencies.ts";
import { copyIntoWorktree } from "./copy-into-worktree.ts";
import type { Repository } from "./repository.ts";
import { runCommand } from "./run-command.ts";
import { worktreeGit } from "./worktree-git.ts";
import { type WorktreeEntry, writeEntry } from "./worktree-entry.ts";

interface Preparing {
  readonly settings: WorktreeSettings;
  /** Its state when it is ready. */
  readonly readyState?: "live" | "landing";
  onStep(step: string): void | Promise<void>;
}

interface Prepared {
  readonly entry: WorktreeEntry;
  readonly env: Readonly<Record<string, string>>;
  readonly notices: readonly string[];
}

/**
 * Fills a new worktree: files, paths from the settings, ports, and the setup command. Several worktrees may do this at
 * the same time.
 */
export async function prepareWorktree(
  repository: Repository,
  made: WorktreeEntry,
  { settings, readyState = "live", onStep }: Preparing,
): Promise<Prepared> {
  await onStep("checkout");
  await checkOut(repository, made, settings.sparse ?? []);
  await onStep("ports");
  const portBase =
    made.ports > 0 ? await reservePorts(repository.place, { path: made.path, count: made.ports }) : undefined;
  const entry: WorktreeEntry = { ...made, state: "preparing", ...(portBase !== undefined && { portBase }) };
  await writeEntry(repository, entry);
  await onStep("put");
  const named = await copyIntoWorktree(repository, entry.path, settings);
  const installed = await copyDependencies(repository, {
    path: entry.path,
    names: settings.dependencies ?? defaultDependencies,
    put: named.copied,
  });
  const put = [...named.copied, ...installed.copied];
  const env = worktreeEnvironment(entry);
  await onStep("set-up");
  const after = settings.setup === undefined ? undefined : await setUp(repository, entry, { settings, env });
  const all = [...put, ...(after?.made ?? []).filter((file) => !put.some((other) => other.path === file.path))];
  const { setup } = settings;
  const ready: WorktreeEntry = { ...entry, state: readyState, put: all, ...(setup !== undefined && { setup }) };
  await onStep("ready");
  await writeEntry(repository, ready);
  return { entry: ready, env, notices: [...named.notices, ...installed.notices, ...(after?.notices ?? [])] };
}

export const worktreeEnvironment = (entry: WorktreeEntry): Record<string, string> => ({
  TROUPE_WORKTREE: entry.path,
  ...(entry.portBase !== undefined && portEnvironment(entry.portBase, entry.ports)),
});

export const portEnvironment = (base: number, count: number): Record<string, string> => ({
  TROUPE_PORT_BASE: String(base),
  TROUPE_PORTS: String(count),
});

async function checkOut(repository: Repository, entry: WorktreeEntry, sparse: readonly string[]): Promise<void> {
  const call = { cwd: entry.path, operation: entry.name };
  if (sparse.length > 0) {
    const args = ["sparse-checkout", "set", "--cone", "--end-of-options", ...sparse];
    const set = await retryWhileLocked(repository, () => repository.git(args, call));
    if (!set.ok) throw addFailed(entry.path, set.stderr);
  }
  const filled = await repository.git(["reset", "--hard", "--quiet"], call);
  if (!filled.ok) throw addFailed(entry.path, filled.stderr);
}

interface SetUp {
  readonly settings: WorktreeSettings;
  readonly env: Readonly<Record<string, string>>;
}

async function setUp(repository: Repository, entry: WorktreeEntry, { settings, env }: SetUp) {
  const { place } = repository;
  const { setup: command = "", setupTimeoutMs: timeoutMs = 600_000 } = settings;
  const run = await runCommand(place, { command, cwd: entry.path, env: { ...place.env, ...env }, timeoutMs });
  if (!run.ok) {
    const said = run.tail === "" ? "" : ` Its output ends with: ${run.tail.slice(-800)}`;
    throw new TroupeError("git", `the setup command of ${entry.path} failed (${run.how}): ${command}.${said}`);
  }
  const admin = await findAdminFolder(repository, entry.path);
  if (!admin || !existsSync(join(entry.path, ".git"))) {
    throw new TroupeError("git", `the setup command removed its own worktree ${entry.path}`);
  }
  const git = worktreeGit(repository, { path: entry.path, admin: admin.path });
  const made = [];
  for (const path of (await ignoredPaths(git, entry.disposable)) ?? []) {
    const mark = await fingerprint(join(entry.path, path));
    made.push({ path, kind: "folder" as const, ...(mark !== undefined && { mark }) });
  }
  const status = await git(["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty"]);
  const changed = status.stdout.split("\0").filter(Boolean);
  const names = changed.slice(0, 3).map((line) => basename(line.slice(3)));
  const notices =
    changed.length === 0
      ? []
      : [`The setup command changed tracked files (${names.join(", ")}…), so this worktree will be kept.`];
  return { made, notices };
}
