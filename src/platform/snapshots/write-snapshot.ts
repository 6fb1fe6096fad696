import { splitNul, quotePath } from "./byte-path.ts";
import type { FileChanges } from "./find-changes.ts";
import { emptyTree, type SnapshotGit } from "./snapshot-git.ts";

interface WriteOptions {
  readonly git: SnapshotGit;
  readonly changes: FileChanges;
  /** The tree of the index before the changes. Undefined: unknown, so the whole index is written. */
  readonly known: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Puts changed files into the index and the store, and returns the tree of the whole index. */
export async function writeSnapshot({ git, changes, known, signal }: WriteOptions): Promise<string> {
  const { kept, removed } = changes;
  const more = signal ? { signal } : {};
  const isLarge = known === undefined || kept.length > fewFiles;
  if (removed.length > 0)
    await git.must(["update-index", "--force-remove", "-z", "--stdin"], { ...more, stdin: joinNul(removed) });
  if (kept.length > 0) {
    // A separate file for each object is slow for many files. Above this size git writes all of them to one pack.
    const settings = isLarge && (await git.hasBulkUpdate()) ? { "core.bigFileThreshold": "1" } : {};
    await git.must(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], {
      ...more,
      settings,
      stdin: joinNul(kept),
    });
  }
  if (!isLarge) return (await git.must(["write-tree"], more)).stdout.trim();
  return importTree({ git, changes, known, signal });
}

/** Up to this number of changed files, single objects are as fast as a pack, and need no repacking. */
const fewFiles = 16;

/** Writes all changed folders to one pack, from the tree before. */
async function importTree({ git, changes, known, signal }: WriteOptions): Promise<string> {
  const more = signal ? { signal } : {};
  const staged = splitNul((await git.must(["ls-files", "--stage", "-z"], more)).bytes);
  const wanted = known === undefined ? undefined : new Set(changes.kept);
  const lines = ["commit refs/troupe/snapshot", "committer troupe <troupe> 0 +0000", "data 0"];
  if (known !== undefined && known !== emptyTree) lines.push(`M 040000 ${known} ""`);
  for (const path of known === undefined ? [] : changes.removed) lines.push(`D ${quotePath(path)}`);
  const found = new Set<string>();
  for (const entry of staged) {
    const [, mode = "", object = "", path = ""] = /^(\d+) ([0-9a-f]+) \d\t([\s\S]*)$/.exec(entry) ?? [];
    if (wanted && !wanted.has(path)) continue;
    found.add(path);
    lines.push(`M ${mode} ${object} ${quotePath(path)}`);
  }
  // A file may be gone since it was listed.
  for (const path of wanted ?? []) if (!found.has(path)) lines.push(`D ${quotePath(path)}`);
  lines.push('ls ""', "");
  const { stdout } = await git.must(["fast-import", "--quiet", "--force", "--date-format=raw"], {
    ...more,
    settings: { "fastimport.unpackLimit": "0" },
    stdin: Buffer.from(lines.join("\n"), "latin1"),
  });
  return /^040000 tree ([0-9a-f]+)/.exec(stdout)?.[1] ?? emptyTree;
}

const joinNul = (paths: readonly string[]) => Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
