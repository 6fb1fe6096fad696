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

/** All that a face draws, folded from envelopes by `reduce`. Never changed in place. */
export interface SessionView {
  readonly sessionId: SessionId | undefined;
  readonly version: string;
  readonly cwd: string;
  /** The lead is a coordinator. */
  readonly isCoordinator: boolean;
  readonly state:
    | { readonly kind: "new" | "open" }
    | { readonly kind: "closed"; readonly reason: Of<"session.closed">["reason"] };
  /** In the order in which they were first heard of; `agentOf` finds one by its id. */
  readonly agents: ChunkedList<AgentView>;
  readonly agentIndex: ReadonlyMap<AgentId, number>;
  /** Open ones only, oldest first. */
  readonly questions: readonly Question[];
  readonly background: ChunkedList<BackgroundView>;
  /** Where in `background` the running ones are. */
  readonly runningBackground: ReadonlyMap<BackgroundId, number>;
  readonly notices: ChunkedList<Notice>;
  /** Servers of tools, the one that changed last at the end. */
  readonly mcpServers: readonly McpServerView[];
  readonly teams: ReadonlyMap<string, TeamView>;
  /** What the session's own agent is in which team, the one it joined last at the end. */
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
  /** Who has started it. */
  readonly agent: AgentId;
  /** The agent that runs there, if one does. */
  readonly runs: AgentId | undefined;
  /** `lost`: the process that ran it ended without a word about it. */
  readonly status: "running" | "lost" | Of<"background.ended">["status"];
  readonly exitCode: number | null;
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  /** The end of its output as far as it was seen live; the whole is in `outputFile`. */
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

/** The agent that the session is about: its lead, or the member of a team whose session it is. */
export function leadOf(view: SessionView): AgentView | undefined {
  for (const agent of itemsOf(view.agents)) if (agent.path === leadPath) return agent;
  return itemAt(view.agents, 0);
}

/** How far this view has come in each agent's log: what a face sends to be told the rest. */
export function cursorOf(view: SessionView): ReadonlyMap<AgentId, number> {
  return new Map([...itemsOf(view.agents)].map((agent) => [agent.id, agent.seq]));
}
