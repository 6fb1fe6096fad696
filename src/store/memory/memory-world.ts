import { type Clock, type CreateId, createIdFactory, type ProcessIdentity } from "../../platform/index.ts";
import type { SessionStore } from "../session-store.ts";
import { createTaskList, taskFold } from "../team/tasks/journal-task-list.ts";
import type { TaskList } from "../team/tasks/task-list.ts";
import type { TeamStore } from "../team/team-store.ts";
import { createMemoryClaims } from "./memory-claims.ts";
import { createMemoryJournal } from "./memory-journal.ts";
import { openMemoryOutputs } from "./memory-outputs.ts";
import { createProcessIo } from "./memory-process-io.ts";
import { createSessionStore, type MemorySessions } from "./memory-session-store.ts";
import { createMemoryTeamStore, type MemoryTeams } from "./memory-team-store.ts";

/**
 * One machine in memory: sessions, teams and task lists that several simulated processes share, without files, timers
 * or randomness of the real machine. Every process sees the records of all others at once.
 *
 *     const world = createMemoryWorld({ clock, fillRandom });
 *     const lead = world.startProcess();
 *     const team = await lead.teams.create({ name: "crew", cwd: "/work" });
 *     const session = await lead.sessions.create({ sessionId, cwd: "/work" });
 *     lead.kill();                                    // stops in the middle of whatever it does
 *     const next = world.startProcess();
 *     await next.sessions.open(sessionId);            // what the first one stored
 *
 * Pass `process.clock` and `process.createId` to everything that runs in a process. A killed process never comes out
 * of a call again: its reads, writes, follows and sleeps do not settle. Its records stay, its leases run out, and its
 * open sessions and inboxes are free for others.
 */
export interface MemoryWorld {
  startProcess(options?: ProcessOptions): MemoryProcess;
  /** While the disk is full, every write of every process rejects with ENOSPC. */
  readonly disk: MemoryDisk;
}

export interface MemoryProcess {
  readonly identity: ProcessIdentity;
  /** The clock of the world. Its sleeps end with the process. */
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly sessions: SessionStore;
  readonly teams: TeamStore;
  /** The task list at a path that is outside of a team, such as the list of a session. */
  openTaskList(path: string): TaskList;
  /** The disk as only this process finds it. */
  readonly disk: MemoryDisk;
  readonly isDead: boolean;
  kill(): void;
}

export interface MemoryDisk {
  fill(): void;
  free(): void;
}

export interface MemoryWorldOptions {
  readonly clock: Clock;
  /** Fills bytes for ids. The same bytes give the same ids. */
  readonly fillRandom: (bytes: Uint8Array) => void;
  /** How long a presence counts after its last renewal. Default: 10 seconds. */
  readonly leaseMs?: number;
  /**
   * Called right after each stored record, before its writer knows that it is stored. A kill in here happens between
   * two records.
   */
  readonly onRecord?: (record: StoredRecord) => void;
}

export interface StoredRecord {
  readonly process: MemoryProcess;
  /** The file that would have the record. */
  readonly path: string;
}

export interface ProcessOptions {
  /** Default: the next free number. */
  readonly pid?: number;
}

export function createMemoryWorld({ clock, fillRandom, leaseMs = 10_000, onRecord }: MemoryWorldOptions): MemoryWorld {
  const sessions: MemorySessions = new Map();
  const teams: MemoryTeams = new Map();
  const taskLists = new Map<string, ReturnType<typeof createTaskJournal>>();
  const outputs = new Map<string, string | Uint8Array>();
  const claims = createMemoryClaims(clock);
  const createId = createIdFactory(clock, fillRandom);
  const disk = createDisk();
  let lastPid = 1000;

  const tasksAt = (path: string) => {
    const known = taskLists.get(path) ?? createTaskJournal(path);
    taskLists.set(path, known);
    return known;
  };

  const startProcess = ({ pid = (lastPid += 1) }: ProcessOptions = {}): MemoryProcess => {
    const identity: ProcessIdentity = { ...machine, pid, startedAt: String(clock.monotonic()) };
    const ownDisk = createDisk();
    const {
      io,
      kill,
      clock: ownClock,
    } = createProcessIo({
      processName: `process ${pid} on ${machine.host}`,
      clock,
      isFull: () => disk.isFull() || ownDisk.isFull(),
      onRecord: (path) => onRecord?.({ process, path }),
    });
    const user = { io, identity, clock: ownClock };
    const process: MemoryProcess = {
      identity,
      clock: ownClock,
      createId,
      sessions: createSessionStore({
        clock: ownClock,
        createId,
        sessions,
        claims,
        io,
        validators: "compiled",
        openOutputs: (session) => openMemoryOutputs(`${home}/outputs/${session}`, { io, saved: outputs }),
      }),
      teams: createMemoryTeamStore(teams, { home, clock, leaseMs, claims, user }),
      openTaskList: (path) => createTaskList(tasksAt(path).open(io), ownClock),
      disk: ownDisk,
      get isDead() {
        return io.isDead;
      },
      kill,
    };
    return process;
  };

  return { startProcess, disk };
}

const createTaskJournal = (path: string) => createMemoryJournal(taskFold, { path });

function createDisk(): MemoryDisk & { isFull(): boolean } {
  let isFull = false;
  return { isFull: () => isFull, fill: () => void (isFull = true), free: () => void (isFull = false) };
}

const home = "/memory";
const machine = { bootId: "memory", machineId: "memory", host: "memory", pidNamespace: "memory" };
