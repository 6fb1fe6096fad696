import { createConversation } from "../../agent/index.ts";
import { type AgentId, type Message, type StoredEnvelope, TroupeError } from "../../protocol/index.ts";
import {
  createSubagent,
  remoteSubagentError,
  type ReopenedRuntime,
  requestFromLog,
  type RuntimeRequest,
  type Subagent,
  type SubagentDefaults,
  subagentName,
  type SubagentRuntime,
} from "../../team/index.ts";
import type { AgentRuntime, SessionResources } from "../agent-runtime/agent-runtime.ts";
import { addedDirectories } from "../config/added-directories.ts";
import { type BuildPorts, buildSubagentRuntime } from "./build-subagent-runtime.ts";
import { type IsolationPorts, type LoggedWorktree, reopenIsolation } from "./isolate-in-worktree.ts";
import { createRuntimeTable } from "./runtime-table.ts";
import type { OwnAgent } from "./subagents.ts";

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

export interface SubagentRuntimePorts extends Omit<BuildPorts, "table"> {
  readonly defaults: SubagentDefaults;
  isolationAt(cwd: string): IsolationPorts;
}

export function createSubagentRuntimes(
  shared: SessionResources,
  lead: OwnAgent,
  ports: SubagentRuntimePorts,
): SubagentRuntimes {
  const { config, log: stored, extensions } = shared.session;
  const { opened } = stored;
  const { defaults, isolationAt } = ports;
  const table = createRuntimeTable(lead);

  /** Returns an agent's messages up to its answer of a turn, from memory or from its log. */
  const inheritFrom =
    (logs: Logs | undefined) =>
    (from: AgentId, turn: number): readonly Message[] => {
      const live =
        table.get(from)?.conversation ?? (from === opened.leadLog.agent ? lead.runtime().conversation : undefined);
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
    const { cwd } = request;
    const hasOwnFolder = request.worktree !== undefined || request.delegated;
    const roots = hasOwnFolder ? [cwd, ...addedDirectories(config)] : table.rootsOf(request.parent);
    const extras = request.fork
      ? undefined
      : await extensions.extrasOf(request.definition, { cwd, roots, signal: request.signal });
    try {
      return await buildSubagentRuntime(request, shared, {
        ...ports,
        table,
        roots,
        extras,
        inherit: inheritFrom(logs),
      });
    } catch (error) {
      await extras?.stop();
      throw error;
    }
  }

  async function reopen(first: RuntimeRequest, previousWorktree: LoggedWorktree | undefined): Promise<ReopenedRuntime> {
    // The signal of the first run may already have aborted.
    const request = { ...first, signal: undefined };
    const logs = request.fork ? await allLogs() : undefined;
    if (!previousWorktree) return { runtime: await openSubagentRuntime(request, logs) };
    const worktree = await reopenIsolation(request.agentId, previousWorktree, isolationAt(config.cwd));
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

  const allLogs = async () =>
    new Map([...(await stored.readAgents()), [opened.leadLog.agent, await stored.readLead()]]);

  async function resume(who: string): Promise<Subagent | undefined> {
    // The newest first: a name may have been taken over from an agent that could not continue.
    for (const [id, envelopes] of [...(await stored.readAgents())].toSorted(([a], [b]) => (a < b ? 1 : -1))) {
      const spawned = envelopes.map(({ event }) => event).find((event) => event.type === "agent.spawned");
      if (!spawned?.parent || ![id, spawned.path, spawned.path.split("/").at(-1)].includes(who)) continue;
      if (spawned.remote) throw remoteSubagentError(spawned.path);
      const isFork = spawned.agentType === "fork";
      const definition = extensions.definitions.find(
        ({ name }) => name === (isFork ? "general-purpose" : spawned.agentType),
      );
      if (!definition)
        throw new TroupeError("agent", `Cannot resume ${who}: its agent type ${spawned.agentType} no longer exists.`);
      const worktree = spawned.worktree && (await reopenIsolation(id, spawned.worktree, isolationAt(config.cwd)));
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
    get: table.get,
    logs: allLogs,
  };
}
