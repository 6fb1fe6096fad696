import { sandboxesOf } from "../config/folder-sandbox.ts";
import type { Config } from "../config/load-config.ts";
import type { Agent, AgentReport, LeftWorktree, OngoingAgent } from "../../agent/index.ts";
import { type Ack, type AgentId, type AgentPath, type ContentPart, type StoredEnvelope } from "../../protocol/index.ts";
import {
  type SubagentRegistry,
  type SubagentDefaults,
  createSubagentRegistry,
  createIdleCache,
  createAgentSlots,
  type ParentAgent,
  requireSlot,
  resumeSubagent,
  type AgentSlot,
  type AgentSlots,
  type RepositoryContext,
  type Isolation,
  type TeammateStarter,
  subagentName,
} from "../../team/index.ts";
import type { Tool } from "../../tool/index.ts";
import { createLostAgents, type LostAgents } from "./lost-agents.ts";
import { createRuntimeFactory, type SessionRuntimeFactory } from "./runtime-factory.ts";
import { subagentTools } from "./subagent-tools.ts";
import { runDelegatedTask, type DelegatedWork } from "./run-delegated-task.ts";
import { isolateInWorktree, leftWorktreeAt, lookAtWorktree, type IsolationPorts } from "./isolate-in-worktree.ts";
import { createRemoteAgents } from "../../remote/index.ts";
import { type AgentRuntime, type SessionResources } from "../agent-runtime/agent-runtime.ts";
import type { SessionContext } from "../session-context.ts";

/** Gives slots and folders to new agents. */
export interface SlotSource {
  /** Acquires a slot for a new agent. Throws if there is none. */
  acquireSlot(parent: ParentAgent, signal: AbortSignal): Promise<AgentSlot>;
  /** Acquires a slot at once for an agent that already works, optionally for a member: `name@team`. */
  acquireSlotNow(member?: string): AgentSlot;
  /** Makes a worktree for a teammate of this name. */
  isolate(teammate: { readonly label: string; readonly cwd: string }, signal: AbortSignal): Promise<Isolation>;
}

/** The subagents of a session, with its runtimes, tools, models and worktrees. */
export interface SessionSubagents extends LostAgents, SlotSource {
  readonly registry: SubagentRegistry;
  /** The tools with which an agent starts other agents and sends them messages. */
  toolsOf(runtime: AgentRuntime, path: AgentPath, teammates?: TeammateStarter): readonly Tool[];
  /** Moves foreground agents to the background. */
  sendToBackground(): void;
  /** Resumes remote agents of previous runs of the session. Call it before open calls are closed. */
  resumeRemoteAgents(runtime: AgentRuntime, log: readonly StoredEnvelope[]): Promise<void>;
  /** The session ends. Remote agents continue and are found again when it is resumed. */
  leave(): Promise<void>;
  /** The agents that this agent has started. */
  subagentsOf(parent: AgentId): readonly OngoingAgent[];
  /** The worktrees of this session's agents with work that has not landed. */
  leftWorktrees(): Promise<readonly LeftWorktree[]>;
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

/** The session's own agent. Its tools exist only after its subagents. */
export interface OwnAgent {
  readonly runtime: AgentRuntime;
  readonly tools: () => readonly Tool[];
}

export function createSessionSubagents(shared: SessionResources, own: OwnAgent): SessionSubagents {
  const { config, log, extensions, role, ports } = shared.session;
  const { createId } = ports;
  const { earlierAgents } = log;
  const limits = openLimits(shared.session);
  const defaults = subagentDefaults(shared.session);
  const closing = new AbortController();
  const sendToBackground = new Set<() => void>();
  const { placeAt, isolationAt, leftWorktrees } = createPlaces(shared.session, own);

  const remotes = createRemoteAgents(shared, { lead: own.runtime, placeAt });
  const lost = createLostAgents({
    log,
    isResumed: remotes.isResumed,
    wantsCheck: defaults.sideQuestions?.reportCheck ?? false,
    lookAtWorktree: (worktree) => lookAtWorktree(isolationAt(config.cwd), worktree),
  });
  const factory = createRuntimeFactory(shared, own, {
    remotes,
    isolationAt,
    toolsOf: (runtime, path) => toolsOf(runtime, path),
    reportLostWork: lost.reportLostWork,
    subagentsOf: (parent) => subagentsOf(parent),
  });
  const subagents = createSubagentRegistry({
    definitions: extensions.definitions,
    rules: extensions.rules,
    factory,
    limits,
    defaults,
    createId,
    forks: role.forks,
    coordinator: role.coordinator !== undefined,
    earlierNames: earlierAgents.flatMap(({ agent, event }) =>
      event.type === "agent.spawned" ? (subagentName(agent, event) ?? []) : [],
    ),
    models: modelsOf(config),
    modeSetting: config.subagents.permissionMode,
  });

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
        models: modelsOf(config),
        defaults,
        leadId: log.opened.leadLog.agent,
        newId: () => createId<AgentId>("agt"),
        factory,
        slot: (signal) => requireSlot(limits, { parentDepth: 0, signal, isReturning: true }),
      },
    );

  return {
    registry: subagents,
    acquireSlot: (parent, signal) => requireSlot(limits, { parentDepth: parent.path.split("/").length - 1, signal }),
    acquireSlotNow: limits.acquireSlotNow,
    isolate: (mate, signal) => isolateInWorktree({ ...mate, agentId: createId("agt") }, isolationAt(mate.cwd), signal),
    toolsOf,
    sendToBackground() {
      for (const resolve of sendToBackground) resolve();
      sendToBackground.clear();
    },
    ...lost,
    resumeRemoteAgents: (lead, replayed) =>
      remotes.resume(replayed, { lead, subagents, acquireSlotNow: limits.acquireSlotNow }),
    leave: remotes.leave,
    subagentsOf,
    leftWorktrees,
    agentOf: (id) => factory.get(id)?.agent,
    paths: () => [...new Set([...earlierPaths, ...subagents.all().map(({ path }) => path)])],
    delegate,
    sendPrompt: (path, content) => promptSubagent(path, content, { subagents, factory, own, signal: closing.signal }),
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

/** The limits on agents, with those of earlier runs counted. */
function openLimits({ config, log, budget, ports: { clock } }: SessionContext): AgentSlots {
  const limits = budget.slots ?? createAgentSlots(config.limits, { clock });
  for (const { event } of [...log.opened.leadLog.replayed, ...log.earlierAgents]) limits.countEarlier(event);
  return limits;
}

function subagentDefaults({ config: { subagents, watchdog }, ports: { clock } }: SessionContext): SubagentDefaults {
  const idle = createIdleCache();
  return {
    clock,
    watchdog,
    sideQuestions: {
      progress: subagents.progressSummaries ?? true,
      history: subagents.historySummaries ?? true,
      reportCheck: subagents.handOverCheck === "on",
    },
    onWake: idle.wakes,
    onIdle: idle.rests,
  };
}

function createPlaces({ config, log, ports: { clock, createId, worktrees } }: SessionContext, own: OwnAgent) {
  const { home, userHome, childEnv: env } = config;
  const place = { home, userHome, env, clock, createId };
  const placeAt = (cwd: string): RepositoryContext => ({ ...place, cwd, sandboxFor: sandboxesOf(config) });
  const earlier = [...log.opened.leadLog.replayed, ...log.earlierAgents];
  const opened = new Set(earlier.flatMap(({ event }) => earlierWorktree(event)));
  const isolationAt = (cwd: string): IsolationPorts => ({
    place: placeAt(cwd),
    worktrees,
    settings: config.worktree,
    hooks: own.runtime.hooks,
    onOpened: (path) => opened.add(path),
  });
  const leftWorktrees = async () => {
    const left = await Promise.all([...opened].map((path) => leftWorktreeAt(isolationAt(config.cwd), path)));
    return left.filter((worktree) => worktree !== undefined);
  };
  return { placeAt, isolationAt, leftWorktrees };
}

/** The worktree that this event tells about, unless a hook made it. */
function earlierWorktree(event: StoredEnvelope["event"]): readonly string[] {
  if (event.type === "member.joined") return event.worktreePath === undefined ? [] : [event.worktreePath];
  return event.type === "agent.spawned" && event.worktree && !event.worktree.hookMade ? [event.worktree.path] : [];
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
  { subagents, factory, own, signal }: PromptPorts,
): Promise<Ack | undefined> {
  const subagent = await subagents.find(path);
  if (subagent?.path !== path) return undefined;
  const submitted = (await own.runtime.hooks?.submitted(content)) ?? { parts: content };
  if ("blocked" in submitted) return { ok: false, code: "blocked_by_hook", message: submitted.blocked };
  const parent = subagents.all().find(({ id }) => id === subagent.parent);
  // If the parent is idle the report goes to the lead, because the parent would have to be woken for it.
  const reportTo = (parent?.running ? factory.get(subagent.parent) : undefined) ?? own.runtime;
  const ports = { subagents, background: reportTo.background.tasks, signal };
  await resumeSubagent(subagent, { parts: submitted.parts, by: "user", description: subagent.description }, ports);
  return { ok: true };
}

interface PromptPorts {
  readonly subagents: SubagentRegistry;
  readonly factory: Pick<SessionRuntimeFactory, "get">;
  readonly own: OwnAgent;
  readonly signal: AbortSignal;
}

const modelsOf = ({ subagentModel, aliases }: Config) => ({ override: subagentModel?.value, aliases });
