import { existsSync, lstatSync, statSync } from "node:fs";
import { readFile, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { processesWithFileOpen } from "../worktree/processes-in-folder.ts";
import { gitErrorText, type Repository } from "../worktree/repository.ts";

export interface WorkingTreeSync {
  readonly top: string;
  readonly gitDir: string;
  /** The files are at one of these two commits or in between. */
  readonly from: string;
  readonly to: string;
  /** When the move began. */
  readonly since: number;
}

/**
 * Updates index and files to `to` after a kill during their update. Touches only files that differ between the commits.
 * Those had no uncommitted change then, so each has the old or new content, is missing, or has only the start of the new
 * content. Any other content is a later change by the user: it stays and is returned.
 */
export async function syncWorkingTree(repository: Repository, sync: WorkingTreeSync): Promise<string[]> {
  const { top, from, to } = sync;
  await freeIndex(sync);
  const call = { cwd: top };
  const listed = await repository.ask(
    ["diff", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", from, to],
    call,
  );
  const fields = listed.split("\0").filter(Boolean);
  const changed: string[] = [];
  const toWrite: string[] = [];
  const toRemove: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [fromMode = "", toMode = "", fromBlob = "", toBlob = ""] = (fields[at] ?? "").slice(1).split(" ");
    const path = fields[at + 1] ?? "";
    if (fromMode === submodule || toMode === submodule) continue;
    const state = await stateOf(repository, join(top, path), { fromBlob, toBlob });
    if (state === "changed") changed.push(path);
    else if (toMode !== noFile) toWrite.push(path);
    else if (state === "known") toRemove.push(path);
  }
  const index = await repository.git(["read-tree", "-i", "-m", from, to], call);
  if (!index.ok) throw new TroupeError("git", `cannot recover ${top}: ${gitErrorText(index.stderr)}`);
  for (const path of toRemove) await rm(join(top, path), { force: true });
  for (let at = 0; at < toWrite.length; at += 500) {
    await repository.ask(["checkout-index", "--force", "--quiet", "--", ...toWrite.slice(at, at + 500)], call);
  }
  await repository.git(["update-index", "-q", "--refresh"], call);
  return changed;
}

const submodule = "160000";
const noFile = "000000";

/**
 * Removes the lock of the git that was killed with the landing. A lock that a process holds, or that is older than the
 * move, is not removed.
 */
async function freeIndex({ gitDir, since }: WorkingTreeSync): Promise<void> {
  const lock = join(gitDir, "index.lock");
  if (!existsSync(lock)) return;
  const isOurs = statSync(lock).mtimeMs >= since && processesWithFileOpen(lock).length === 0;
  if (!isOurs) {
    const message = `cannot recover the interrupted landing: another git holds ${lock}. Wait until it ends, then try again.`;
    throw new TroupeError("git", message);
  }
  await rm(lock);
}

interface Sides {
  readonly fromBlob: string;
  readonly toBlob: string;
}

/** `known`: the content of one side, complete or truncated. `changed`: the user's work. */
async function stateOf(repository: Repository, path: string, { fromBlob, toBlob }: Sides) {
  const now = await contentAt(path);
  if (now === undefined) return "missing";
  // Compare as git stores it: line endings may differ from the object.
  const hash = await repository.git(["hash-object", "--", path]);
  if (!lstatSync(path).isSymbolicLink() && [fromBlob, toBlob].includes(hash.stdout.trim())) return "known";
  for (const id of [fromBlob, toBlob]) {
    if (/^0+$/.test(id)) continue;
    const stored = await repository.git(["cat-file", "blob", id]);
    if (!stored.ok) throw new TroupeError("git", `an object of ${repository.commonDir} is missing: ${id}`);
    if (now.equals(stored.bytes.subarray(0, now.length))) return "known";
  }
  return "changed";
}

async function contentAt(path: string): Promise<Buffer | undefined> {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return Buffer.from(await readlink(path));
    // A folder in its place: the paths inside are checked on their own.
    return stats.isFile() ? await readFile(path) : undefined;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}
