import { createConversation, currentEvents, type WorktreeFacts } from "../../agent/index.ts";
import { type AgentId, type Message, type StoredEnvelope, TroupeError } from "../../protocol/index.ts";
import type { RemoteAgents } from "../../remote/index.ts";
import type {
  Isolation,
  OpenedRuntime,
  RuntimeFactory,
  RuntimeRequest,
  RuntimeSource,
  SubagentRuntime,
} from "../../team/index.ts";
import type { AgentRuntime, SessionResources } from "../agent-runtime/agent-runtime.ts";
import { addedDirectories } from "../config/added-directories.ts";
import { type BuildPorts, buildSubagentRuntime } from "./build-subagent-runtime.ts";
import { isolateInWorktree, type IsolationPorts, reopenIsolation } from "./isolate-in-worktree.ts";
import { createRuntimeTable } from "./runtime-table.ts";
import type { OwnAgent } from "./subagents.ts";

type Logs = ReadonlyMap<AgentId, readonly StoredEnvelope[]>;

/** A subagent on this machine, in its folder. */
export interface LocalRequest extends RuntimeRequest {
  /** Added to the session's environment for commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Set if `cwd` is a worktree made for it, its only folder. Otherwise it works in its parent's folders. */
  readonly worktree: WorktreeFacts | undefined;
}

/** Opens the runtimes of a session's subagents, and finds those that are open. */
export interface SessionRuntimeFactory extends RuntimeFactory {
  /** Undefined for the lead and for evicted subagents. */
  get(id: AgentId): AgentRuntime | undefined;
}

export interface RuntimeFactoryPorts extends Omit<BuildPorts, "table"> {
  readonly remotes: Pick<RemoteAgents, "open">;
  isolationAt(cwd: string): IsolationPorts;
}

export function createRuntimeFactory(
  shared: SessionResources,
  lead: OwnAgent,
  ports: RuntimeFactoryPorts,
): SessionRuntimeFactory {
  const { config, log: stored, extensions } = shared.session;
  const { opened } = stored;
  const table = createRuntimeTable(lead);

  /** Returns an agent's messages up to its answer of a turn, from memory or from its log. */
  const inheritFrom =
    (logs: Logs | undefined) =>
    (from: AgentId, turn: number): readonly Message[] => {
      const live =
        table.get(from)?.conversation ?? (from === opened.leadLog.agent ? lead.runtime.conversation : undefined);
      // If logs are given they are used: the conversation in memory may have been compacted since.
      if (!logs && live?.turn === turn) return live.answered();
      const log = logs?.get(from) ?? [];
      const conversation = createConversation(undefined, (to) => currentEvents(log, to));
      for (const { event } of log) {
        conversation.apply(event);
        if (event.type === "turn.ended" && event.turn === turn) return conversation.answered();
      }
      throw new TroupeError(
        "agent",
        `Cannot resume this fork: the conversation of ${from} at turn ${turn} no longer exists.`,
      );
    };

  async function openLocal(request: LocalRequest, logs: Logs | undefined): Promise<SubagentRuntime> {
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

  const allLogs = async (): Promise<Logs> =>
    new Map([...(await stored.readAgents()), [opened.leadLog.agent, await stored.readLead()]]);

  return {
    hasWorkers: shared.session.ports.remote !== undefined,
    async open(request, source): Promise<OpenedRuntime> {
      if (source.kind === "remote") return ports.remotes.open(request, source);
      const logs = source.kind === "log" && request.fork ? await allLogs() : undefined;
      const worktree = await openWorktree(request, source);
      try {
        const { path: cwd = request.cwd, env = {}, facts, finish } = worktree ?? {};
        const runtime = await openLocal({ ...request, cwd, env, worktree: facts }, logs);
        return { runtime, worktree, finishWorktree: finish };
      } catch (error) {
        await worktree?.finish();
        throw error;
      }
    },
    readLogs: () => stored.readAgents(),
    get: table.get,
  };

  async function openWorktree(
    { agentId, cwd, signal }: RuntimeRequest,
    source: Exclude<RuntimeSource, { kind: "remote" }>,
  ): Promise<Isolation | undefined> {
    if (source.kind === "log")
      return source.worktree && reopenIsolation(agentId, source.worktree, ports.isolationAt(config.cwd));
    const { worktreeLabel: label } = source;
    return label === undefined ? undefined : isolateInWorktree({ agentId, label }, ports.isolationAt(cwd), signal);
  }
}
