import type { Stats } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clock,
  closeAll,
  type CreateId,
  createFolderWatcher,
  currentProcess,
  hasErrorCode,
  ifPresent,
  makeFolder,
  missingOrFile,
  storageError,
  syncFolder,
} from "../../platform/index.ts";
import { teamLead, teamUser, TroupeError } from "../../protocol/index.ts";
import { assertNoActiveMembers } from "./assert-no-active-members.ts";
import { createJournalFile } from "./journal/compact-journal.ts";
import { skeletonOf } from "./record/confusable-names.ts";
import { openMailFiles } from "./inbox/mail-files.ts";
import { memberKey } from "./record/member-key.ts";
import { checkName, uniqueName } from "./record/team-names.ts";
import { createPresence } from "./presence/file-presence.ts";
import { openTaskList, taskFold } from "./tasks/journal-task-list.ts";
import { filesIn, type TeamFiles, teamFiles, teamsFolder } from "./team-files.ts";
import { createTeamRecord, openTeamRecord } from "./record/journal-team-record.ts";
import type { NewTeam, StoredTeam, TeamStore, TeamSummary } from "./team-store.ts";
import { unknownTeamError } from "./team-errors.ts";
import type { PresenceTimes } from "./presence/presence-times.ts";

export interface FileTeamStoreOptions extends PresenceTimes {
  /** The checked state folder. */
  readonly home: string;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** The record and the task list are compacted above this size. */
  readonly limitBytes?: number;
  readonly durability?: "disk" | "process";
  /** Called with problems of the files, for people: for example data that the disk did not keep. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

export function createFileTeamStore(options: FileTeamStoreOptions): TeamStore {
  const { home, clock, createId } = options;
  const folder = teamsFolder(home);
  const owner = currentProcess();

  const create = async (wanted: NewTeam): Promise<StoredTeam> => {
    const asked = checkName(wanted.name, "team");
    await makeFolder(folder);
    await sweep(folder, clock);
    const temporary = filesIn(join(folder, `.new-${createId<string>("team")}`));
    try {
      for (;;) {
        const taken = new Set((await list()).map(({ name }) => skeletonOf(name)));
        const name = uniqueName(asked, (skeleton) => taken.has(skeleton));
        await makeTeam(temporary, { ...wanted, name });
        if (await publish(temporary.folder, teamFiles(home, name).folder))
          return openFiles(name, teamFiles(home, name));
      }
    } finally {
      await rm(temporary.folder, { recursive: true, force: true });
    }
  };

  const makeTeam = async (files: TeamFiles, team: NewTeam) => {
    await rm(files.folder, { recursive: true, force: true });
    await createTeamRecord({ path: files.record, clock, createId }, team);
    const { version } = taskFold;
    await createJournalFile(files.tasks, { version, snapshot: taskFold.snapshot(taskFold.empty()), createId });
    for (const name of [teamLead, teamUser]) await memberKey(name, { folder: files.keys });
  };

  const open = async (name: string): Promise<StoredTeam> => {
    const files = teamFiles(home, name);
    if (!(await isThere(files.record))) throw unknownTeamError(name, await list());
    return openFiles(name, files);
  };

  const openFiles = (name: string, files: TeamFiles): StoredTeam => {
    const watcher = createFolderWatcher();
    const journal = { ...options, watcher, isRequired: true };
    const record = openTeamRecord({
      ...journal,
      path: files.record,
      keys: { folder: files.keys, onReplaced: options.onNotice },
    });
    const tasks = openTaskList({ ...journal, path: files.tasks });
    const presence = createPresence({ ...options, owner, folder: files.presence });
    const mail = openMailFiles({ team: name, files, watcher, clock, createId, onNotice: options.onNotice });
    const close = () => closeAll([record.close, tasks.close, presence.close, mail.close, watcher.close]);
    return { name, record, tasks, presence, inbox: mail.inbox, bodies: mail.bodies, close };
  };

  const list = async (): Promise<TeamSummary[]> => {
    const summaries = await Promise.all((await foldersIn(folder)).map(summarize));
    return summaries.filter((summary) => summary !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
  };

  const summarize = async (name: string): Promise<TeamSummary | undefined> => {
    const files = filesIn(join(folder, name));
    if (!(await isThere(files.record))) return undefined;
    const stored = openFiles(name, files);
    try {
      const team = await stored.record.read();
      return { name: team.name, team };
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      return (await isThere(files.record)) ? { name, problem: error.message } : undefined;
    } finally {
      await stored.close();
    }
  };

  const remove: TeamStore["delete"] = async (name, { force = false, except = [] } = {}) => {
    const files = teamFiles(home, name);
    if (!(await isThere(files.folder))) throw unknownTeamError(name, await list());
    if (!force) await assertQuiet(name, files, except);
    const gone = join(folder, `.gone-${createId<string>("team")}`);
    try {
      await rename(files.folder, gone);
      await syncFolder(folder);
      await rm(gone, { recursive: true, force: true });
    } catch (error) {
      throw storageError("delete", files.folder, error);
    }
  };

  const assertQuiet = async (name: string, files: TeamFiles, except: readonly string[]) => {
    const stored = openFiles(name, files);
    try {
      await assertNoActiveMembers(stored, except);
    } finally {
      await stored.close();
    }
  };

  return { create, open, list, delete: remove };
}

/** Never replaces a folder that has content. */
async function publish(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    await syncFolder(join(to, ".."));
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOTEMPTY", "EEXIST", "ENOTDIR")) return false;
    throw storageError("create the team", to, error);
  }
}

/** Removes the remains of interrupted creations and deletions. */
async function sweep(folder: string, clock: Clock): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (!name.startsWith(".gone-") && !name.startsWith(".new-")) continue;
    const path = join(folder, name);
    const isOld = async () => clock.now() - ((await lookAt(path))?.mtimeMs ?? 0) > dayMs;
    if (name.startsWith(".gone-") || (await isOld())) await rm(path, { recursive: true, force: true });
  }
}

const dayMs = 86_400_000;

async function foldersIn(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => !name.startsWith("."));
}

async function namesIn(folder: string): Promise<string[]> {
  return (await ifPresent(() => readdir(folder), { action: "read the folder", path: folder })) ?? [];
}

const isThere = async (path: string): Promise<boolean> => (await lookAt(path)) !== undefined;

function lookAt(path: string): Promise<Stats | undefined> {
  return ifPresent(() => stat(path), { action: "inspect", path, missing: missingOrFile });
}
