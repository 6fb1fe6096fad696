import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { claimHolder, hasErrorCode, ifPresent, missingOrFile, type ProcessIdentity } from "../platform/index.ts";
import { SessionId, TroupeError } from "../protocol/index.ts";
import { hasBegun } from "./open-session-files.ts";
import { projectsFolder, type SessionFiles, sessionFiles } from "./session-files.ts";
import type { SessionSummary } from "./session-store.ts";
import { summarizeSession } from "./summarize-session.ts";

/** The sessions of a home for repeated listing: unchanged files are not read again. */
export interface SessionCatalog {
  /** Newest first. */
  list(): Promise<CatalogEntry[]>;
  /** Undefined if there is no such session. */
  filesOf(sessionId: SessionId): Promise<SessionFiles | undefined>;
  /** The folder of all sessions, and its project folders as of the last `list`. Watch these for changes. */
  readonly folder: string;
  projectFolders(): readonly string[];
}

export interface CatalogEntry extends SessionSummary {
  /** The process that claimed it and has not released it, dead or alive. */
  readonly holder?: ProcessIdentity;
}

export function createSessionCatalog({ home }: { readonly home: string }): SessionCatalog {
  const folder = projectsFolder(home);
  const known = new Map<string, Remembered<SessionSummary>>();
  const holders = new Map<string, Remembered<Pick<CatalogEntry, "holder" | "problem">>>();
  let projects: readonly string[] = [];

  const list = async (): Promise<CatalogEntry[]> => {
    projects = await namesIn(folder);
    const entries = (await Promise.all(projects.map(listProject))).flat();
    forget(known, new Set(entries.map(({ file }) => file)));
    forget(holders, new Set(entries.map((entry) => ownerOf(entry))));
    return entries.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt) || b.sessionId.localeCompare(a.sessionId));
  };

  const listProject = async (project: string): Promise<CatalogEntry[]> => {
    const entries: CatalogEntry[] = [];
    for (const name of await namesIn(join(folder, project))) {
      const sessionId = SessionId.safeParse(name.replace(/\.jsonl$/, ""));
      if (!name.endsWith(".jsonl") || !sessionId.success) continue;
      const file = join(folder, project, name);
      const summary = remember(known, file, () => summarizeSession({ sessionId: sessionId.data, project, file }));
      if (summary === undefined) continue;
      const claimed = remember(holders, ownerOf(summary), () => holderOf(ownerOf(summary)));
      entries.push({ ...claimed, ...summary });
    }
    return entries;
  };

  const ownerOf = ({ project, sessionId }: SessionSummary) => sessionFiles(home, project, sessionId).owner;

  const filesOf = async (sessionId: SessionId) =>
    (await namesIn(folder)).map((project) => sessionFiles(home, project, sessionId)).find(({ log }) => hasBegun(log));

  return { list, filesOf, folder, projectFolders: () => projects.map((project) => join(folder, project)) };
}

/** If the claim cannot be read, the entry says why, as opening the session would. */
function holderOf(owner: string): Pick<CatalogEntry, "holder" | "problem"> {
  try {
    const holder = claimHolder(owner);
    return holder === undefined ? {} : { holder };
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return { problem: error.message };
  }
}

interface Remembered<T> {
  readonly mark: string;
  readonly value: T;
}

function remember<T>(kept: Map<string, Remembered<T>>, path: string, read: () => T): T | undefined {
  const mark = markOf(path);
  if (mark === undefined) return undefined;
  const before = kept.get(path);
  if (before?.mark === mark) return before.value;
  const value = read();
  kept.set(path, { mark, value });
  return value;
}

/** Changes when the file changes. Synchronous on purpose: a thousand files take a few milliseconds this way. */
function markOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
  } catch (error) {
    // Reading the file explains the problem.
    return hasErrorCode(error, "ENOTDIR") ? undefined : "unreadable";
  }
}

function forget(kept: Map<string, unknown>, there: ReadonlySet<string>): void {
  for (const path of kept.keys()) if (!there.has(path)) kept.delete(path);
}

/** A missing folder counts as empty. */
async function namesIn(folder: string): Promise<string[]> {
  return (
    (await ifPresent(() => readdir(folder), { action: "read the folder", path: folder, missing: missingOrFile })) ?? []
  ).sort();
}
