import { type Clock, nearestName } from "../../../platform/index.ts";
import { type Member, type Team, teamLead, teamUser, TroupeError } from "../../../protocol/index.ts";
import { createJournalFile } from "../journal/compact-journal.ts";
import { skeletonOf } from "./confusable-names.ts";
import type { Journal } from "../journal/journal.ts";
import { checkName, quotedName, uniqueName } from "./team-names.ts";
import { type JournalOptions, openSealedJournal } from "../journal/sealed-journal.ts";
import { memberKey, type MemberKeyOptions } from "./member-key.ts";
import type { TeamEntry } from "./team-entry.ts";
import { type RefusedTeam, teamFold, type TeamState } from "./team-fold.ts";
import type { KeyUse, MemberKey, NewMember, TeamRecord } from "./team-record.ts";
import type { NewTeam } from "../team-store.ts";

/** The team record in one file. The file must exist: `createTeamRecord` creates it. */
export function openTeamRecord(options: JournalOptions & { readonly keys: MemberKeyOptions }): TeamRecord {
  const keyOf = async (name: string): Promise<MemberKey> => ({
    type: "secret",
    secret: await memberKey(name, options.keys),
  });
  const keys = { join: async ({ name }: Member) => void (await keyOf(name)), keyOf };
  return createRecord(openSealedJournal(teamFold, options), { clock: options.clock, where: options.path, keys });
}

/** The keys with which members sign and others verify. */
export interface RecordKeys {
  /** Called for a member that has just joined from this process. */
  join(member: Member): Promise<void>;
  keyOf(name: string, use: KeyUse): Promise<MemberKey | undefined>;
  readonly offerKey?: TeamRecord["offerKey"];
  readonly vouchFor?: TeamRecord["vouchFor"];
}

/** Creates a team record on any kind of journal. */
export function createRecord(
  journal: Journal<TeamState, TeamEntry, Team, RefusedTeam>,
  options: { readonly clock: Pick<Clock, "now">; readonly where: string; readonly keys: RecordKeys },
): TeamRecord {
  const now = () => new Date(options.clock.now()).toISOString();

  const teamOf = ({ team }: TeamState): Team => {
    if (team === undefined) throw new TroupeError("team", `There is no team record in ${options.where}.`);
    return team;
  };
  const current = (): Team => teamOf(journal.read());

  const write = async (entry: TeamEntry): Promise<Team | RefusedTeam> => {
    current();
    const written = await journal.write(entry);
    return written.ok ? written.change : written.refusal;
  };

  const join = async (wanted: NewMember) => {
    const asked = checkName(wanted.name, "member");
    for (;;) {
      const team = current();
      const { keys } = journal.read();
      const name = uniqueName(asked, (skeleton) => keys.has(skeleton));
      const member: Member = {
        tmuxPaneId: "",
        ...wanted,
        subscriptions: [...(wanted.subscriptions ?? [])],
        agentId: `${name}@${team.name}`,
        name,
        joinedAt: now(),
      };
      const answer = await write({ do: "join", at: member.joinedAt, key: skeletonOf(name), member });
      if ("reason" in answer) {
        if (answer.reason === "done" && answer.member !== undefined) return { member: answer.member, isNew: false };
        continue;
      }
      await options.keys.join(member);
      return { member: memberOf(answer, name), isNew: true };
    }
  };

  const writeMember = async (entry: TeamEntry & { name: string }): Promise<Member> => {
    const answer = await write(entry);
    if (!("reason" in answer)) return memberOf(answer, entry.name);
    if (answer.reason === "done" && answer.member !== undefined) return answer.member;
    throw unknownMemberError(current(), entry.name, journal.problems());
  };

  const writeTeam = async (entry: TeamEntry): Promise<Team> => {
    const answer = await write(entry);
    return "reason" in answer ? current() : answer;
  };

  return {
    read: async () => teamOf(await journal.fresh()),
    current,
    join,
    change: (name, patch) => writeMember({ do: "change", at: now(), name, patch }),
    end: (name, ended) => writeMember({ do: "end", at: now(), name, ended: { ...ended, at: now() } }),
    changeTeam: (patch) => writeTeam({ do: "team", at: now(), patch }),
    allowPath: (path) => writeTeam({ do: "allow", at: now(), path: { ...path, addedAt: now() } }),
    reserve: async (wanted) => {
      const reservation = { ...wanted, at: now() };
      const answer = await write({ do: "reserve", at: reservation.at, reservation });
      if (!("reason" in answer)) return { ok: true, reservation };
      if (answer.reason === "reserved") return { ok: false, held: answer.held };
      throw unknownMemberError(current(), wanted.by, journal.problems());
    },
    free: (by, paths) => writeTeam({ do: "free", at: now(), by, ...(paths && { paths: [...paths] }) }),
    keyOf: async (name, use) => {
      const team = current();
      if (name !== teamUser && !team.members.some((member) => member.name === name))
        throw unknownMemberError(team, name, journal.problems());
      return options.keys.keyOf(name, use);
    },
    ...(options.keys.offerKey && { offerKey: options.keys.offerKey }),
    ...(options.keys.vouchFor && { vouchFor: options.keys.vouchFor }),
    follow: journal.follow,
    problems: journal.problems,
    close: journal.close,
  };
}

/** Creates the whole file or nothing, and never replaces an existing one. */
export async function createTeamRecord(
  options: Pick<JournalOptions, "path" | "clock" | "createId">,
  team: NewTeam,
): Promise<void> {
  const snapshot = newTeamSnapshot(team, options.clock);
  await createJournalFile(options.path, { version: teamFold.version, snapshot, createId: options.createId });
}

/** The initial snapshot of a new team's record. */
export function newTeamSnapshot(
  { name, description, leadSessionId, leadColor, cwd }: NewTeam,
  clock: Pick<Clock, "now">,
): unknown {
  const at = new Date(clock.now()).toISOString();
  const leadAgentId = `${teamLead}@${name}`;
  const lead: Member = {
    agentId: leadAgentId,
    name: teamLead,
    ...(leadColor !== undefined && { color: leadColor }),
    joinedAt: at,
    tmuxPaneId: "",
    cwd,
    ...(leadSessionId !== undefined && { sessionId: leadSessionId }),
    subscriptions: [],
    backendType: "in-process",
  };
  const team: Team = {
    name,
    ...(description !== undefined && { description }),
    createdAt: at,
    leadAgentId,
    ...(leadSessionId !== undefined && { leadSessionId }),
    hiddenPaneIds: [],
    teamAllowedPaths: [],
    members: [lead],
  };
  const keys = new Map([teamLead, teamUser].map((taken) => [skeletonOf(taken), taken]));
  return teamFold.snapshot({ team, keys });
}

function memberOf(team: Team, name: string): Member {
  const member = team.members.find((candidate) => candidate.name === name);
  if (member === undefined) throw unknownMemberError(team, name);
  return member;
}

function unknownMemberError(team: Team, name: string, problems: readonly string[] = []): TroupeError {
  const names = team.members.map((member) => member.name);
  const near = nearestName(name, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const damage = problems.length === 0 ? "" : ` The team's record is damaged: ${problems.join(" ")}`;
  return new TroupeError(
    "team",
    `Team ${team.name} has no member ${quotedName(name)}.${hint} Its members: ${names.join(", ")}.${damage}`,
  );
}
