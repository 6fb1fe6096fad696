import { join } from "node:path";
import * as z from "zod";
import {
  currentProcess,
  isAlive,
  makeFolder,
  ProcessIdentity,
  readJsonFile,
  writeFileAtomic,
} from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import type { RepositoryContext } from "./repository.ts";

const PortBlocks = z.object({
  blocks: z.array(z.object({ base: z.number(), count: z.number(), path: z.string(), owner: ProcessIdentity })),
});
type PortBlocks = z.infer<typeof PortBlocks>;

/** Below the range that systems use for client ports. */
const firstPort = 20_000;
const lastPort = 32_700;

/**
 * Reserves ports that no other live worktree of this user has, in any repository. A block is free again when its
 * process ends.
 */
export async function reservePorts(
  place: RepositoryContext,
  { path, count }: { path: string; count: number },
): Promise<number> {
  return change(place, (blocks) => {
    const own = blocks.find((block) => block.path === path);
    if (own) return { blocks, result: own.base };
    const taken = [...blocks].sort((a, b) => a.base - b.base);
    let base = firstPort;
    for (const block of taken) if (base + count > block.base) base = Math.max(base, block.base + block.count);
    if (base + count > lastPort) {
      throw new TroupeError(
        "git",
        `cannot reserve ${count} ports for ${path}: ${blocks.length} live worktrees have them all`,
      );
    }
    return { blocks: [...blocks, { base, count, path, owner: currentProcess() }], result: base };
  });
}

export const releasePorts = (place: RepositoryContext, path: string): Promise<void> =>
  change(place, (blocks) => ({ blocks: blocks.filter((block) => block.path !== path), result: undefined }));

async function change<T>(
  place: RepositoryContext,
  edit: (blocks: PortBlocks["blocks"]) => { blocks: PortBlocks["blocks"]; result: T },
): Promise<T> {
  const folder = await makeFolder(join(place.home, "worktrees", "ports"));
  return withRepositoryLock(place, { folder, what: "The list of ports" }, async () => {
    const file = join(folder, "blocks.json");
    const { blocks } = (await readJsonFile(file, PortBlocks)) ?? { blocks: [] };
    const here = currentProcess();
    const live = blocks.filter((block) => isAlive(block.owner, here) !== "dead");
    const edited = edit(live);
    await writeFileAtomic(file, `${JSON.stringify({ blocks: edited.blocks })}\n`);
    return edited.result;
  });
}
