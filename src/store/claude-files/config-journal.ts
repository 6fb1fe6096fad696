import { readFileSync } from "node:fs";
import * as z from "zod";
import {
  type Clock,
  type FolderWatcher,
  ifPresentSync,
  missingOrFile,
  readJsonFile,
  storageError,
  writeFileAtomic,
} from "../../platform/index.ts";
import { type Member, Team, teamLead, teamUser, TroupeError } from "../../protocol/index.ts";
import { createChangeFeed } from "../team/journal/change-feed.ts";
import type { Journal } from "../team/journal/journal.ts";
import { skeletonOf } from "../team/record/confusable-names.ts";
import type { TeamEntry } from "../team/record/team-entry.ts";
import { type RefusedTeam, teamFold, type TeamState } from "../team/record/team-fold.ts";
import {
  type ConfigFile,
  type ConfigMember,
  fromConfigMember,
  leadProcess,
  parseConfig,
  toConfigMember,
} from "./config-file.ts";
import { leadSessionOf } from "./lead-session.ts";
import type { SharedJson } from "./shared-json.ts";

/** Troupe's own data about a team that their config cannot hold. */
const OwnTeam = z.object({
  /** Troupe made the team and leads it. */
  isMade: z.boolean(),
  team: Team,
});
export type OwnTeam = z.infer<typeof OwnTeam>;

export interface ConfigJournalOptions {
  readonly config: string;
  /** `own.json` in our folder of the team. */
  readonly own: string;
  readonly json: SharedJson;
  readonly clock: Clock;
  readonly watcher: FolderWatcher;
}

/** The team record over their `config.json`. That file decides which members there are; the rest is ours. */
export interface ConfigJournal extends Journal<TeamState, TeamEntry, Team, RefusedTeam> {
  /** True if a process of Troupe acts for this member. */
  isOurs(name: string): boolean;
  readonly isMade: () => boolean;
  config(): ConfigFile;
}

export function openConfigJournal(options: ConfigJournalOptions): ConfigJournal {
  const { config: path, own: ownPath, json, clock, watcher } = options;
  let told = "";

  const ownNow = (): OwnTeam | undefined => {
    const text = textOf(ownPath);
    return text === undefined ? undefined : OwnTeam.parse(JSON.parse(text));
  };

  /** The last complete config: a file that is being written without a lock may be incomplete for a moment. */
  let lastConfig: ConfigFile | undefined;
  const configNow = (): ConfigFile => {
    const text = textOf(path);
    if (text === undefined) throw teamGoneError(path);
    try {
      lastConfig = parseConfig(JSON.parse(text), path);
    } catch (error) {
      if (lastConfig === undefined) throw TroupeError.is(error) ? error : storageError("read", path, error);
    }
    return lastConfig;
  };

  const read = (): TeamState => merged(configNow(), ownNow());

  const fresh = async (): Promise<TeamState> => {
    const reading = await json.read(path);
    if ("damaged" in reading) throw storageError("read", path, new Error("it is not JSON; repair it or move it away"));
    if (reading.value === undefined) throw teamGoneError(path);
    return merged(parseConfig(reading.value, path), await readOwn());
  };

  const readOwn = () => readJsonFile(ownPath, OwnTeam);

  const write = async (entry: TeamEntry) => {
    if (entry.do === "reserve") throw noReservations();
    if (textOf(path) === undefined) throw teamGoneError(path);
    const written = await json.locked(path, async (files) => {
      // Never quarantined: this file is the team, and its lead may repair it.
      const raw = await wholeConfig();
      const config = parseConfig(raw, path);
      const own = await readOwn();
      const state = merged(config, own);
      const refusal = teamFold.refusalOf(state, entry);
      if (refusal !== undefined) return { ok: false as const, refusal };
      const before = state.team;
      const change = teamFold.apply(state, entry);
      assertOurs(entry, own);
      const next = configAfter(raw as RawConfig, { before, team: change, own, now: clock.now() });
      await writeFileAtomic(ownPath, JSON.stringify({ isMade: own?.isMade ?? false, team: change } satisfies OwnTeam));
      if (JSON.stringify(next) !== JSON.stringify(raw)) await files.write(path, next);
      return { ok: true as const, change };
    });
    refresh();
    return written;
  };

  const wholeConfig = async (): Promise<unknown> => {
    const reading = await json.read(path);
    if ("value" in reading) return reading.value;
    throw storageError("read", path, new Error("it is not JSON; repair it or move it away"));
  };

  const refresh = () => {
    let team: Team | undefined;
    try {
      ({ team } = read());
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      return feed.fail(error);
    }
    const now = JSON.stringify(team);
    if (team === undefined || now === told) return;
    const isFirst = told === "";
    told = now;
    if (!isFirst) feed.push(team);
  };

  const feed = createChangeFeed<Team>({
    watch: (onHint) => {
      const stops = [watcher.follow(path, onHint), watcher.follow(ownPath, onHint)];
      return () => stops.forEach((stop) => stop());
    },
    hold: watcher.hold,
    refresh,
  });

  return {
    read,
    fresh,
    write,
    follow: feed.follow,
    history: async () => [],
    problems: () => [],
    close: async () => feed.close(),
    config: configNow,
    isMade: () => ownNow()?.isMade ?? false,
    isOurs: (name) => isOurs(name, ownNow()),
  };
}

/** Their file decides on the members, ours on the rest. */
function merged(config: ConfigFile, own: OwnTeam | undefined): TeamState {
  const known = own?.team ?? teamOf(config);
  const there = new Map(config.members.map((entry) => [entry.name, entry]));
  const members: Member[] = known.members.map((member) => {
    const entry = there.get(member.name);
    there.delete(member.name);
    if (entry !== undefined) {
      const { ended: _, ...back } = member;
      return isOurs(member.name, own) ? back : { ...back, ...fromConfigMember(entry, config.name) };
    }
    if (member.ended !== undefined || member.name === teamLead) return member;
    // The config does not say when it was removed; only the fact counts.
    const detail = "it was removed from the team's config";
    return { ...member, ended: { at: member.joinedAt, reason: "shutdown", detail } };
  });
  members.push(...[...there.values()].map((entry) => fromConfigMember(entry, config.name)));
  const keys = new Map(
    [teamLead, teamUser, ...members.map(({ name }) => name)].map((name) => [skeletonOf(name), name]),
  );
  return { team: { ...known, name: config.name, members }, keys };
}

/** A team that others made, before it has members of ours. */
const teamOf = (config: ConfigFile): Team => ({
  name: config.name,
  ...(config.description !== undefined && { description: config.description }),
  createdAt: isoOf(config.createdAt),
  leadAgentId: config.leadAgentId ?? `${teamLead}@${config.name}`,
  hiddenPaneIds: [],
  teamAllowedPaths: [],
  members: [],
});

const isoOf = (ms: number) => new Date(ms).toISOString();

function isOurs(name: string, own: OwnTeam | undefined): boolean {
  if (name === teamLead) return own?.isMade ?? false;
  return own?.team.members.some((member) => member.name === name && member.backendType !== "remote") ?? false;
}

/** Allows changes only to our own members, or to everything if we lead. */
function assertOurs(entry: TeamEntry, own: OwnTeam | undefined): void {
  if (own?.isMade || entry.do === "join" || entry.do === "allow" || entry.do === "free") return;
  if ((entry.do === "change" || entry.do === "end") && isOurs(entry.name, own)) return;
  const what = "name" in entry ? `the entry of ${entry.name}` : "the team";
  throw new TroupeError("team", `cannot change ${what} from here: another program leads this team.`);
}

/** The raw file with all unknown fields. */
type RawConfig = Readonly<Record<string, unknown>> & { readonly members: readonly ConfigMember[] };

function configAfter(
  config: RawConfig,
  at: { before: Team | undefined; team: Team; own: OwnTeam | undefined; now: number },
): RawConfig {
  const { team, before, own, now } = at;
  const changed = new Set(team.members.filter((member) => !before?.members.includes(member)).map(({ name }) => name));
  const entries = new Map(config.members.map((entry) => [entry.name, entry]));
  for (const member of team.members) {
    if (!changed.has(member.name) || member.name === teamLead) continue;
    if (member.ended) entries.delete(member.name);
    else entries.set(member.name, toConfigMember(member, entries.get(member.name)));
  }
  const isResumed = own?.isMade && team.leadSessionId !== before?.leadSessionId;
  return {
    ...config,
    ...(own?.isMade && team.description !== undefined && { description: team.description }),
    ...(isResumed && { leadSessionId: leadSessionOf(team), leadProcess: leadProcess(now) }),
    members: [...entries.values()],
  };
}

function textOf(path: string): string | undefined {
  return ifPresentSync(() => readFileSync(path, "utf8"), { action: "read", path, missing: missingOrFile });
}

const teamGoneError = (path: string): TroupeError =>
  new TroupeError("storage", `${path} no longer exists: the team was deleted.`);

const noReservations = (): TroupeError =>
  new TroupeError(
    "team",
    "Claude Code's team files cannot hold reservations. Tell the others in a message what you are going to change.",
  );
