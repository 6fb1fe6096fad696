import { type Clock, type CreateId, createFolderWatcher } from "../../platform/index.ts";
import type { AgentId, Envelope, LiveEvent, SessionId, WorkItem } from "../../protocol/index.ts";
import { createFileTeamStore, loadTaskList, type SessionFiles } from "../../store/index.ts";
import { memberChanged } from "../led-teams.ts";
import { liveEnvelope } from "./live-state.ts";

export interface StoredStateOptions {
  readonly home: string;
  readonly files: SessionFiles;
  readonly session: SessionId;
  /** The agent that the session is about, and how far its log is known. */
  readonly agent: AgentId;
  readonly seq: number;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** Of a session that no process tells about: its members and tasks as the teams' own files have them. */
export async function storedStateOf(options: StoredStateOptions): Promise<Envelope[]> {
  const { home, files, session, agent, seq, clock, createId } = options;
  const at = new Date(clock.now()).toISOString();
  const events = [
    ...(await ofTeams({ home, session, clock, createId })),
    ...(await ofOwnList(files, { clock, createId })),
  ];
  return events.map((event) => liveEnvelope(event, { session, agent, seq, at, createId }));
}

/** As its own process would say it: who leads a team shows the members, and everybody in it the tasks. */
async function ofTeams({ home, session, clock, createId }: Omit<StoredStateOptions, "files" | "agent" | "seq">) {
  const store = createFileTeamStore({ home, clock, createId });
  const events: LiveEvent[] = [];
  for (const { name, team: summary } of await store.list()) {
    const isLead = summary?.leadSessionId === session;
    if (!isLead && !summary?.members.some(({ sessionId }) => sessionId === session)) continue;
    const team = await store.open(name);
    try {
      const { members } = await team.record.read();
      const statuses = isLead ? await team.presence.statusOf(members) : [];
      for (const [index, status] of statuses.entries()) {
        const member = members[index];
        if (member) events.push(memberChanged(name, status, member));
      }
      events.push(...changesOf(await team.tasks.list(), name));
    } finally {
      await team.close();
    }
  }
  return events;
}

async function ofOwnList({ taskList: path }: SessionFiles, ports: { clock: Clock; createId: CreateId }) {
  const openTaskList = await loadTaskList();
  const watcher = createFolderWatcher();
  const tasks = openTaskList({ ...ports, path, watcher });
  try {
    return changesOf(await tasks.list(), undefined);
  } finally {
    await tasks.close();
    watcher.close();
  }
}

const changesOf = (tasks: readonly WorkItem[], team: string | undefined): LiveEvent[] =>
  tasks.map((task) => ({ type: "task.changed", ...(team !== undefined && { team }), task }));
