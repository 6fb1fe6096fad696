import { type AgentTools, selectAgentTools } from "../../agent/definitions/index.ts";
import {
  createAskSideQuestion,
  createConversation,
  isDiskFull,
  type OngoingAgent,
  troupeNotice,
} from "../../agent/index.ts";
import {
  type AgentDefinition,
  type AgentId,
  type AgentPath,
  type Message,
  type PermissionMode,
  type StoredEnvelope,
  TroupeError,
} from "../../protocol/index.ts";
import {
  requestFromLog,
  type Subagent,
  type SubagentDefaults,
  type SubagentRuntime,
  createSubagent,
  type CrashReport,
  type ReopenedRuntime,
  type RuntimeRequest,
  remoteSubagentError,
  subagentName,
} from "../../team/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { AgentExtras } from "../agent-types/agent-extras.ts";
import { type IsolationPorts, type LoggedWorktree, reopenIsolation } from "./isolate-in-worktree.ts";
import { lastMode } from "../permissions/plan-mode.ts";
import { createAgentRuntime, type AgentRuntime, type SessionResources } from "../agent-runtime/agent-runtime.ts";
import type { StartedWork } from "../agent-runtime/background-work.ts";
import type { AgentDependencies } from "../session-dependencies.ts";
import { memoizeByList } from "../agent-runtime/memoize-by-list.ts";

type Logs = ReadonlyMap<AgentId, readonly StoredEnvelope[]>;

/**
 * The agent runtimes of a session's subagents: new ones, those resumed from logs, and those reopened after eviction.
 */
export interface SubagentRuntimes {
  runtime(request: RuntimeRequest, logs?: Logs): Promise<SubagentRuntime>;
  /**
   * Reopens the runtime of an evicted subagent. Creates its worktree again if it was removed because it had no changes.
   */
  reopen(request: RuntimeRequest, previousWorktree: LoggedWorktree | undefined): Promise<ReopenedRuntime>;
  /** Resumes a subagent that exists only in the logs, by its id, path or name. */
  resume(who: string): Promise<Subagent | undefined>;
  /** Undefined for the lead and for evicted subagents. */
  get(id: AgentId): AgentRuntime | undefined;
  logs(): Promise<Logs>;
}

export interface SubagentRuntimePorts {
  readonly defaults: SubagentDefaults;
  isolationAt(cwd: string): IsolationPorts;
  toolsOf(runtime: () => AgentRuntime, path: AgentPath): readonly Tool[];
  reportLostWork(started: StartedWork): Promise<CrashReport | "still running" | undefined>;
  subagentsOf(parent: AgentId): readonly OngoingAgent[];
}

export function createSubagentRuntimes(
  shared: SessionResources,
  agents: AgentDependencies,
  ports: SubagentRuntimePorts,
): SubagentRuntimes {
  const { parts } = shared;
  const { opened, createId } = parts;
  const { defaults, isolationAt, toolsOf, reportLostWork, subagentsOf } = ports;
  const runtimes = new Map<AgentId, { runtime: AgentRuntime; tools: () => readonly Tool[] }>();
  /** Roots and modes of evicted agents, from which their subagents inherit. */
  const evicted = new Map<AgentId, { readonly roots: readonly string[]; readonly mode: PermissionMode }>();
  const modeOf = (id: AgentId) => runtimes.get(id)?.runtime.mode() ?? evicted.get(id)?.mode ?? agents.lead().mode();

  /** Returns an agent's messages up to its answer of a turn, from memory or from its log. */
  const inheritFrom =
    (logs: Logs | undefined) =>
    (from: AgentId, turn: number): readonly Message[] => {
      const live =
        runtimes.get(from)?.runtime.conversation ??
        (from === opened.leadLog.agent ? agents.lead().conversation : undefined);
      // If logs are given they are used: the conversation in memory may have been compacted since.
      if (!logs && live?.turn === turn) return live.answered();
      const conversation = createConversation();
      for (const { event } of logs?.get(from) ?? []) {
        conversation.apply(event);
        if (event.type === "turn.ended" && event.turn === turn) return conversation.answered();
      }
      throw new TroupeError(
        "agent",
        `Cannot resume this fork: the conversation of ${from} at turn ${turn} no longer exists.`,
      );
    };

  async function openSubagentRuntime(request: RuntimeRequest, logs: Logs | undefined): Promise<SubagentRuntime> {
    const parent = runtimes.get(request.parent) ?? { runtime: agents.lead(), tools: agents.leadTools };
    const { cwd } = request;
    const hasOwnFolder = request.worktree !== undefined || request.delegated;
    const roots = hasOwnFolder
      ? [cwd, ...parts.addedDirectories]
      : (evicted.get(request.parent)?.roots ?? parent.runtime.policy.roots);
    const extras = request.fork
      ? undefined
      : await agents.loadExtras(request.definition, { cwd, roots, signal: request.signal });
    try {
      return await buildRuntime(request, logs, { parent, roots, extras });
    } catch (error) {
      await extras?.stop();
      throw error;
    }
  }

  async function buildRuntime(
    request: RuntimeRequest,
    logs: Logs | undefined,
    { parent, roots, extras }: RuntimeInputs,
  ): Promise<SubagentRuntime> {
    const { fork } = request;
    const definition = extras?.definition ?? request.definition;
    const log = await opened.agentLog(request.agentId);
    const own = toolsOf(() => runtime, request.path);
    const { kind, mode } = request;
    const userDefined = definition.source.level !== "built-in";
    const workerPool = (pool: readonly Tool[]) => parts.coordinator?.workerPool(pool) ?? pool;
    const select = memoizeByList(
      () => workerPool([...(extras?.pool(parts.tools()) ?? parts.tools()), ...own]),
      (pool) => selectAgentTools({ definition, pool, kind, mode, userDefined }),
    );
    const tools = fork ? parent.tools : () => select().tools;
    const runtime = createAgentRuntime(
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
        permissionMode: (request.delegated ? undefined : lastMode(log.replayed)) ?? request.mode,
        roots,
        memory: extras?.memory,
        ready: extras?.ready,
        ceiling: request.delegated ? undefined : () => modeOf(request.parent),
        bubblesTo: fork && !request.delegated ? () => modeOf(request.parent) : undefined,
        rules: parts.rules,
        env: { ...parts.childEnv, ...request.env },
        maxTurns: fork ? parts.maxTurns : (definition.maxTurns ?? parts.maxTurns),
        inherit: inheritFrom(logs),
        openHooks: fork ? undefined : (await agents.hooksOf(definition))?.create,
        subagents: () => subagentsOf(request.agentId),
      },
    );
    const loadedExtras = await extras?.load(runtime.policy, tools);
    runtimes.set(request.agentId, { runtime, tools });
    evicted.delete(request.agentId);
    const small = agents.smallModelFor(request.model);
    const attach = () => extras?.attach({ record: runtime.agent.record, ask: shared.ask, createId });
    const begin: SubagentRuntime["begin"] = async (spawned, inherited) => {
      await runtime.agent.record({ type: "agent.spawned", ...spawned });
      if (inherited) await runtime.agent.record({ type: "context.inherited", ...inherited });
      attach();
      const system = loadedExtras
        ? await agents.systemOf(definition, {
            ...placeOf(request),
            tools: tools().map(({ name }) => name),
            extras: loadedExtras,
          })
        : parent.runtime.conversation.system;
      await runtime.agent.record({ type: "context.composed", system: [...system] });
      const hookContext = (await runtime.hooks?.spawned()) ?? [];
      if (hookContext.length > 0) await runtime.agent.admit("hook", hookContext);
    };
    return {
      agent: runtime.agent,
      conversation: runtime.conversation,
      replayed: log.replayed,
      notices: loadedExtras ? [...definitionProblems(definition, select()), ...loadedExtras.notices] : [],
      async begin(spawned, inherited) {
        try {
          await begin(spawned, inherited);
        } catch (error) {
          await extras?.stop();
          throw error;
        }
      },
      async resume() {
        attach();
        await tellRecreatedWorktree(runtime, request);
        await runtime.agent.closeOpenCalls();
        await runtime.background.recover(log.replayed, reportLostWork);
      },
      async stopLeftovers() {
        await runtime.background.stopRunning();
        await extras?.stop();
      },
      askSideQuestion:
        small &&
        createAskSideQuestion({
          client: small,
          agent: { path: request.path, type: fork ? "fork" : definition.name },
          turn: () => runtime.conversation.turn,
          record: (event) => runtime.agent.record(event),
          ledger: shared.ledger,
          costOf: parts.costOf,
        }),
      settled: async () => runtime.hooks?.settled(),
      async close() {
        await runtime.agent.close();
        await runtime.background.stopAll();
        await extras?.stop();
        await ignoreDiskFull(runtime.hooks?.stop());
        await runtime.sandbox?.close();
        evicted.set(request.agentId, { roots: runtime.policy.roots, mode: runtime.mode() });
        runtimes.delete(request.agentId);
        await log.close();
      },
    };
  }

  async function reopen(first: RuntimeRequest, previousWorktree: LoggedWorktree | undefined): Promise<ReopenedRuntime> {
    // The signal of the first run may already have aborted.
    const request = { ...first, signal: undefined };
    const logs = request.fork ? await allLogs() : undefined;
    if (!previousWorktree) return { runtime: await openSubagentRuntime(request, logs) };
    const worktree = await reopenIsolation(request.agentId, previousWorktree, isolationAt(parts.cwd));
    try {
      const runtime = await openSubagentRuntime(
        { ...request, cwd: worktree.path, env: worktree.env, worktree: worktree.facts },
        logs,
      );
      return { runtime, finishWorktree: worktree.finish };
    } catch (error) {
      await worktree.finish();
      throw error;
    }
  }

  const allLogs = async () => new Map([...(await agents.readLogs()), [opened.leadLog.agent, await agents.readLead()]]);

  async function resume(who: string): Promise<Subagent | undefined> {
    // The newest first: a name may have been taken over from an agent that could not continue.
    for (const [id, envelopes] of [...(await agents.readLogs())].toSorted(([a], [b]) => (a < b ? 1 : -1))) {
      const spawned = envelopes.map(({ event }) => event).find((event) => event.type === "agent.spawned");
      if (!spawned?.parent || ![id, spawned.path, spawned.path.split("/").at(-1)].includes(who)) continue;
      if (spawned.remote) throw remoteSubagentError(spawned.path);
      const isFork = spawned.agentType === "fork";
      const definition = agents.definitions.find(
        ({ name }) => name === (isFork ? "general-purpose" : spawned.agentType),
      );
      if (!definition)
        throw new TroupeError("agent", `Cannot resume ${who}: its agent type ${spawned.agentType} no longer exists.`);
      const worktree = spawned.worktree && (await reopenIsolation(id, spawned.worktree, isolationAt(parts.cwd)));
      let onEnvelope: RuntimeRequest["onEnvelope"] = () => undefined;
      const request: RuntimeRequest = {
        ...requestFromLog(id, { ...spawned, parent: spawned.parent }),
        definition,
        fork: isFork,
        cwd: worktree?.path ?? spawned.cwd,
        env: worktree?.env ?? {},
        worktree: worktree?.facts,
        onEnvelope: (envelope) => onEnvelope(envelope),
      };
      const runtime = await openSubagentRuntime(request, await allLogs());
      await runtime.resume();
      return createSubagent({
        id,
        path: spawned.path,
        name: subagentName(id, spawned),
        definition,
        description: spawned.description ?? definition.name,
        parent: spawned.parent,
        isFork,
        ...defaults,
        runtime,
        reopen: () => reopen(request, spawned.worktree),
        finishWorktree: worktree?.finish,
        listen: (listener) => {
          onEnvelope = listener;
        },
      });
    }
    return undefined;
  }

  return {
    runtime: (request, logs) => openSubagentRuntime(request, logs),
    reopen,
    resume,
    get: (id) => runtimes.get(id)?.runtime,
    logs: allLogs,
  };
}

async function tellRecreatedWorktree({ agent }: AgentRuntime, { worktree }: RuntimeRequest): Promise<void> {
  if (worktree?.recreated === undefined) return;
  await agent.admit("hook", [{ type: "text", text: troupeNotice(worktree.recreated) }]);
}

interface RuntimeInputs {
  readonly parent: { readonly runtime: AgentRuntime; readonly tools: () => readonly Tool[] };
  readonly roots: readonly string[];
  readonly extras: AgentExtras | undefined;
}

const definitionProblems = ({ name }: AgentDefinition, { reports }: AgentTools) =>
  reports.map(({ field, entry, message }) => `${name}: ${field}: ${entry}: ${message}`);

const placeOf = ({ cwd, mode, worktree, delegated }: RuntimeRequest) => ({
  cwd,
  mode,
  worktree,
  sharedWith: worktree || delegated ? undefined : "the agent that started you",
});

/** Ignores a full disk: the agent closes without its last hook records. */
async function ignoreDiskFull(write: Promise<void> | undefined): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}
