import { createSerialQueue } from "../serial-queue.ts";
import { applyTree } from "./apply-tree.ts";
import { openSnapshotIndex } from "./snapshot-index.ts";
import { filesInTheWay } from "./files-in-the-way.ts";
import { toText } from "./byte-path.ts";
import { findChanges } from "./find-changes.ts";
import { createSnapshotGit, type SnapshotGitOptions, type TreeChange } from "./snapshot-git.ts";
import { writeSnapshot } from "./write-snapshot.ts";

export interface SnapshotLimits {
  /** A larger file is not kept. */
  readonly maxFileBytes: number;
  /** An ignored file that is larger is not kept. 0: no ignored files. */
  readonly maxIgnoredBytes: number;
  /** A folder with more files has no snapshots. */
  readonly maxFiles: number;
}

export interface SnapshotOptions extends SnapshotGitOptions {
  readonly limits: SnapshotLimits;
}

export interface DiffOptions {
  readonly stat?: boolean | undefined;
  readonly paths?: readonly string[] | undefined;
}

/** The result of a restore. Both are ids of trees. */
export interface RestoredFiles {
  readonly before: string;
  readonly after: string;
  readonly changed: number;
}

/**
 * States of one folder as trees of git objects. They are in a store outside the folder, so the user's repository,
 * branches and index stay as they are. The same files give the same id.
 */
export interface Snapshots {
  readonly folder: string;
  /** Keeps the current files, tracked or not, and returns the id of their tree. Rejects with `checkpoint`. */
  take(signal?: AbortSignal): Promise<string>;
  /**
   * Makes the files equal to a tree. First it keeps the current files, also those over the limits that would be
   * overwritten. Other files that no snapshot has stay.
   */
  restore(tree: string, kept: (before: string) => Promise<void>): Promise<RestoredFiles>;
  changes(from: string, to: string): Promise<TreeChange[]>;
  /** The differences as a patch, or as a table with `stat`. Only for these paths, if given. */
  diff(from: string, to: string, how?: DiffOptions): Promise<string>;
  /** Shares the index with the next process. */
  close(): Promise<void>;
}

export function openSnapshots(options: SnapshotOptions): Snapshots {
  const { folder, limits } = options;
  const git = createSnapshotGit(options);
  const index = openSnapshotIndex(options);
  const turns = createSerialQueue();

  const take = async (forced: readonly string[], signal?: AbortSignal): Promise<string> => {
    await git.prepare();
    await index.prepare();
    const known = await index.tree();
    const changes = await findChanges({ git, folder, limits, forced, signal });
    const isSame = changes.kept.length === 0 && changes.removed.length === 0;
    if (known !== undefined && isSame) return known;
    await index.forgetTree();
    const tree = await writeSnapshot({ git, changes, known, signal });
    await index.setTree(tree);
    return tree;
  };

  return {
    folder,
    take: (signal) => turns.run(() => take([], signal)),
    restore: (tree, kept) =>
      turns.run(async () => {
        let before = await take([]);
        const inTheWay = await filesInTheWay(await git.changes(before, tree), folder);
        if (inTheWay.length > 0) before = await take(inTheWay);
        await kept(before);
        const changes = await git.changes(before, tree);
        await applyTree({ git, folder, indexFile: `${await options.indexFile()}.restore`, tree, changes });
        return { before, after: await take([]), changed: changes.length };
      }),
    changes: git.changes,
    diff: async (from, to, { stat = false, paths } = {}) => {
      if (paths?.length === 0) return "";
      const form = stat ? ["--stat=100"] : ["--patch"];
      const only = paths === undefined ? [] : ["--", ...paths.map(toText)];
      const args = ["--literal-pathspecs", "diff", "--no-ext-diff", "--no-textconv", "--no-renames", ...form];
      return (await git.must([...args, from, to, ...only])).stdout;
    },
    close: () => turns.run(index.share),
  };
}
