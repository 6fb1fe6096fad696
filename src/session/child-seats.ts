import { selectAgentTools } from "../agent/definitions/index.ts";
import { createAskAside, createConversation, isDiskFull } from "../agent/index.ts";
import {
  type AgentId,
  type AgentPath,
  type Message,
  type PermissionMode,
  type StoredEnvelope,
  TroupeError,
} from "../protocol/index.ts";
import {
  type Subagent,
  type SubagentDefaults,
  type ChildSeat,
  createSubagent,
  type LostReport,
  type Reseated,
  type SeatRequest,
  staysElsewhere,
} from "../team/index.ts";
import type { Tool } from "../tool/index.ts";
import type { AgentOutfit } from "./agent-outfit.ts";
import { givenName } from "./given-name.ts";
import { isolateAgent, type IsolationPorts, type LoggedWorktree, resumeIsolation } from "./isolate-agent.ts";
import { lastMode } from "./plan-mode.ts";
import { createSeat, type Seat, type Shared } from "./seat.ts";
import type { StartedWork } from "./session-background.ts";
import type { AgentParts } from "./session-parts.ts";
import { whenChanged } from "./when-changed.ts";

type Logs = ReadonlyMap<AgentId, readonly StoredEnvelope[]>;

/** The seats of a session's sub-agents: made new, from their logs, and again after they were put away. */
export interface ChildSeats {
  seat(request: SeatRequest, logs?: Logs): Promise<ChildSeat>;
  /** One that was put away while it rested. A worktree that it had left as it was is made anew. */
  reseat(request: SeatRequest, had: LoggedWorktree | undefined): Promise<Reseated>;
  /** An agent that is known from its log only, by its id, path or name. */
  recall(who: string): Promise<Subagent | undefined>;
  /** Undefined while it has none: it is the lead, or was put away. */
  of(id: AgentId): Seat | undefined;
  logs(): Promise<Logs>;
}

export interface ChildSeatPorts {
  readonly defaults: SubagentDefaults;
  isolationAt(cwd: string): IsolationPorts;
  toolsOf(seat: () => Seat, path: AgentPath): readonly Tool[];
  reportLostWork(started: StartedWork): Promise<LostReport | "goes on" | undefined>;
  idleSubagents(parent: AgentId): readonly { readonly name: string; readonly description: string }[];
}

export function createChildSeats(shared: Shared, agents: AgentParts, ports: ChildSeatPorts): ChildSeats {
  const { parts } = shared;
  const { opened, createId } = parts;
  const { defaults, isolationAt, toolsOf, reportLostWork, idleSubagents } = ports;
  const seats = new Map<AgentId, { seat: Seat; tools: () => readonly Tool[] }>();
  /** Of agents that were put away: what those they have started may do. */
  const away = new Map<AgentId, { readonly roots: readonly string[]; readonly mode: PermissionMode }>();
  const modeOf = (id: AgentId) => seats.get(id)?.seat.mode() ?? away.get(id)?.mode ?? agents.lead().mode();

  /** The messages an agent had up to and including its answer of a turn, from memory or from its log. */
  const inheritFrom =
    (logs: Logs | undefined) =>
    (from: AgentId, turn: number): readonly Message[] => {
      const live =
        seats.get(from)?.seat.conversation ?? (from === opened.leadLog.agent ? agents.lead().conversation : undefined);
      // With the logs at hand they are asked: a conversation in memory may have been shortened since.
      if (!logs && live?.turn === turn) return live.answered();
      const conversation = createConversation();
      for (const { event } of logs?.get(from) ?? []) {
        conversation.apply(event);
        if (event.type === "turn.ended" && event.turn === turn) return conversation.answered();
      }
      throw new TroupeError(
        "agent",
        `The conversation that ${from} had at its turn ${turn} is not there any more, so its fork cannot go on.`,
      );
    };

  async function seatChild(request: SeatRequest, logs: Logs | undefined): Promise<ChildSeat> {
    const parent = seats.get(request.parent) ?? { seat: agents.lead(), tools: agents.leadTools };
    const { cwd } = request;
    const roots = request.isolated
      ? [cwd, ...parts.addedDirectories]
      : (away.get(request.parent)?.roots ?? parent.seat.policy.roots);
    const outfit = request.fork
      ? undefined
      : await agents.outfitOf(request.definition, { cwd, roots, signal: request.signal });
    try {
      return await seatWith(request, logs, { parent, roots, outfit });
    } catch (error) {
      await outfit?.stop();
      throw error;
    }
  }

  async function seatWith(
    request: SeatRequest,
    logs: Logs | undefined,
    { parent, roots, outfit }: Outfitted,
  ): Promise<ChildSeat> {
    const { fork } = request;
    const definition = outfit?.definition ?? request.definition;
    const log = await opened.agentLog(request.agentId);
    const own = toolsOf(() => seat, request.path);
    const { kind, mode } = request;
    const userDefined = definition.source.level !== "built-in";
    const workerPool = (pool: readonly Tool[]) => parts.coordinator?.workerPool(pool) ?? pool;
    const select = whenChanged(
      () => workerPool([...(outfit?.pool(parts.tools()) ?? parts.tools()), ...own]),
      (pool) => selectAgentTools({ definition, pool, kind, mode, userDefined }),
    );
    const tools = fork ? parent.tools : () => select().tools;
    const seat = createSeat(
      {
        ...shared,
        publish: (envelope) => {
          request.onEnvelope(envelope);
          shared.publish(envelope);
        },
      },
      {
        path: request.path,
        type: fork ? "fork" : definition.name,
        log,
        model: await agents.modelFor(request.model),
        tools,
        cwd: request.cwd,
        isMoved: request.delegated,
        permissionMode: (request.delegated ? undefined : lastMode(log.replayed)) ?? request.mode,
        roots,
        memory: outfit?.memory,
        ready: outfit?.ready,
        ceiling: request.delegated ? undefined : () => modeOf(request.parent),
        bubblesTo: fork && !request.delegated ? () => modeOf(request.parent) : undefined,
        rules: parts.rules,
        env: { ...parts.childEnv, ...request.env },
        maxTurns: fork ? parts.maxTurns : (definition.maxTurns ?? parts.maxTurns),
        inherit: inheritFrom(logs),
        openHooks: fork ? undefined : (await agents.hooksOf(definition))?.create,
        idleSubagents: () => idleSubagents(request.agentId),
      },
    );
    const equipment = await outfit?.equip(seat.policy, tools);
    seats.set(request.agentId, { seat, tools });
    away.delete(request.agentId);
    const small = agents.smallModelFor(request.model);
    const attach = () => outfit?.attach({ record: seat.agent.record, ask: shared.ask, createId });
    const begin: ChildSeat["begin"] = async (spawned, inherited) => {
      await seat.agent.record({ type: "agent.spawned", ...spawned });
      if (inherited) await seat.agent.record({ type: "context.inherited", ...inherited });
      attach();
      const system = equipment
        ? agents.systemOf(definition, { ...equipment, cwd: request.cwd })
        : parent.seat.conversation.system;
      await seat.agent.record({ type: "context.composed", system: [...system] });
      const said = (await seat.hooks?.spawned()) ?? [];
      if (said.length > 0) await seat.agent.admit("hook", said);
    };
    return {
      agent: seat.agent,
      conversation: seat.conversation,
      replayed: log.replayed,
      notices: equipment
        ? [
            ...select().reports.map(
              ({ field, entry, message }) => `${definition.name}: ${field}: ${entry}: ${message}`,
            ),
            ...equipment.notices,
          ]
        : [],
      async begin(spawned, inherited) {
        try {
          await begin(spawned, inherited);
        } catch (error) {
          await outfit?.stop();
          throw error;
        }
      },
      async takeUp() {
        attach();
        await seat.agent.closeOpenCalls();
        await seat.background.recover(log.replayed, reportLostWork);
      },
      async stopLeftovers() {
        await seat.background.stopRunning();
        await outfit?.stop();
      },
      aside:
        small &&
        createAskAside({
          client: small,
          agent: { path: request.path, type: fork ? "fork" : definition.name },
          turn: () => seat.conversation.turn,
          record: (event) => seat.agent.record(event),
          ledger: shared.ledger,
          costOf: parts.costOf,
        }),
      settled: async () => seat.hooks?.settled(),
      async close() {
        await seat.agent.close();
        await seat.background.stopAll();
        await outfit?.stop();
        await unlessFull(seat.hooks?.left());
        await seat.sandbox?.close();
        away.set(request.agentId, { roots: seat.policy.roots, mode: seat.mode() });
        seats.delete(request.agentId);
        await log.close();
      },
    };
  }

  /** One that was put away while it rested. A worktree that it had left as it was is made anew. */
  async function reseat(first: SeatRequest, had: LoggedWorktree | undefined): Promise<Reseated> {
    // What it was first seated for is over, and so may be the signal of that.
    const request = { ...first, signal: undefined };
    const logs = request.fork ? await allLogs() : undefined;
    if (!had) return { seat: await seatChild(request, logs) };
    const { agentId } = request;
    const ports = isolationAt(parts.cwd);
    const worktree = (await resumeIsolation(agentId, had, ports)) ?? (await isolateAgent(agentId, ports));
    try {
      const seat = await seatChild({ ...request, cwd: worktree.path, env: worktree.env }, logs);
      return { seat, finishWorktree: worktree.finish };
    } catch (error) {
      await worktree.finish();
      throw error;
    }
  }

  const allLogs = async () => new Map([...(await agents.readLogs()), [opened.leadLog.agent, await agents.readLead()]]);

  /** An agent that is known from its log only. */
  async function recall(who: string): Promise<Subagent | undefined> {
    const logs = await agents.readLogs();
    for (const [id, envelopes] of logs) {
      const spawned = envelopes.map(({ event }) => event).find((event) => event.type === "agent.spawned");
      if (!spawned?.parent || ![id, spawned.path, spawned.path.split("/").at(-1)].includes(who)) continue;
      if (spawned.remote) throw staysElsewhere(spawned.path);
      const isFork = spawned.agentType === "fork";
      const definition = agents.definitions.find(
        ({ name }) => name === (isFork ? "general-purpose" : spawned.agentType),
      );
      if (!definition)
        throw new TroupeError("agent", `${who} was of the type ${spawned.agentType}, which is not there any more.`);
      const worktree = spawned.worktree && (await resumeIsolation(id, spawned.worktree, isolationAt(parts.cwd)));
      if (spawned.worktree && !worktree)
        throw new TroupeError(
          "agent",
          `The worktree ${spawned.worktree.path} that ${who} worked in is not there any more.`,
        );
      let hear: SeatRequest["onEnvelope"] = () => undefined;
      const request: SeatRequest = {
        agentId: id,
        parent: spawned.parent,
        path: spawned.path,
        definition,
        kind: "background",
        fork: isFork,
        model: spawned.model,
        mode: spawned.permissionMode,
        cwd: worktree?.path ?? spawned.cwd,
        env: worktree?.env ?? {},
        isolated: worktree !== undefined,
        onEnvelope: (envelope) => hear(envelope),
      };
      const seat = await seatChild(request, await allLogs());
      await seat.takeUp();
      return createSubagent({
        id,
        path: spawned.path,
        name: givenName(id, spawned),
        definition,
        description: spawned.description ?? definition.name,
        parent: spawned.parent,
        isFork,
        ...defaults,
        seat,
        reseat: () => reseat(request, spawned.worktree),
        finishWorktree: worktree?.finish,
        listen: (listener) => {
          hear = listener;
        },
      });
    }
    return undefined;
  }

  return {
    seat: (request, logs) => seatChild(request, logs),
    reseat,
    recall,
    of: (id) => seats.get(id)?.seat,
    logs: allLogs,
  };
}

/** What a seat is made with besides what was asked for. */
interface Outfitted {
  readonly parent: { readonly seat: Seat; readonly tools: () => readonly Tool[] };
  readonly roots: readonly string[];
  readonly outfit: AgentOutfit | undefined;
}

/** On a full disk an agent goes without its last words. */
async function unlessFull(put: Promise<void> | undefined): Promise<void> {
  try {
    await put;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}
