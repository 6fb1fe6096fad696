import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clock,
  type CreateId,
  hasErrorCode,
  ifPresent,
  makeFolder,
  safeName,
  storageError,
  writeFileAtomic,
} from "../../platform/index.ts";
import { type Team, teamLead, TroupeError } from "../../protocol/index.ts";
import { assertNoActiveMembers } from "../team/assert-no-active-members.ts";
import { skeletonOf } from "../team/record/confusable-names.ts";
import { checkName, uniqueName } from "../team/record/team-names.ts";
import { newTeamSnapshot } from "../team/record/journal-team-record.ts";
import type { NewTeam, StoredTeam, TeamStore, TeamSummary } from "../team/team-store.ts";
import { unknownTeamError } from "../team/team-errors.ts";
import { checkedName, openClaudeTeam } from "./claude-team.ts";
import { leadProcess, newConfig, parseConfig } from "./config-file.ts";
import type { OwnTeam } from "./config-journal.ts";
import { createSharedJson } from "./shared-json.ts";
import type { PresenceTimes } from "../team/presence/presence-times.ts";

export interface ClaudeTeamStoreOptions extends PresenceTimes {
  /** Claude Code's folder: `CLAUDE_CONFIG_DIR`, or `~/.claude`. */
  readonly claudeFolder: string;
  /** Troupe's checked state folder. */
  readonly home: string;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** How long a write waits for the holder of the file's lock. */
  readonly waitMs?: number;
  /** A lock that is not renewed for this long belongs to a dead process. */
  readonly staleMs?: number;
}

/** Teams in the files of Claude Code: teams it made, and teams that Troupe makes for it. */
export function createClaudeTeamStore(options: ClaudeTeamStoreOptions): TeamStore {
  const { claudeFolder, home, clock, createId, waitMs = 30_000, staleMs = 10_000 } = options;
  const folder = join(claudeFolder, "teams");
  const ownFolder = join(home, "claude-teams");
  const json = createSharedJson({ clock, waitMs, staleMs, onDamage: () => undefined });
  const folderOf = (name: string) => join(folder, name);

  const create = async (wanted: NewTeam): Promise<StoredTeam> => {
    const asked = checkName(wanted.name, "team");
    await makeFolder(folder);
    const temporary = join(folder, `.new-${createId<string>("team")}`);
    try {
      for (;;) {
        const taken = new Set((await foldersIn(folder)).map(skeletonOf));
        const name = uniqueName(asked, (skeleton) => taken.has(skeleton));
        const own = await makeTeam(temporary, { ...wanted, name });
        if (await publish(temporary, folderOf(name))) return openFiles(name, own);
      }
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  };

  const makeTeam = async (temporary: string, wanted: NewTeam): Promise<string> => {
    const { team } = newTeamSnapshot(wanted, clock) as { team: Team };
    const config = newConfig(team);
    const own = ownOf(wanted.name, config.createdAt);
    await makeFolder(own);
    await writeFileAtomic(join(own, "own.json"), JSON.stringify({ isMade: true, team } satisfies OwnTeam));
    const led = wanted.leadSessionId === undefined ? config : { ...config, leadProcess: leadProcess(clock.now()) };
    try {
      await rm(temporary, { recursive: true, force: true });
      await mkdir(join(temporary, "inboxes"), { recursive: true, mode: 0o700 });
      await writeFile(join(temporary, "config.json"), JSON.stringify(led, undefined, 2), { mode: 0o600 });
    } catch (error) {
      throw storageError("create the team", temporary, error);
    }
    return own;
  };

  /** Unique to this team: a later team of the same name gets another folder. */
  const ownOf = (name: string, createdAt: number): string => {
    const where = createHash("sha256").update(claudeFolder).digest("hex").slice(0, 8);
    return join(ownFolder, `${safeName(name)}-${where}-${createdAt}`);
  };

  const open = async (name: string): Promise<StoredTeam> => {
    const config = (await foldersIn(folder)).includes(name) ? await configOf(name) : undefined;
    if (config === undefined) throw unknownTeamError(name, await list());
    const own = ownOf(name, config.createdAt);
    await makeFolder(own);
    return openFiles(name, own);
  };

  const configOf = async (name: string) => {
    const path = join(folderOf(checkedName(name)), "config.json");
    const reading = await json.read(path);
    if ("damaged" in reading) throw storageError("read", path, new Error("it is not JSON; repair it or move it away"));
    return reading.value === undefined ? undefined : parseConfig(reading.value, path);
  };

  const openFiles = (name: string, own: string): StoredTeam => {
    const tasks = join(claudeFolder, "tasks", checkedName(name));
    return openClaudeTeam({ ...options, name, folder: folderOf(name), tasks, own, waitMs, staleMs });
  };

  const list = async (): Promise<TeamSummary[]> => {
    const summaries = await Promise.all((await foldersIn(folder)).map(summarize));
    return summaries.filter((summary) => summary !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
  };

  const summarize = async (name: string): Promise<TeamSummary | undefined> => {
    try {
      const config = await configOf(name);
      if (config === undefined) return undefined;
      const stored = openFiles(name, ownOf(name, config.createdAt));
      try {
        return { name, team: await stored.record.read() };
      } finally {
        await stored.close();
      }
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      return { name, problem: error.message };
    }
  };

  const remove: TeamStore["delete"] = async (name, { force = false, except = [] } = {}) => {
    const config = (await foldersIn(folder)).includes(name) ? await configOf(name) : undefined;
    if (config === undefined) throw unknownTeamError(name, await list());
    const own = ownOf(name, config.createdAt);
    const stored = openFiles(name, own);
    try {
      await assertMayDelete(stored, { force, except });
    } finally {
      await stored.close();
    }
    const gone = join(folder, `.gone-${createId<string>("team")}`);
    try {
      await rename(folderOf(name), gone);
      await rm(gone, { recursive: true, force: true });
      await rm(join(claudeFolder, "tasks", name), { recursive: true, force: true });
      await rm(own, { recursive: true, force: true });
    } catch (error) {
      throw storageError("delete", folderOf(name), error);
    }
  };

  return { create, open, list, delete: remove };
}

async function assertMayDelete(
  stored: StoredTeam,
  { force, except }: { force: boolean; except: readonly string[] },
): Promise<void> {
  if (stored.reportsIdle?.(teamLead))
    throw new TroupeError("team", `cannot delete team ${stored.name}: Claude Code made it and removes it itself.`);
  if (force) return;
  const processText = (pid: number) => (pid === 0 ? "run by another program" : `process ${pid}`);
  await assertNoActiveMembers(stored, except, processText);
}

/** Never replaces a folder that has content. */
async function publish(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOTEMPTY", "EEXIST", "ENOTDIR")) return false;
    throw storageError("create the team", to, error);
  }
}

async function foldersIn(folder: string): Promise<string[]> {
  return (
    (await ifPresent(() => readdir(folder, { withFileTypes: true }), { action: "read the folder", path: folder })) ?? []
  ).flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith(".") ? [entry.name] : []));
}
