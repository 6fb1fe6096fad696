import { selectAgentTools } from "../agent/definitions/index.ts";
import {
  type Agent,
  type AgentReport,
  createAskAside,
  createConversation,
  forkMark,
  isDiskFull,
} from "../agent/index.ts";
import type {
  Ack,
  AgentId,
  AgentPath,
  ContentPart,
  Message,
  PermissionMode,
  PromptId,
  StoredEnvelope,
} from "../protocol/index.ts";
import { TroupeError } from "../protocol/index.ts";
import {
  type Child,
  type ChildSeat,
  type Children,
  createAgentTool,
  createChild,
  type ChildManner,
  createChildren,
  createRestingPlaces,
  createSendMessageTool,
  createSpawnLimits,
  lostReport,
  type LostReport,
  type ParentAgent,
  type Reseated,
  type SeatRequest,
  sendOn,
} from "../team/index.ts";
import type { Tool } from "../tool/index.ts";
import type { AgentOutfit } from "./agent-outfit.ts";
import { delegate, type DelegatedWork } from "./delegate.ts";
import { isolateAgent, type IsolationPorts, type LoggedWorktree, resumeIsolation } from "./isolate-agent.ts";
import { lastMode } from "./plan-mode.ts";
import { createSeat, type Seat, type Shared } from "./seat.ts";
import type { StartedWork } from "./session-background.ts";
import type { AgentParts } from "./session-parts.ts";

/** The sub-agents of a session, tied to its seats, tools, models and worktrees. */
export interface SessionChildren {
  /** The tools by which an agent starts others and speaks to them. */
  toolsOf(seat: () => Seat, path: AgentPath): readonly Tool[];
  /** Agents that work in the foreground go on in the background. */
  sendToBackground(): void;
  /** What is told of an agent that was at work when an earlier life of the session ended. */
  lost(started: StartedWork): Promise<LostReport | undefined>;
  /** Tells of agents that the caller was waiting for when an earlier life of the session ended: before their calls are closed. */
  tellOfLost(seat: Seat, log: readonly StoredEnvelope[]): Promise<void>;
  /** Agents that this one has started and that are at rest. */
  resting(parent: AgentId): readonly { readonly name: string; readonly description: string }[];
  agents(): readonly Agent[];
  agentOf(id: AgentId): Agent | undefined;
  /**
   * Says something of the user's to the agent of this path: at work, it hears it between two turns; finished, it goes on from
   * where it was, and the one that has started it is told of its end. Undefined: there is no such agent.
   */
  say(path: AgentPath, parts: readonly ContentPart[]): Promise<Ack | undefined>;
  paths(): readonly AgentPath[];
  /** Has an agent do one thing, beside whatever the session does. */
  delegate(work: DelegatedWork): Promise<AgentReport>;
  /** Stops what the agent of this path does, and nothing else. False: there is no such agent. */
  interrupt(path: AgentPath): Promise<boolean>;
  interruptAll(reason: string): Promise<void>;
  close(): Promise<void>;
}

export function createSessionChildren(shared: Shared, agents: AgentParts): SessionChildren {
  const { parts } = shared;
  const { opened, clock, createId } = parts;
  const seats = new Map<AgentId, { seat: Seat; tools: () => readonly Tool[] }>();
  const limits = createSpawnLimits(parts.limits ?? {}, { clock });
  for (const { event } of parts.earlierAgents ?? []) limits.recall(event);
  const places = createRestingPlaces();
  const { watchdog, asides } = agents;
  const manner: ChildManner = { clock, watchdog, asides, onWake: places.wakes, onRest: places.rests };
  /** Of agents that were put away: what those they have started may do. */
  const away = new Map<AgentId, { readonly roots: readonly string[]; readonly mode: PermissionMode }>();
  const modeOf = (id: AgentId) => seats.get(id)?.seat.mode() ?? away.get(id)?.mode ?? agents.lead().mode();
  const closing = new AbortController();
  const sendToBackground = new Set<() => void>();
  const isolationAt = (cwd: string): IsolationPorts => ({
    place: { ...agents.place, cwd, env: parts.childEnv, clock, createId },
    settings: agents.worktree,
    hooks: agents.lead().hooks,
  });

  const children: Children = createChildren({
    definitions: agents.definitions,
    rules: parts.rules,
    seat: (request) => seatChild(request, undefined),
    reseat,
    recall,
    limits,
    manner,
    createId,
    forks: agents.forks,
    earlierNames: (parts.earlierAgents ?? []).flatMap(({ agent, event }) =>
      event.type === "agent.spawned" ? (givenName(agent, event) ?? []) : [],
    ),
    modelOverride: agents.modelOverride,
    modeSetting: agents.modeSetting,
    isolate: (agentId, cwd, signal) => isolateAgent(agentId, isolationAt(cwd), signal),
  });

  /** The messages an agent had up to and including its answer of a turn, from memory or from its log. */
  const inheritFrom =
    (logs: ReadonlyMap<AgentId, readonly StoredEnvelope[]> | undefined) =>
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

  async function seatChild(
    request: SeatRequest,
    logs: ReadonlyMap<AgentId, readonly StoredEnvelope[]> | undefined,
  ): Promise<ChildSeat> {
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
    logs: ReadonlyMap<AgentId, readonly StoredEnvelope[]> | undefined,
    { parent, roots, outfit }: Outfitted,
  ): Promise<ChildSeat> {
    const { fork } = request;
    const definition = outfit?.definition ?? request.definition;
    const log = await opened.agentLog(request.agentId);
    const own = toolsOf(() => seat, request.path);
    const { kind, mode } = request;
    const userDefined = definition.source.level !== "built-in";
    const select = whenChanged(
      () => [...(outfit?.pool(parts.tools()) ?? parts.tools()), ...own],
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
        resting: () => resting(request.agentId),
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
        await seat.background.recover(log.replayed, lost);
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
  async function reseat({ signal: _, ...request }: SeatRequest, had: LoggedWorktree | undefined): Promise<Reseated> {
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
  async function recall(who: string): Promise<Child | undefined> {
    const logs = await agents.readLogs();
    for (const [id, envelopes] of logs) {
      const spawned = envelopes.map(({ event }) => event).find((event) => event.type === "agent.spawned");
      if (!spawned?.parent || ![id, spawned.path, spawned.path.split("/").at(-1)].includes(who)) continue;
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
      return createChild({
        id,
        path: spawned.path,
        name: givenName(id, spawned),
        definition,
        description: spawned.description ?? definition.name,
        parent: spawned.parent,
        isFork,
        ...manner,
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

  function toolsOf(seat: () => Seat, path: AgentPath): readonly Tool[] {
    const parent = (): ParentAgent => ({
      id: seat().id,
      path,
      model: seat().model().ref,
      mode: seat().mode(),
      cwd: seat().cwd(),
      roots: seat().policy.roots,
      isFork: isForked(seat().conversation.answered()),
      turn: seat().conversation.turn,
    });
    return [
      createAgentTool({
        children,
        parent,
        handOverMs: agents.handOverMs,
        forks: agents.forks,
        sentToBackground: (signal) =>
          new Promise((resolve) => {
            if (!signal.aborted) sendToBackground.add(resolve);
            const leave = () => {
              sendToBackground.delete(resolve);
              resolve();
            };
            signal.addEventListener("abort", leave, { once: true });
          }),
      }),
      createSendMessageTool({ children }),
    ];
  }

  async function lost(started: StartedWork): Promise<LostReport | undefined> {
    if (started.agent === undefined) return undefined;
    const { agent, backgroundId: taskId, description } = started;
    return lostReport(
      { agent, taskId, description, wantsCheck: asides.handOverCheck },
      (await agents.readLogs()).get(agent) ?? [],
    );
  }

  const earlierPaths = (parts.earlierAgents ?? []).flatMap(({ event }) =>
    event.type === "agent.spawned" && event.parent !== undefined ? [event.path] : [],
  );
  const paths = () => [...new Set([...earlierPaths, ...children.all().map(({ path }) => path)])];

  const resting = (parent: AgentId) =>
    children
      .all()
      .filter((child) => child.parent === parent && !child.running)
      .map(({ id, name, description }) => ({ name: name ?? id, description }));

  return {
    toolsOf,
    sendToBackground() {
      for (const resolve of sendToBackground) resolve();
      sendToBackground.clear();
    },
    lost,
    async tellOfLost(seat, log) {
      const open = new Set(seat.conversation.openCalls().map(({ call }) => call.callId));
      if (open.size === 0) return;
      const known = new Set(
        log.flatMap(({ event }) => (event.type === "background.started" ? (event.agent ?? []) : [])),
      );
      for (const [agent, envelopes] of await agents.readLogs()) {
        const spawned = envelopes.map(({ event }) => event).find((event) => event.type === "agent.spawned");
        if (spawned?.parent !== seat.id || known.has(agent)) continue;
        if (spawned.callId === undefined || !open.has(spawned.callId)) continue;
        const { text } = lostReport(
          { agent, description: spawned.description ?? spawned.agentType, wantsCheck: asides.handOverCheck },
          envelopes,
        );
        const promptId = agent.replace(/^agt_/, "prm_") as PromptId;
        await seat.agent.admitOnce({ promptId, source: "background", parts: [{ type: "text", text }] });
      }
    },
    resting,
    agentOf: (id) => seats.get(id)?.seat.agent,
    agents: () => [...seats.values()].map(({ seat }) => seat.agent),
    paths,
    delegate: (work) =>
      delegate(
        { ...work, signal: work.signal ? AbortSignal.any([work.signal, closing.signal]) : closing.signal },
        {
          agents,
          manner,
          leadId: opened.leadLog.agent,
          newId: () => createId<AgentId>("agt"),
          seat: seatChild,
          logs: allLogs,
          async place(signal) {
            const admitted = await limits.admit({ parentDepth: 0, signal, isBack: true });
            if (!admitted.ok) throw new TroupeError("agent", admitted.message);
            return admitted.place;
          },
        },
      ),
    async say(path, said) {
      const child = await children.find(path);
      if (child?.path !== path) return undefined;
      const submitted = (await agents.lead().hooks?.submitted(said)) ?? { parts: said };
      if ("blocked" in submitted) return { ok: false, code: "blocked_by_hook", message: submitted.blocked };
      const parent = children.all().find(({ id }) => id === child.parent);
      // One that rests itself would have to be woken for the news: the lead gets it.
      const hears = (parent?.running ? seats.get(child.parent)?.seat : undefined) ?? agents.lead();
      const { description } = child;
      const ports = { children, background: hears.background.tasks, signal: closing.signal };
      await sendOn(child, { parts: submitted.parts, by: "user", description }, ports);
      return { ok: true };
    },
    async interrupt(path) {
      const child = children.all().find((each) => each.path === path);
      if (child?.running) await child.interrupt("the user interrupted it");
      return child !== undefined || earlierPaths.includes(path);
    },
    async interruptAll(reason) {
      await Promise.all(children.all().flatMap((child) => (child.running ? [child.interrupt(reason)] : [])));
    },
    async close() {
      closing.abort(new DOMException("the session is closed", "AbortError"));
      await children.close();
    },
  };
}

/** What a seat is made with besides what was asked for. */
interface Outfitted {
  readonly parent: { readonly seat: Seat; readonly tools: () => readonly Tool[] };
  readonly roots: readonly string[];
  readonly outfit: AgentOutfit | undefined;
}

/** What is made of a list, made again only when the list has other members. */
function whenChanged<T, R>(list: () => readonly T[], make: (list: readonly T[]) => R): () => R {
  let last: { list: readonly T[]; made: R } | undefined;
  return () => {
    const now = list();
    const same = last?.list.length === now.length && last.list.every((member, index) => member === now[index]);
    if (!last || !same) last = { list: now, made: make(now) };
    return last.made;
  };
}

/** The name it was given when it was started; undefined where its path has one that was made up. */
function givenName(id: AgentId, { path, agentType }: { path: AgentPath; agentType: string }): string | undefined {
  const last = path.split("/").at(-1);
  return last === `${agentType}-${id.slice(-6)}` ? undefined : last;
}

/** By its mark in the conversation: that survives where it came from being lost. */
function isForked(messages: readonly Message[]): boolean {
  return messages.some(
    ({ role, parts }) =>
      role === "user" && parts.some((part) => part.type === "text" && part.text.startsWith(forkMark)),
  );
}

/** On a full disk an agent goes without its last words. */
async function unlessFull(put: Promise<void> | undefined): Promise<void> {
  try {
    await put;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}
