import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { ifPresent, makeFolder, ProcessIdentity, readJsonFile, writeFileAtomic } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { Repository } from "./repository.ts";

/** An ignored file or folder that the setup made. It counts as work only if it has changed since. */
export const PutFile = z.object({
  path: z.string(),
  kind: z.enum(["link", "copy", "folder"]),
  /** The target of a link, or the hash of a file. */
  mark: z.string().optional(),
});
export type PutFile = z.infer<typeof PutFile>;

/**
 * The record of one worktree, in a separate file, written before each step. `making` and `preparing`: no agent has used
 * it. `landing`: the temporary worktree of a landing.
 */
export const WorktreeEntry = z.object({
  v: z.literal(1),
  name: z.string(),
  state: z.enum(["making", "preparing", "landing", "live", "kept", "removing"]),
  path: z.string(),
  /** Undefined for a landing, which has no branch. */
  branch: z.string().optional(),
  /** The commit it started from. Everything after it is work, even after several resumes. */
  base: z.string(),
  /** The checkout that it was made from, and the branch there. Not in entries of older versions. */
  checkout: z.string().optional(),
  baseBranch: z.string().optional(),
  agentId: z.string(),
  owner: ProcessIdentity,
  createdAt: z.string(),
  put: z.array(PutFile).default([]),
  /** The setup command that ran in it. */
  setup: z.string().optional(),
  portBase: z.number().optional(),
  ports: z.number().default(0),
  disposable: z.array(z.string()).default([]),
  /** Why it was kept when its agent had ended. */
  reasons: z.array(z.string()).default([]),
  /** The tip of its branch that has landed. */
  landed: z.string().optional(),
});
export type WorktreeEntry = z.infer<typeof WorktreeEntry>;

export async function writeEntry(repository: Repository, entry: WorktreeEntry): Promise<void> {
  await makeFolder(entriesFolder(repository));
  await writeFileAtomic(fileOf(repository, entry.name), `${JSON.stringify(entry)}\n`);
}

export const readEntry = (repository: Repository, name: string): Promise<WorktreeEntry | undefined> =>
  readJsonFile(fileOf(repository, name), WorktreeEntry);

export const removeEntry = (repository: Repository, name: string) => rm(fileOf(repository, name), { force: true });

/** An entry that cannot be read is returned as a problem and not ignored: its worktree is left alone. */
export async function listEntries(repository: Repository): Promise<{ entries: WorktreeEntry[]; problems: string[] }> {
  const entries: WorktreeEntry[] = [];
  const problems: string[] = [];
  for (const file of (await names(entriesFolder(repository))).sort()) {
    if (file.startsWith(".") || !file.endsWith(".json")) continue;
    try {
      const entry = await readEntry(repository, file.slice(0, -".json".length));
      if (entry) entries.push(entry);
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      problems.push(error.message);
    }
  }
  return { entries: entries.sort((a, b) => a.createdAt.localeCompare(b.createdAt)), problems };
}

async function names(folder: string): Promise<string[]> {
  return (await ifPresent(() => readdir(folder), { action: "read", path: folder })) ?? [];
}

const entriesFolder = (repository: Repository) => join(repository.stateFolder, "entries");
const fileOf = (repository: Repository, name: string) => join(entriesFolder(repository), `${name}.json`);
