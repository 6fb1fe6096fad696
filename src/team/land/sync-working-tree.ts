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
  /** The two commits between which the files may be. */
  readonly from: string;
  readonly to: string;
  /** When the move began. */
  readonly since: number;
}

/**
 * Brings index and files to `to` after a kill in the middle of their update. The working tree was clean then, so every file
 * that differs between the two commits is as it was, as it will be, missing, or the beginning of what it will be. A file
 * that is anything else has been changed since, by somebody: it stays, and is told.
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
  if (!index.ok) throw new TroupeError("git", `${top} cannot be brought in order: ${gitErrorText(index.stderr)}`);
  for (const path of toRemove) await rm(join(top, path), { force: true });
  for (let at = 0; at < toWrite.length; at += 500) {
    await repository.ask(["checkout-index", "--force", "--quiet", "--", ...toWrite.slice(at, at + 500)], call);
  }
  await repository.git(["update-index", "-q", "--refresh"], call);
  return changed;
}

const submodule = "160000";
const noFile = "000000";

/** The lock of the git that was killed with us; one that somebody holds, or that is older than the move, is not ours. */
async function freeIndex({ gitDir, since }: WorkingTreeSync): Promise<void> {
  const lock = join(gitDir, "index.lock");
  if (!existsSync(lock)) return;
  const isOurs = statSync(lock).mtimeMs >= since && processesWithFileOpen(lock).length === 0;
  if (!isOurs) {
    const message = `${lock} is held by another git, so an interrupted landing cannot be brought in order: wait for it, then try again`;
    throw new TroupeError("git", message);
  }
  await rm(lock);
}

interface Sides {
  readonly fromBlob: string;
  readonly toBlob: string;
}

/** `missing`, or one of the sides, whole or cut short; else it is somebody's work. */
async function stateOf(repository: Repository, path: string, { fromBlob, toBlob }: Sides) {
  const now = await contentAt(path);
  if (now === undefined) return "missing";
  // As git would store it: line ends may differ from what is in the object.
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
    // A folder in its place: what is in it is judged by its own paths.
    return stats.isFile() ? await readFile(path) : undefined;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}
