import { createIdFactory, systemClock } from "../../src/platform/index.ts";
import { type Member, type SessionId, type StoredEnvelope, teamLead, type WorkItem } from "../../src/protocol/index.ts";
import { createFileSessionStore, createFileTeamStore } from "../../src/store/index.ts";
import { emptyView, reduce, type SessionView } from "../../src/view/index.ts";

/** The team's state on disk after its end, independent of the agents' reports. */
export interface TeamResult {
  readonly members: readonly Member[];
  readonly tasks: readonly WorkItem[];
  readonly mail: { readonly sent: number; readonly read: number };
  /** The sessions of the lead and of each member, by name. */
  readonly sessions: ReadonlyMap<string, SessionView>;
  /** How often each member was started, counted in its log. */
  readonly startCounts: ReadonlyMap<string, number>;
  /** Members whose process still runs. */
  readonly stillRunning: readonly string[];
  /** Number of permission questions that the user answered. */
  readonly answered: number;
}

export async function readTeamResult(
  name: string,
  { home, lead }: { home: string; lead: SessionId },
): Promise<TeamResult> {
  const ports = { home, clock: systemClock, createId: createIdFactory(systemClock) };
  const team = await createFileTeamStore(ports).open(name);
  const store = createFileSessionStore(ports);
  try {
    const { members } = await team.record.read();
    const held = await Promise.all(members.map(async (member) => (await team.inbox(member.name).peek()).mail));
    const mail = held.flat();
    const logs = new Map<string, readonly StoredEnvelope[]>();
    for (const member of members) {
      const id = member.name === teamLead ? lead : member.sessionId;
      if (id !== undefined) logs.set(member.name, (await store.read(id)).lead);
    }
    const leadLog = logs.get(teamLead) ?? [];
    const stillRunning: string[] = [];
    for (const member of members) {
      const presence = await team.presence.look(member.name);
      if (presence?.alive === "alive" && presence.pid !== process.pid) stillRunning.push(member.name);
    }
    return {
      members: members.filter((member) => member.name !== teamLead),
      tasks: await team.tasks.list(),
      mail: { sent: mail.length, read: mail.filter(({ state }) => state === "read").length },
      sessions: new Map([...logs].map(([who, log]) => [who, log.reduce(reduce, emptyView)])),
      startCounts: new Map(
        [...logs].map(([who, log]) => [who, log.filter(({ event }) => event.type === "session.opened").length]),
      ),
      stillRunning,
      answered: leadLog.filter(({ event }) => event.type === "permission.settled" && event.by === "user").length,
    };
  } finally {
    await team.close();
  }
}
