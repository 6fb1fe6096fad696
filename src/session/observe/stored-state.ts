import { type Clock, type CreateId, createFolderWatcher } from "../../platform/index.ts";
import {
  type AgentId,
  type Envelope,
  type LiveEvent,
  type SessionId,
  TroupeError,
  type WorkItem,
} from "../../protocol/index.ts";
import { loadTaskList, type SessionFiles, type StoredTeam, type TeamStore } from "../../store/index.ts";
import { memberChangedEvent } from "../teams/team-registry.ts";
import { liveEnvelope } from "./live-state.ts";

/**
 * The members and tasks of a session that no process reports on, read from the teams' files. Other processes may change
 * them at any time.
 */
export interface StoredState {
  /** The first call returns everything, later calls return changes. Reads at most once a second. */
  changes(as: { readonly agent: AgentId; readonly seq: number }): Promise<Envelope[]>;
  /** Call it when a live feed takes over: the next call of `changes` returns everything again. */
  forget(): void;
}

export interface StoredStateOptions {
  readonly teams: TeamStore;
  /** The files with its own task list; undefined for a session on another machine. */
  readonly files?: SessionFiles | undefined;
  readonly session: SessionId;
  readonly clock: Clock;
  readonly createId: CreateId;
}

const minIntervalMs = 1000;

export function createStoredState(options: StoredStateOptions): StoredState {
  const { files, session, clock, createId } = options;
  const lastSent = new Map<string, string>();
  let lastReadAt = -Infinity;
  return {
    async changes({ agent, seq }) {
      if (clock.monotonic() - lastReadAt < minIntervalMs) return [];
      lastReadAt = clock.monotonic();
      const now = [...(await readTeamState(options)), ...(files ? await readOwnTasks(files, { clock, createId }) : [])];
      const changed = now.filter((event) => {
        const [key, text] = [keyOf(event), JSON.stringify(event)];
        if (lastSent.get(key) === text) return false;
        lastSent.set(key, text);
        return true;
      });
      const at = new Date(clock.now()).toISOString();
      return changed.map((event) => liveEnvelope(event, { session, agent, seq, at, createId }));
    },
    forget() {
      lastSent.clear();
      lastReadAt = -Infinity;
    },
  };
}

type StateEvent = Extract<LiveEvent, { type: "member.changed" | "task.changed" }>;

const keyOf = (event: StateEvent): string =>
  `${event.type} ${event.team ?? ""} ${event.type === "member.changed" ? event.name : event.task.id}`;

/** Returns the same events as the session's process: the lead shows members, and every member shows tasks. */
async function readTeamState({ teams: store, session }: StoredStateOptions): Promise<StateEvent[]> {
  const events: StateEvent[] = [];
  for (const { name, team: summary } of await store.list()) {
    const isLead = summary?.leadSessionId === session;
    if (!isLead && !summary?.members.some(({ sessionId }) => sessionId === session)) continue;
    const team = await openTeamIfExists(store, name);
    if (!team) continue;
    try {
      const { members } = await team.record.read();
      const statuses = isLead ? await team.presence.statusOf(members) : [];
      for (const [index, status] of statuses.entries()) {
        const member = members[index];
        if (member) events.push(memberChangedEvent(name, status, member));
      }
      events.push(...changesOf(await team.tasks.list(), name));
    } finally {
      await team.close();
    }
  }
  return events;
}

/** A team may be deleted at any time. Then there is nothing to report. */
async function openTeamIfExists(store: TeamStore, name: string): Promise<StoredTeam | undefined> {
  try {
    return await store.open(name);
  } catch (error) {
    if (TroupeError.is(error) && error.code === "team") return undefined;
    throw error;
  }
}

async function readOwnTasks(
  { taskList: path }: SessionFiles,
  ports: { clock: Clock; createId: CreateId },
): Promise<StateEvent[]> {
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

const changesOf = (tasks: readonly WorkItem[], team: string | undefined): StateEvent[] =>
  tasks.map((task) => ({ type: "task.changed", ...(team !== undefined && { team }), task }));
