import type { AgentId, PermissionMode } from "../../protocol/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { AgentRuntime } from "../agent-runtime/agent-runtime.ts";
import type { OwnAgent } from "./subagents.ts";

/** A runtime with the tools of its agent. */
export interface RuntimeEntry {
  readonly runtime: AgentRuntime;
  readonly tools: () => readonly Tool[];
}

/** The runtimes of a session's subagents. Remembers what the subagents of an evicted agent inherit. */
export interface RuntimeTable {
  get(id: AgentId): AgentRuntime | undefined;
  /** The lead, for an agent that is not known or evicted. */
  entryOf(id: AgentId): RuntimeEntry;
  modeOf(id: AgentId): PermissionMode;
  rootsOf(id: AgentId): readonly string[];
  add(id: AgentId, entry: RuntimeEntry): void;
  evict(id: AgentId): void;
}

export function createRuntimeTable(lead: OwnAgent): RuntimeTable {
  const live = new Map<AgentId, RuntimeEntry>();
  const evicted = new Map<AgentId, { readonly roots: readonly string[]; readonly mode: PermissionMode }>();
  const entryOf = (id: AgentId) => live.get(id) ?? { runtime: lead.runtime, tools: lead.tools };
  return {
    get: (id) => live.get(id)?.runtime,
    entryOf,
    modeOf: (id) => live.get(id)?.runtime.mode() ?? evicted.get(id)?.mode ?? lead.runtime.mode(),
    rootsOf: (id) => evicted.get(id)?.roots ?? entryOf(id).runtime.policy.roots,
    add(id, entry) {
      live.set(id, entry);
      evicted.delete(id);
    },
    evict(id) {
      const entry = live.get(id);
      if (!entry) return;
      evicted.set(id, { roots: entry.runtime.policy.roots, mode: entry.runtime.mode() });
      live.delete(id);
    },
  };
}
