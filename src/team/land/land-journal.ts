import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { makeFolder, ProcessIdentity, readJsonFile, writeFileAtomic } from "../../platform/index.ts";
import type { Repository } from "../worktree/repository.ts";

/**
 * The plan of a landing, written before each step. `begun`: the user sees no change yet. `moving`: the target moves
 * from `before` to `after`. The ref says whether it has moved, and the files follow the ref.
 */
export const LandJournal = z.object({
  v: z.literal(1),
  id: z.string(),
  state: z.enum(["begun", "moving"]),
  /** The full ref name. */
  target: z.string(),
  /** The worktree that has it checked out. */
  top: z.string(),
  before: z.string(),
  after: z.string().optional(),
  /** All requested branches, in order. */
  branches: z.array(z.string()),
  check: z.string().optional(),
  /** The branches that `after` contains, each with its tip. */
  landing: z.array(z.object({ branch: z.string(), tip: z.string() })).default([]),
  owner: ProcessIdentity,
  startedAt: z.string(),
});
export type LandJournal = z.infer<typeof LandJournal>;

export async function writeJournal(repository: Repository, journal: LandJournal): Promise<void> {
  await makeFolder(repository.stateFolder);
  await writeFileAtomic(fileOf(repository), `${JSON.stringify(journal)}\n`);
}

export const readJournal = (repository: Repository) => readJsonFile(fileOf(repository), LandJournal);
export const removeJournal = (repository: Repository) => rm(fileOf(repository), { force: true });

const fileOf = (repository: Repository) => join(repository.stateFolder, "land.json");
