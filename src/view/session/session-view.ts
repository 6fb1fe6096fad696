import {
  type AgentId,
  type BackgroundId,
  type Event,
  leadPath,
  type RequestId,
  type SessionId,
} from "../../protocol/index.ts";
import type { AgentView } from "./agent-view.ts";
import { type ChunkedList, emptyList, itemAt, itemsOf } from "../lists/chunked-list.ts";
import type { TaskLists, TeamView } from "./team-view.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** Everything a frontend draws, folded from envelopes by `reduce`. Immutable. */
export interface SessionView {
  readonly sessionId: SessionId | undefined;
  readonly version: string;
  readonly cwd: string;
  readonly isCoordinator: boolean;
  readonly state:
    | { readonly kind: "new" | "open" }
    | { readonly kind: "closed"; readonly reason: Of<"session.closed">["reason"] };
  /** In order of first appearance; `agentOf` finds one by its id. */
  readonly agents: ChunkedList<AgentView>;
  readonly agentIndex: ReadonlyMap<AgentId, number>;
  /** Only open ones, oldest first. */
  readonly questions: readonly Question[];
  readonly background: ChunkedList<BackgroundView>;
  /** Positions of the running jobs in `background`. */
  readonly runningBackground: ReadonlyMap<BackgroundId, number>;
  readonly notices: ChunkedList<Notice>;
  /** MCP servers; the last changed one is at the end. */
  readonly mcpServers: readonly McpServerView[];
  readonly teams: ReadonlyMap<string, TeamView>;
  /** The role of the session's own agent in each team; the last joined team is at the end. */
  readonly memberships: ReadonlyMap<string, Membership>;
  readonly tasks: TaskLists;
}

export type Membership = Omit<Of<"team.joined">, "type">;

export type McpServerView = Omit<Of<"mcp.changed">, "type">;

export interface Question extends Omit<Of<"permission.asked">, "type"> {
  readonly agent: AgentId;
  readonly requestId: RequestId;
  readonly at: string;
}

export interface BackgroundView extends Omit<Of<"background.started">, "type" | "agent"> {
  /** The agent that started it. */
  readonly agent: AgentId;
  /** The agent that runs as this job, if any. */
  readonly runs: AgentId | undefined;
  /** `lost`: its process ended without reporting it. */
  readonly status: "running" | "lost" | Of<"background.ended">["status"];
  readonly exitCode: number | null;
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  /** The end of its output as seen live; `outputFile` has all of it. */
  readonly outputTail: string;
}

export interface Notice extends Omit<Of<"notice.raised">, "type"> {
  readonly agent: AgentId;
  readonly at: string;
}

export const emptyView: SessionView = {
  sessionId: undefined,
  version: "",
  cwd: "",
  isCoordinator: false,
  state: { kind: "new" },
  agents: emptyList(),
  agentIndex: new Map(),
  questions: [],
  background: emptyList(),
  runningBackground: new Map(),
  notices: emptyList(),
  mcpServers: [],
  teams: new Map(),
  memberships: new Map(),
  tasks: new Map(),
};

export function agentOf(view: SessionView, id: AgentId): AgentView | undefined {
  const index = view.agentIndex.get(id);
  return index === undefined ? undefined : itemAt(view.agents, index);
}

/** The session's own agent: its lead, or the team member whose session it is. */
export function leadOf(view: SessionView): AgentView | undefined {
  for (const agent of itemsOf(view.agents)) if (agent.path === leadPath) return agent;
  return itemAt(view.agents, 0);
}

/** The position of this view in each agent's log. A frontend sends it to receive the rest. */
export function cursorOf(view: SessionView): ReadonlyMap<AgentId, number> {
  return new Map([...itemsOf(view.agents)].map((agent) => [agent.id, agent.seq]));
}
