import { createLedger, isDiskFull } from "../../src/agent/index.ts";
import { runHeadless } from "../../src/headless/index.ts";
import type { RunResult } from "../../src/headless/run-result.ts";
import { createGateRegistry } from "../../src/model/index.ts";
import type { Clock } from "../../src/platform/index.ts";
import type { Command, Envelope, SessionId, StoredEnvelope, Team } from "../../src/protocol/index.ts";
import type { PermissionAsker, Session } from "../../src/session/index.ts";
import type { SessionHost } from "../../src/session/session-host.ts";
import { startSession } from "../../src/session/start-session.ts";
import { runTeammate } from "../../src/session/teams/run-teammate.ts";
import { createMemoryWorld, type MemoryProcess, type TaskChange } from "../../src/store/index.ts";
import { createVirtualClock } from "../../src/testing/virtual-clock.ts";
import { createProvider, modelRef, type SeenRequest } from "../model/policy-model.ts";
import { createRandom, type Random } from "../random.ts";
import { guestName, type Scenario } from "../scenario.ts";
import { createMemoryHost, type EmptyMachine } from "./memory-host.ts";
import { createMemoryPanes, type MemoryPanes } from "./memory-panes.ts";
import { createMemoryTools, type ToolUse } from "./memory-tools.ts";
import { createMemoryRepository, type MemoryTree } from "./memory-worktrees.ts";

/** Everything that is known about a run after it. */
export interface RunRecord {
  readonly scenario: Scenario;
  readonly end: "done" | "stalled" | "late" | "too many turns" | { readonly error: unknown };
  /** The lead's processes, in order. All but the last were killed. */
  readonly processes: readonly ProcessRecord[];
  /** The stored events of each session, the lead's first. */
  readonly sessions: readonly SessionRecord[];
  readonly teams: readonly TeamRecordAtEnd[];
  /** All events as the lead's viewers saw them, also live ones. */
  readonly seen: readonly Envelope[];
  readonly requests: readonly SeenRequest[];
  readonly uses: readonly ToolUse[];
  /** The worktrees that are there at the end. */
  readonly worktrees: readonly MemoryTree[];
  /** How many records were stored. */
  readonly records: number;
  /** The jump of the time of day, at a time of the run. */
  readonly clockJump: { readonly at: number; readonly ms: number } | undefined;
  /** The times at which the disk was full. */
  readonly fullDisk: readonly { readonly from: number; readonly to: number }[];
  readonly virtualMs: number;
}

export interface ProcessRecord {
  readonly startedAt: number;
  killedAt?: number;
  endedAt?: number;
  result?: RunResult;
}

export interface SessionRecord {
  readonly sessionId: SessionId;
  readonly isLead: boolean;
  readonly events: readonly StoredEnvelope[];
}

export interface TeamRecordAtEnd {
  readonly team: Team;
  readonly changes: readonly TaskChange[];
  readonly isDeleted: boolean;
}

/** No run may take longer than this. Real models need longer, but the time between their answers is what counts. */
export const maxVirtualMs = 4 * 3_600_000;
/** A team that needs more turns than this for its few tasks goes round in circles. */
const maxTurns = 400;

const teamName = "crew";

/** Plays a scenario with the real runtime on a machine in memory. */
export async function runScenario(scenario: Scenario, machine: EmptyMachine): Promise<RunRecord> {
  const random = createRandom(scenario.seed).fork("world");
  const clock = createVirtualClock();
  const jitter = random.fork("jitter");
  // Timers of the same moment fire in an order that the seed decides.
  const worldClock: Clock = {
    now: () => Math.floor(clock.now()),
    monotonic: () => Math.floor(clock.monotonic()),
    sleep: (ms, signal) => clock.sleep(ms + jitter.next() * 0.9, signal),
  };
  const play = createPlay(scenario, { machine, random, clock: worldClock, shiftTimeOfDay: clock.shiftTimeOfDay });
  let end: RunRecord["end"];
  try {
    const run = await clock.run(play.work(), { withinMs: maxVirtualMs });
    end = run.outcome === "done" ? run.value : run.outcome;
  } catch (error) {
    end = { error };
  }
  const virtualMs = Math.floor(clock.monotonic());
  const collected = clock.run(play.collect());
  const found = await collected;
  if (found.outcome !== "done") throw new Error("the stores cannot be read after the run");
  return { scenario, end, virtualMs, ...found.value };
}

interface PlayPorts {
  readonly machine: EmptyMachine;
  readonly random: Random;
  readonly clock: Clock;
  readonly shiftTimeOfDay: (ms: number) => void;
}

function createPlay(scenario: Scenario, { machine, random, clock, shiftTimeOfDay }: PlayPorts) {
  const { faults } = scenario;
  const sessionId = `ses_${String(scenario.seed).padStart(26, "0")}` as SessionId;
  const processes: ProcessRecord[] = [];
  const seen: Envelope[] = [];
  const uses: ToolUse[] = [];
  const fullDisk: { readonly from: number; readonly to: number }[] = [];
  const deletedTeams: TeamRecordAtEnd[] = [];
  let clockJump: RunRecord["clockJump"];
  let records = 0;
  let isOver = false;
  let lead: MemoryProcess | undefined;
  let onKill: () => void = () => undefined;

  /** In liveness mode there is no trouble after the process was killed, or after some time. */
  const isTroubled = () => scenario.mode === "safety" || (processes.length < 2 && clock.monotonic() < 300_000);

  const world = createMemoryWorld({
    clock,
    fillRandom: random.fork("ids").fill,
    onRecord: () => {
      if (isOver) return;
      records += 1;
      if (faults.diskFull?.atRecord === records) void fillDisk(faults.diskFull.forMs);
      if (faults.clockJump?.atRecord === records) {
        clockJump = { at: clock.monotonic(), ms: faults.clockJump.ms };
        shiftTimeOfDay(clockJump.ms);
      }
      if (scenario.guestAtRecord === records) void addGuest();
      if (faults.lostMember?.atRecord === records) loseMember(faults.lostMember.how);
      if (faults.killAtRecord !== records) return;
      lead?.kill();
      const last = processes.at(-1);
      if (last) last.killedAt = clock.monotonic();
      onKill();
    },
  });

  const addGuest = async () => {
    const { teams } = world.startProcess();
    if (!(await teams.list()).some(({ name }) => name === teamName)) return;
    const team = await teams.open(teamName);
    try {
      await team.record.join({ name: guestName, cwd: machine.cwd, backendType: "remote" });
    } catch (error) {
      // The user sees that the disk is full, and does not try again.
      if (!isDiskFull(error)) throw error;
    } finally {
      await team.close();
    }
  };

  const fillDisk = async (ms: number) => {
    world.disk.fill();
    fullDisk.push({ from: clock.monotonic(), to: clock.monotonic() + ms });
    await clock.sleep(ms);
    world.disk.free();
  };
  let onTooMany: () => void = () => undefined;
  const provider = createProvider(scenario, {
    random,
    isTroubled,
    onRequest: () => provider.requests.length === maxTurns && onTooMany(),
  });
  const files = new Map<string, string>();
  const repository = createMemoryRepository(machine.cwd, random.fork("repository"));
  const toolRandom = random.fork("tools");
  const userRandom = random.fork("user");

  const asker: PermissionAsker =
    scenario.user === "absent"
      ? "nobody"
      : async (_question, signal) => {
          await clock.sleep(userRandom.int(500, 30_000), signal);
          return userRandom.chance(0.7) ? { behavior: "allow", scope: "once" } : { behavior: "deny" };
        };

  const hostOf = (process: MemoryProcess): SessionHost => {
    const tools = createMemoryTools({
      clock: process.clock,
      random: toolRandom,
      files,
      onUse: (use) => uses.push(use),
      repository,
    });
    const model = provider.clientFor(process.clock);
    return createMemoryHost(process, { machine, scenario, tools, model, panes, repository });
  };

  const panes: MemoryPanes = createMemoryPanes({
    clock,
    startProcess: () => world.startProcess(),
    run: async ({ name, agentId, cwd }, process) => {
      const team = agentId.slice(name.length + 1);
      const teammate = await runTeammate({ team, name, cwd, env: {}, isObservable: false, host: hostOf(process) });
      return { ended: teammate.ended, hangUp: () => teammate.stop("rest") };
    },
  });

  const lossRandom = random.fork("losses");
  const loseMember = (how: "killed" | "pane closed") => {
    const open = panes.all();
    if (open.length === 0) return;
    const pane = lossRandom.pick(open);
    if (how === "killed") panes.killProgram(pane);
    else void panes.closePane(pane);
  };

  const runProcess = async (process: MemoryProcess, own: ProcessRecord) => {
    const session = await startSession({
      shared: await sharedIn(process),
      cwd: machine.cwd,
      env: {},
      flags: { team: teamName, model: modelRef, permissionMode: scenario.leadMode },
      host: { ...hostOf(process), openTeamStore: () => keepDeleted(process) },
      sessionId,
      asker,
      isObservable: false,
      keep: "all",
    });
    void follow(session, (envelope) => process.isDead || seen.push(envelope));
    own.result = await runHeadless({
      session,
      output: "json",
      progress: "none",
      commands: commands(await nextCommand(process)),
      write: () => undefined,
      writeError: () => undefined,
      signal: new AbortController().signal,
      backgroundWaitMs: 600_000,
      clock: process.clock,
    });
    own.endedAt = clock.monotonic();
  };

  /** The ledger of a team is in a file, so it survives the process. Here the logs say the same. */
  const sharedIn = async ({ sessions, clock: own }: MemoryProcess) => {
    const ledger = createLedger({ maxBudgetUsd: scenario.maxBudgetUsd });
    const counted = new Set<SessionId>();
    for (const { sessionId: id } of await sessions.list()) {
      for (const { event } of (await sessions.read(id)).lead) ledger.recall(event);
      counted.add(id);
    }
    return { gates: createGateRegistry(own), models: new Map(), ledger, counted };
  };

  /** A killed run is continued, by a prompt or without one. A prompt that was not stored is sent again. */
  const nextCommand = async (process: MemoryProcess): Promise<Command> => {
    const { lead } = await process.sessions.read(sessionId);
    const isPrompted = lead.some(({ event }) => event.type === "prompt.admitted" && event.source === "user");
    if (!isPrompted) return { type: "prompt", content: "Do the whole job with your team, then tell me the result." };
    return userRandom.chance(0.5) ? { type: "continue" } : { type: "prompt", content: "Go on." };
  };

  const keepDeleted = ({ teams }: MemoryProcess): MemoryProcess["teams"] => ({
    ...teams,
    async delete(name, options) {
      const before = await readTeam(name, teams);
      await teams.delete(name, options);
      deletedTeams.push({ ...before, isDeleted: true });
    },
  });

  const readTeam = async (name: string, teams: MemoryProcess["teams"]): Promise<TeamRecordAtEnd> => {
    const stored = await teams.open(name);
    const found = { team: await stored.record.read(), changes: await stored.tasks.history(), isDeleted: false };
    await stored.close();
    return found;
  };

  return {
    async work(): Promise<"done" | "too many turns"> {
      const tooMany = new Promise<"too many turns">((resolve) => {
        onTooMany = () => resolve("too many turns");
      });
      for (;;) {
        const process = world.startProcess();
        lead = process;
        const own: ProcessRecord = { startedAt: clock.monotonic() };
        processes.push(own);
        const before = provider.requests.length;
        const killed = new Promise<"killed">((resolve) => {
          onKill = () => resolve("killed");
        });
        const running = runProcess(process, own).catch((error: unknown) => {
          // The program does not start on a full disk. The user starts it again.
          if (!isDiskFull(error) || provider.requests.length > before) throw error;
          process.kill();
          own.killedAt = clock.monotonic();
          return "killed" as const;
        });
        const outcome = await Promise.race([running, killed, tooMany]);
        if (outcome === "too many turns") {
          process.kill();
          return outcome;
        }
        if (outcome !== "killed") return "done";
        await clock.sleep(userRandom.pick([100, 5_000, 60_000]));
      }
    },
    async collect() {
      isOver = true;
      world.disk.free();
      for (const pane of panes.all()) panes.killProgram(pane);
      const { sessions: store, teams: teamStore } = world.startProcess();
      const sessions: SessionRecord[] = [];
      for (const { sessionId: id } of await store.list()) {
        const { lead } = await store.read(id);
        sessions.push({ sessionId: id, isLead: id === sessionId, events: lead });
      }
      sessions.sort((a, b) => Number(b.isLead) - Number(a.isLead) || (a.sessionId < b.sessionId ? -1 : 1));
      const teams = [...deletedTeams];
      for (const { name } of await teamStore.list()) teams.push(await readTeam(name, teamStore));
      const worktrees = repository.trees();
      const { requests } = provider;
      return { processes, sessions, teams, seen, requests, uses, worktrees, records, fullDisk, clockJump };
    },
  };
}

async function* commands(first: Command): AsyncGenerator<Command> {
  yield first;
}

async function follow(session: Session, each: (envelope: Envelope) => void): Promise<void> {
  for await (const envelope of session.events({ fresh: true })) each(envelope);
}
