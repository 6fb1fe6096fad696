import { type Agent, type AgentReport, forkMarker, type OngoingAgent } from "../../agent/index.ts";
import type { Ack, AgentId, AgentPath, ContentPart, Message, PromptId, StoredEnvelope } from "../../protocol/index.ts";
import { leadPath, TroupeError } from "../../protocol/index.ts";
import {
  type SubagentRegistry,
  createAgentTool,
  type SubagentDefaults,
  createSubagentRegistry,
  createIdleCache,
  createSendMessageTool,
  createAgentSlots,
  createCrashReport,
  type CrashReport,
  type ParentAgent,
  resumeSubagent,
  type AgentSlot,
  type Isolation,
  type TeammateStarter,
  subagentName,
} from "../../team/index.ts";
import type { Tool } from "../../tool/index.ts";
import { createSubagentRuntimes } from "./subagent-runtimes.ts";
import { runDelegatedTask, type DelegatedWork } from "./run-delegated-task.ts";
import { landTools } from "./session-land-tool.ts";
import { isolateInWorktree, type IsolationPorts } from "./isolate-in-worktree.ts";
import { createRemoteAgents } from "../remote/remote-agents.ts";
import { type AgentRuntime, type SessionResources } from "../agent-runtime/agent-runtime.ts";
import type { StartedWork } from "../agent-runtime/background-work.ts";
import type { AgentDependencies } from "../session-dependencies.ts";

/** The subagents of a session, with its runtimes, tools, models and worktrees. */
export interface SessionSubagents {
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
  /** Report for a subagent that was running when the previous process ended. */
  reportLostWork(started: StartedWork): Promise<CrashReport | "still running" | undefined>;
  /** Resumes remote agents of previous runs of the session. Call it before open calls are closed. */
  resumeRemoteAgents(runtime: AgentRuntime, log: readonly StoredEnvelope[]): Promise<void>;
  /** The session ends. Remote agents continue and are found again when it is resumed. */
  leave(): Promise<void>;
  /** Reports agents that a call was waiting for when the previous run ended. Call it before open calls are closed. */
  reportLostAgents(runtime: AgentRuntime, log: readonly StoredEnvelope[]): Promise<void>;
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

export function createSessionSubagents(shared: SessionResources, agents: AgentDependencies): SessionSubagents {
  const { parts } = shared;
  const { opened, clock, createId } = parts;
  const limits = parts.spawnLimits ?? createAgentSlots(parts.limits ?? {}, { clock });
  for (const { event } of [...opened.leadLog.replayed, ...(parts.earlierAgents ?? [])]) limits.countEarlier(event);
  const idleSlots = createIdleCache();
  const { watchdog, sideQuestions: asides, remote: work } = agents;
  const defaults: SubagentDefaults = {
    clock,
    watchdog,
    sideQuestions: asides,
    onWake: idleSlots.wakes,
    onIdle: idleSlots.rests,
  };
  const closing = new AbortController();
  const sendToBackground = new Set<() => void>();
  const placeAt = (cwd: string) => ({ ...agents.place, cwd, env: parts.childEnv, clock, createId });
  const isolationAt = (cwd: string): IsolationPorts => ({
    place: placeAt(cwd),
    settings: agents.repository.worktree,
    hooks: agents.lead().hooks,
  });

  const runtimes = createSubagentRuntimes(shared, agents, {
    defaults,
    isolationAt,
    toolsOf: (runtime, path) => toolsOf(runtime, path),
    reportLostWork: (started) => reportLostWork(started),
    subagentsOf: (parent) => subagentsOf(parent),
  });

  const subagents: SubagentRegistry = createSubagentRegistry({
    definitions: agents.definitions,
    rules: parts.rules,
    ...runtimes,
    limits,
    defaults,
    createId,
    forks: agents.forks,
    coordinator: parts.coordinator !== undefined,
    earlierNames: (parts.earlierAgents ?? []).flatMap(({ agent, event }) =>
      event.type === "agent.spawned" ? (subagentName(agent, event) ?? []) : [],
    ),
    modelOverride: agents.modelOverride,
    modeSetting: agents.modeSetting,
    isolate: (agent, signal) => isolateInWorktree(agent, isolationAt(agent.cwd), signal),
    openRemoteRuntime: work && ((request) => remotes.runtime(request)),
  });
  const remotes = createRemoteAgents(shared, agents, {
    defaults,
    placeAt,
    adopt: (subagent) => subagents.adopt(subagent),
    acquireSlotNow: limits.acquireSlotNow,
  });

  function toolsOf(runtime: () => AgentRuntime, path: AgentPath, teammates?: TeammateStarter): readonly Tool[] {
    const parent = (): ParentAgent => ({
      id: runtime().id,
      path,
      model: runtime().model().ref,
      mode: runtime().mode(),
      cwd: runtime().cwd(),
      roots: runtime().policy.roots,
      isFork: isForked(runtime().conversation.answered()),
      turn: runtime().conversation.turn,
    });
    return [
      createAgentTool({
        subagents,
        parent,
        backgroundAfterMs: agents.backgroundAfterMs,
        clock,
        forks: agents.forks,
        ...callerFacts(parts, path),
        teammates,
        sentToBackground: (signal) => whenSent(sendToBackground, signal),
      }),
      createSendMessageTool({ subagents }),
      ...landTools(path, { place: placeAt(parts.cwd), agents, teammates, runtime, delegate }),
    ];
  }

  async function reportLostWork(started: StartedWork): Promise<CrashReport | "still running" | undefined> {
    if (started.agent === undefined) return undefined;
    if (remotes.isResumed(started.agent)) return "still running";
    const { agent, backgroundId: taskId, description } = started;
    return createCrashReport(
      { agent, taskId, description, wantsCheck: asides.reportCheck },
      (await agents.readLogs()).get(agent) ?? [],
    );
  }

  const earlierPaths = (parts.earlierAgents ?? []).flatMap(({ event }) =>
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
        agents,
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
    reportLostWork,
    resumeRemoteAgents: remotes.resume,
    leave: remotes.leave,
    async reportLostAgents(runtime, log) {
      const open = new Set(runtime.conversation.openCalls().map(({ call }) => call.callId));
      if (open.size === 0) return;
      const known = new Set(
        log.flatMap(({ event }) => (event.type === "background.started" ? (event.agent ?? []) : [])),
      );
      for (const [agent, envelopes] of await agents.readLogs()) {
        const spawned = envelopes.map(({ event }) => event).find((event) => event.type === "agent.spawned");
        if (spawned?.parent !== runtime.id || known.has(agent) || remotes.isResumed(agent)) continue;
        if (spawned.callId === undefined || !open.has(spawned.callId)) continue;
        const { text } = createCrashReport(
          { agent, description: spawned.description ?? spawned.agentType, wantsCheck: asides.reportCheck },
          envelopes,
        );
        const promptId = agent.replace(/^agt_/, "prm_") as PromptId;
        await runtime.agent.admitOnce({ promptId, source: "background", parts: [{ type: "text", text }] });
      }
    },
    subagentsOf,
    agentOf: (id) => runtimes.get(id)?.agent,
    paths,
    delegate,
    async sendPrompt(path, content) {
      const subagent = await subagents.find(path);
      if (subagent?.path !== path) return undefined;
      const submitted = (await agents.lead().hooks?.submitted(content)) ?? { parts: content };
      if ("blocked" in submitted) return { ok: false, code: "blocked_by_hook", message: submitted.blocked };
      const parent = subagents.all().find(({ id }) => id === subagent.parent);
      // If the parent is idle the report goes to the lead, because the parent would have to be woken for it.
      const reportTo = (parent?.running ? runtimes.get(subagent.parent) : undefined) ?? agents.lead();
      const ports = { subagents, background: reportTo.background.tasks, signal: closing.signal };
      await resumeSubagent(subagent, { parts: submitted.parts, by: "user", description: subagent.description }, ports);
      return { ok: true };
    },
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

const callerFacts = ({ coordinator, asker, permissionMode }: SessionResources["parts"], path: AgentPath) => ({
  coordinator: coordinator !== undefined,
  hasUser: path === leadPath && asker === "reply",
  mode: permissionMode,
});

/** Uses the mark in the conversation, which stays even if the parent is unknown. */
function isForked(messages: readonly Message[]): boolean {
  return messages.some(
    ({ role, parts }) =>
      role === "user" && parts.some((part) => part.type === "text" && part.text.startsWith(forkMarker)),
  );
}
