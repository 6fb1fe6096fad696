import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { makeFolder, ProcessIdentity, readJsonFile, writeFileAtomic } from "../../platform/index.ts";
import type { Repository } from "../worktree/repository.ts";

/**
 * What a landing is about to do, written before it does it. `begun`: nothing the user sees has changed. `moving`: the target
 * is being set from `before` to `after`; whether that has happened is the ref's to say, and the files follow the ref.
 */
export const LandJournal = z.object({
  v: z.literal(1),
  id: z.string(),
  state: z.enum(["begun", "moving"]),
  /** The whole name of the ref. */
  target: z.string(),
  /** The working tree that has it checked out. */
  top: z.string(),
  before: z.string(),
  after: z.string().optional(),
  /** Everything that was asked for, in order. */
  branches: z.array(z.string()),
  check: z.string().optional(),
  /** What `after` has of them, each with the tip it had. */
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
