import { constants } from "node:fs";
import {
  copyFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  statfs,
  symlink,
  utimes,
} from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { hasErrorCode, ifPresent, isInside } from "../../platform/index.ts";
import { isOutput } from "./ignored-paths.ts";
import { relocateVirtualEnvironment } from "./relocate-virtual-environment.ts";
import type { Repository } from "./repository.ts";
import type { PutFile } from "./worktree-entry.ts";
import { fingerprint } from "./worktree-fingerprint.ts";

/** Installed dependencies: folders and files that git ignores, by the end of their paths. */
export const defaultDependencies = [
  "node_modules",
  "bower_components",
  ".pnp.cjs",
  ".pnp.loader.mjs",
  ".yarn/cache",
  ".yarn/unplugged",
  ".venv",
  "venv",
  "vendor",
  "vendor/bundle",
  "Pods",
];

export interface DependencyRequest {
  /** The worktree. */
  readonly path: string;
  readonly names: readonly string[];
  /** The files that are there already. */
  readonly put: readonly PutFile[];
}

/**
 * Copies the installed dependencies of the checkout into a new worktree. A copy, and no link: an agent may install and
 * patch packages there without changing the checkout. The blocks are shared where the file system can do that. A failed
 * copy is a notice: the worktree is usable without it.
 */
export async function copyDependencies(
  repository: Repository,
  request: DependencyRequest,
): Promise<{ copied: PutFile[]; notices: string[] }> {
  const copied: PutFile[] = [];
  const notices: string[] = [];
  for (const path of await findDependencies(repository, request)) {
    const to = join(request.path, path);
    try {
      const skipped = await copyOne(repository, { from: join(repository.top, path), to, worktree: request.path });
      if (skipped !== undefined) {
        notices.push(`${path} is not in the worktree: ${skipped}.`);
        continue;
      }
    } catch (error) {
      repository.place.signal?.throwIfAborted();
      await rm(to, { recursive: true, force: true, maxRetries: 3 });
      notices.push(`${path} is not in the worktree: it cannot be copied (${(error as Error).message}).`);
      continue;
    }
    const mark = isOutput(path) ? undefined : await fingerprint(to);
    copied.push({ path, kind: "copy", ...(mark !== undefined && { mark }) });
    const lockFile = await changedLockFile(repository, request.path, path);
    if (lockFile !== undefined)
      notices.push(`${path} was installed for another version of ${lockFile}. Install again if a package is missing.`);
  }
  return { copied, notices };
}

async function findDependencies(repository: Repository, { path, names, put }: DependencyRequest): Promise<string[]> {
  if (names.length === 0) return [];
  const flags = ["--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  const found: string[] = [];
  for (const listed of (await repository.ask(["ls-files", ...flags])).split("\0")) {
    const candidate = listed.replace(/\/$/, "");
    const isNamed = names.some((name) => candidate === name || candidate.endsWith(`/${name}`));
    if (!isNamed || put.some((file) => file.path === candidate || file.path.startsWith(`${candidate}/`))) continue;
    // The folder above it may not be in this commit, or not in a sparse checkout.
    const isWanted = (await kindOf(dirname(join(path, candidate)))) === "folder";
    if (isWanted && (await kindOf(join(path, candidate))) === undefined) found.push(candidate);
  }
  return found;
}

async function kindOf(path: string): Promise<"folder" | "other" | undefined> {
  const stats = await ifPresent(() => lstat(path), { action: "inspect", path });
  return stats && (stats.isDirectory() ? "folder" : "other");
}

interface CopyRequest {
  readonly from: string;
  readonly to: string;
  readonly worktree: string;
}

/** Returns why it was not copied. Undefined if it is there. */
async function copyOne(repository: Repository, { from, to, worktree }: CopyRequest): Promise<string | undefined> {
  // A link in the repository must not redirect writes out of the worktree.
  if (!isInside(await realpath(dirname(to)), await realpath(worktree))) return "its folder is a link";
  const files = await listFiles(from);
  const tooLarge = await whyTooLarge(files, { from, to });
  if (tooLarge !== undefined) return tooLarge;
  await copyFiles(files, { from, to, roots: { from: repository.top, to: worktree }, signal: repository.place.signal });
  await relocateVirtualEnvironment(to, { from: repository.top, to: worktree });
  return undefined;
}

interface FoundFile {
  /** Relative to the dependency. Empty for the dependency itself. */
  readonly path: string;
  readonly kind: "folder" | "file" | "link";
  readonly size: number;
  readonly modified: Date;
}

/** A folder comes before its files. Sockets and the like are left out. */
async function listFiles(root: string): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  const visit = async (path: string): Promise<void> => {
    const stats = await lstat(join(root, path));
    const kind = stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : stats.isFile() ? "file" : undefined;
    if (kind === undefined) return;
    files.push({ path, kind, size: stats.size, modified: stats.mtime });
    if (files.length > maxFiles || kind !== "folder") return;
    await Promise.all((await readdir(join(root, path))).map((name) => visit(join(path, name))));
  };
  await visit("");
  return files;
}

async function whyTooLarge(
  files: readonly FoundFile[],
  { from, to }: Pick<CopyRequest, "from" | "to">,
): Promise<string | undefined> {
  const advice = "Link it with worktree.link, or install it with worktree.setup";
  if (files.length > maxFiles) return `it has more than ${maxFiles} files. ${advice}`;
  const sample = files.find(({ kind, size }) => kind === "file" && size > 0);
  if (sample && (await sharesBlocks(join(from, sample.path), to))) return undefined;
  const bytes = files.reduce((sum, { kind, size }) => (kind === "file" ? sum + size : sum), 0);
  if (bytes > maxBytes) return `it has ${gigabytes(bytes)}. ${advice}`;
  const { bavail, bsize } = await statfs(dirname(to));
  const free = bavail * bsize;
  if (bytes + reservedBytes > free) return `it has ${gigabytes(bytes)}, and the disk has ${gigabytes(free)} left`;
  return undefined;
}

/** True if a copy there uses no space until one of the two files changes. */
async function sharesBlocks(file: string, to: string): Promise<boolean> {
  const probe = join(dirname(to), `.troupe-probe-${basename(to)}`);
  try {
    await copyFile(file, probe, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EXDEV", "EINVAL", "ENOTTY")) return false;
    throw error;
  } finally {
    await rm(probe, { force: true });
  }
}

const maxFiles = 250_000;
const maxBytes = 2 * 1024 ** 3;
/** Stays free on the disk, for logs and for the work itself. */
const reservedBytes = 1024 ** 3;

const gigabytes = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GB`;

interface Copying {
  readonly from: string;
  readonly to: string;
  readonly roots: { readonly from: string; readonly to: string };
  readonly signal?: AbortSignal | undefined;
}

async function copyFiles(files: readonly FoundFile[], { from, to, roots, signal }: Copying): Promise<void> {
  for (const { path } of files.filter(({ kind }) => kind === "folder")) await mkdir(join(to, path));
  const others = files.filter(({ kind }) => kind !== "folder");
  let next = 0;
  const copyNext = async () => {
    for (let file = others[next++]; file; file = others[next++]) {
      signal?.throwIfAborted();
      const target = join(to, file.path);
      if (file.kind === "link") await symlink(await linkTarget(join(from, file.path), roots), target);
      else {
        await copyFile(join(from, file.path), target, constants.COPYFILE_FICLONE);
        // Compiled Python and build tools compare times.
        await utimes(target, file.modified, file.modified);
      }
    }
  };
  await Promise.all(Array.from({ length: parallelCopies }, copyNext));
}

const parallelCopies = 16;

/** An absolute link into the checkout leads to the same file of the worktree. */
async function linkTarget(link: string, roots: Copying["roots"]): Promise<string> {
  const target = await readlink(link);
  if (!isAbsolute(target) || !isInside(target, roots.from)) return target;
  return join(roots.to, relative(roots.from, target));
}

const lockFiles = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "poetry.lock",
  "uv.lock",
  "Pipfile.lock",
  "requirements.txt",
  "composer.lock",
  "Gemfile.lock",
  "Podfile.lock",
];

/** The lock file beside the dependency that has another content in the worktree than in the checkout. */
async function changedLockFile(repository: Repository, worktree: string, path: string): Promise<string | undefined> {
  for (const name of lockFiles) {
    const file = join(dirname(path), name);
    const [installed, present] = await Promise.all([
      contentOf(join(repository.top, file)),
      contentOf(join(worktree, file)),
    ]);
    if (installed !== present) return file;
  }
  return undefined;
}

async function contentOf(path: string): Promise<string | undefined> {
  return ifPresent(() => readFile(path, "latin1"), { action: "read", path });
}
