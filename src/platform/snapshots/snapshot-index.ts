import { copyFile, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ifPresent } from "../files/if-present.ts";
import { makeFolder } from "../files/make-folder.ts";
import { hasErrorCode } from "../files/storage-error.ts";

interface IndexOptions {
  readonly store: string;
  readonly indexFile: () => Promise<string>;
}

/** The index of one process and the tree that it stands for. A new one starts as a copy of the last shared one. */
export function openSnapshotIndex({ store, indexFile: place }: IndexOptions) {
  let indexFile = "";
  let treeFile = "";
  const shared = join(store, "shared-index");
  let prepared: Promise<void> | undefined;
  const start = async () => {
    indexFile = await place();
    treeFile = `${indexFile}.tree`;
    await startIndex({ indexFile, treeFile, shared });
  };

  return {
    prepare: () => (prepared ??= start()),
    /** Undefined if the index may be ahead of the last tree. */
    async tree(): Promise<string | undefined> {
      const text = await ifPresent(() => readFile(treeFile, "utf8"), { action: "read", path: treeFile });
      return text !== undefined && /^[0-9a-f]{40,64}$/.test(text) ? text : undefined;
    },
    forgetTree: () => rm(treeFile, { force: true }),
    setTree: (tree: string) => writeFile(treeFile, tree, { mode: 0o600 }),
    /** Moves the index to the place where the next process finds it. */
    async share(): Promise<void> {
      if (!prepared) return;
      await prepared;
      prepared = undefined;
      // The tree moves last: an index without a tree is checked in full.
      await rm(`${shared}.tree`, { force: true });
      await moveIfThere(indexFile, shared);
      await moveIfThere(treeFile, `${shared}.tree`);
    },
  };
}

async function startIndex(files: { indexFile: string; treeFile: string; shared: string }): Promise<void> {
  const { indexFile, treeFile, shared } = files;
  await makeFolder(dirname(indexFile));
  await rm(`${indexFile}.lock`, { force: true });
  if (await stat(indexFile).catch(() => undefined)) return;
  const tree = await readFile(`${shared}.tree`, "utf8").catch(() => undefined);
  try {
    const { mtimeMs } = await stat(shared);
    await copyFile(shared, `${indexFile}.copy`);
    // Git compares the times of files with the time of the index. A time that is too early only costs a comparison.
    const time = Math.floor(mtimeMs / 1000) - 1;
    await utimes(`${indexFile}.copy`, time, time);
    const isStill = tree !== undefined && tree === (await readFile(`${shared}.tree`, "utf8").catch(() => undefined));
    if (isStill) await writeFile(treeFile, tree, { mode: 0o600 });
    await rename(`${indexFile}.copy`, indexFile);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}

async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}
