import type { Agent, AgentReport, OngoingAgent } from "../../agent/index.ts";
import {
  type Ack,
  type AgentId,
  type AgentPath,
  type ContentPart,
  type StoredEnvelope,
  TroupeError,
} from "../../protocol/index.ts";
import {
  type SubagentRegistry,
  type SubagentDefaults,
  createSubagentRegistry,
  createIdleCache,
  createAgentSlots,
  type ParentAgent,
  resumeSubagent,
  type AgentSlot,
  type Isolation,
  type TeammateStarter,
  subagentName,
} from "../../team/index.ts";
import type { Tool } from "../../tool/index.ts";
import { createLostAgents, type LostAgents } from "./lost-agents.ts";
import { createSubagentRuntimes, type SubagentRuntimes } from "./subagent-runtimes.ts";
import { subagentTools } from "./subagent-tools.ts";
import { runDelegatedTask, type DelegatedWork } from "./run-delegated-task.ts";
import { isolateInWorktree, type IsolationPorts } from "./isolate-in-worktree.ts";
import { createRemoteAgents } from "../remote/remote-agents.ts";
import { type AgentRuntime, type SessionResources } from "../agent-runtime/agent-runtime.ts";

/** The subagents of a session, with its runtimes, tools, models and worktrees. */
export interface SessionSubagents extends LostAgents {
  readonly registry: SubagentRegistry;
  /** Acquires a slot for a new agent. Throws if there is none. */
  acquireSlot(parent: ParentAgent, signal: AbortSignal): Promise<AgentSlot>;
  /** Acquires a slot at once for an agent that already works, optionally for a member: `name@team`. */
  acquireSlotNow(member?: string): AgentSlot;
  /** Makes a worktree for a teammate of this name. */
  isolate(teammate: { readonly label: string; readonly cwd: string }, signal: AbortSignal): Promise<Isolation>;
  /** The tools with which an agent starts other agents and sends them messages. */
  toolsOf(runtime: () => AgentRuntime, path: AgentPath, teammates?: TeammateStarter): readonly Tool[];
  /** Moves foreground agents to the background. */
  sendToBackground(): void;
  /** Resumes remote agents of previous runs of the session. Call it before open calls are closed. */
  resumeRemoteAgents(runtime: AgentRuntime, log: readonly StoredEnvelope[]): Promise<void>;
  /** The session ends. Remote agents continue and are found again when it is resumed. */
  leave(): Promise<void>;
  /** The agents that this agent has started. */
  subagentsOf(parent: AgentId): readonly OngoingAgent[];
  agentOf(id: AgentId): Agent | undefined;
  /**
   * Sends a user's prompt to the agent of this path. A working agent reads it between two turns. A finished agent
   * continues, and its parent gets the report. Undefined if there is no such agent.
   */
  sendPrompt(path: AgentPath, parts: readonly ContentPart[]): Promise<Ack | undefined>;
  paths(): readonly AgentPath[];
  /** Runs one task in an agent, independent of the session's other work. */
  delegate(work: DelegatedWork): Promise<AgentReport>;
  /** Interrupts the agent of this path only. False if there is no such agent. */
  interrupt(path: AgentPath): Promise<boolean>;
  interruptAll(reason: string): Promise<void>;
  close(): Promise<void>;
}

/** The session's own agent, which exists only after the tools with which it starts others. */
export interface OwnAgent {
  readonly runtime: () => AgentRuntime;
  readonly tools: () => readonly Tool[];
}

export function createSessionSubagents(shared: SessionResources, own: OwnAgent): SessionSubagents {
  const { config, log, extensions, budget, role, ports: session } = shared.session;
  const { opened, earlierAgents } = log;
  const { clock, createId } = session;
  const limits = budget.slots ?? createAgentSlots(config.limits, { clock });
  for (const { event } of [...opened.leadLog.replayed, ...earlierAgents]) limits.countEarlier(event);
  const idleSlots = createIdleCache();
  const asides = {
    progress: config.subagents.progressSummaries ?? true,
    history: config.subagents.historySummaries ?? true,
    reportCheck: config.subagents.handOverCheck === "on",
  };
  const defaults: SubagentDefaults = {
    clock,
    watchdog: config.watchdog,
    sideQuestions: asides,
    onWake: idleSlots.wakes,
    onIdle: idleSlots.rests,
  };
  const closing = new AbortController();
  const sendToBackground = new Set<() => void>();
  const placeAt = (cwd: string) => ({
    home: config.home,
    userHome: config.userHome,
    cwd,
    env: config.childEnv,
    clock,
    createId,
  });
  const isolationAt = (cwd: string): IsolationPorts => ({
    place: placeAt(cwd),
    settings: config.worktree,
    hooks: own.runtime().hooks,
  });

  const runtimes = createSubagentRuntimes(shared, own, {
    defaults,
    isolationAt,
    toolsOf: (runtime, path) => toolsOf(runtime, path),
    reportLostWork: (started) => lost.reportLostWork(started),
    subagentsOf: (parent) => subagentsOf(parent),
  });

  const subagents: SubagentRegistry = createSubagentRegistry({
    definitions: extensions.definitions,
    rules: extensions.rules,
    ...runtimes,
    limits,
    defaults,
    createId,
    forks: role.forks,
    coordinator: role.coordinator !== undefined,
    earlierNames: earlierAgents.flatMap(({ agent, event }) =>
      event.type === "agent.spawned" ? (subagentName(agent, event) ?? []) : [],
    ),
    modelOverride: config.subagentModel?.value,
    modeSetting: config.subagents.permissionMode,
    isolate: (agent, signal) => isolateInWorktree(agent, isolationAt(agent.cwd), signal),
    openRemoteRuntime: session.remote && ((request) => remotes.runtime(request)),
  });
  const remotes = createRemoteAgents(shared, {
    lead: own.runtime,
    defaults,
    placeAt,
    adopt: (subagent) => subagents.adopt(subagent),
    acquireSlotNow: limits.acquireSlotNow,
  });

  const lost = createLostAgents({ log, isResumed: remotes.isResumed, wantsCheck: asides.reportCheck });
  const toolsOf: SessionSubagents["toolsOf"] = (runtime, path, teammates) =>
    subagentTools(
      { runtime, path, teammates },
      {
        session: shared.session,
        subagents,
        place: placeAt(config.cwd),
        leadTools: own.tools,
        delegate,
        sentToBackground: (signal) => whenSent(sendToBackground, signal),
      },
    );

  const earlierPaths = earlierAgents.flatMap(({ event }) =>
    event.type === "agent.spawned" && event.parent !== undefined ? [event.path] : [],
  );
  const paths = () => [...new Set([...earlierPaths, ...subagents.all().map(({ path }) => path)])];

  const subagentsOf = (parent: AgentId) =>
    subagents
      .all()
      .filter((subagent) => subagent.parent === parent)
      .map(({ id, name, description, running }) => ({ id, name, description, running }));

  const delegate: SessionSubagents["delegate"] = (work) =>
    runDelegatedTask(
      { ...work, signal: work.signal ? AbortSignal.any([work.signal, closing.signal]) : closing.signal },
      {
        extensions,
        own,
        modelOverride: config.subagentModel?.value,
        defaults,
        leadId: opened.leadLog.agent,
        newId: () => createId<AgentId>("agt"),
        ...runtimes,
        async slot(signal) {
          const admitted = await limits.acquire({ parentDepth: 0, signal, isReturning: true });
          if (!admitted.ok) throw new TroupeError("agent", admitted.message);
          return admitted.slot;
        },
      },
    );

  return {
    registry: subagents,
    async acquireSlot(parent, signal) {
      const admitted = await limits.acquire({ parentDepth: parent.path.split("/").length - 1, signal });
      if (!admitted.ok) throw new TroupeError("agent", admitted.message);
      return admitted.slot;
    },
    acquireSlotNow: limits.acquireSlotNow,
    isolate: (mate, signal) => isolateInWorktree({ ...mate, agentId: createId("agt") }, isolationAt(mate.cwd), signal),
    toolsOf,
    sendToBackground() {
      for (const resolve of sendToBackground) resolve();
      sendToBackground.clear();
    },
    ...lost,
    resumeRemoteAgents: remotes.resume,
    leave: remotes.leave,
    subagentsOf,
    agentOf: (id) => runtimes.get(id)?.agent,
    paths,
    delegate,
    sendPrompt: (path, content) => promptSubagent(path, content, { subagents, runtimes, own, signal: closing.signal }),
    async interrupt(path) {
      const subagent = subagents.all().find((each) => each.path === path);
      if (subagent?.running) await subagent.interrupt("the user interrupted it");
      return subagent !== undefined || earlierPaths.includes(path);
    },
    async interruptAll(reason) {
      await Promise.all(subagents.all().flatMap((subagent) => (subagent.running ? [subagent.interrupt(reason)] : [])));
    },
    async close() {
      closing.abort(new DOMException("the session is closed", "AbortError"));
      await subagents.close();
    },
  };
}

/** Resolves when the user sends foreground agents to the background, or on abort. */
const whenSent = (waiting: Set<() => void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (!signal.aborted) waiting.add(resolve);
    const leave = () => {
      waiting.delete(resolve);
      resolve();
    };
    signal.addEventListener("abort", leave, { once: true });
  });

/** Continues the agent of this path with a prompt of the user. Undefined if there is no such agent. */
async function promptSubagent(
  path: AgentPath,
  content: readonly ContentPart[],
  { subagents, runtimes, own, signal }: PromptPorts,
): Promise<Ack | undefined> {
  const subagent = await subagents.find(path);
  if (subagent?.path !== path) return undefined;
  const submitted = (await own.runtime().hooks?.submitted(content)) ?? { parts: content };
  if ("blocked" in submitted) return { ok: false, code: "blocked_by_hook", message: submitted.blocked };
  const parent = subagents.all().find(({ id }) => id === subagent.parent);
  // If the parent is idle the report goes to the lead, because the parent would have to be woken for it.
  const reportTo = (parent?.running ? runtimes.get(subagent.parent) : undefined) ?? own.runtime();
  const ports = { subagents, background: reportTo.background.tasks, signal };
  await resumeSubagent(subagent, { parts: submitted.parts, by: "user", description: subagent.description }, ports);
  return { ok: true };
}

interface PromptPorts {
  readonly subagents: SubagentRegistry;
  readonly runtimes: Pick<SubagentRuntimes, "get">;
  readonly own: OwnAgent;
  readonly signal: AbortSignal;
}
