import {
  type AgentId,
  type AgentPath,
  type CallId,
  type Event,
  leadPath,
  type ModelFailure,
  type PermissionMode,
  type RequestId,
  type SessionId,
} from "../../protocol/index.ts";
import { type ChunkedList, emptyList, itemAt } from "../lists/chunked-list.ts";
import { callTitle } from "../transcript/call-text.ts";
import { noSpending, type Spending } from "./spending.ts";
import type { AnswerCost, CallItem, PromptItem, TranscriptItem } from "../transcript/transcript-item.ts";

/** The identity and the place of an agent. */
export interface AgentFacts {
  readonly id: AgentId;
  /** The session whose log contains it: a team member has its own session. */
  readonly session: SessionId;
  readonly path: AgentPath;
  readonly agentType: string;
  readonly parent: AgentId | undefined;
  /** Its purpose in a few words. */
  readonly description: string | undefined;
  readonly model: string;
  readonly permissionMode: PermissionMode;
  readonly cwd: string;
}

/** The name of an agent for people: the one it was given, or what it is for. Generated names are for models. */
export function agentName({
  path,
  agentType,
  description,
}: Pick<AgentFacts, "path" | "agentType" | "description">): string {
  const name = path.split("/").at(-1) ?? path;
  const isGenerated = name.startsWith(`${agentType}-`) && /^[0-9a-z]{6}$/.test(name.slice(agentType.length + 1));
  return isGenerated && description !== undefined && description !== "" ? description : name;
}

/** How far an agent is, in numbers and in a few words. */
export interface AgentProgress {
  readonly turns: number;
  readonly toolCalls: number;
  /** The beginning of its last message. */
  readonly lastWords: string;
  /** Tokens of the conversation at the last answer; unknown before it and after a compaction. */
  readonly contextTokens: number | undefined;
  readonly spending: Spending;
  /** The cost of the last answer, which is stored before it. */
  readonly lastCost: Omit<AnswerCost, "durationMs"> | undefined;
  /** One line from a small model about what it is doing. */
  readonly progress: Summary | undefined;
  /** A small model's summary of what it has done. */
  readonly summary: Summary | undefined;
}

export interface AgentView extends AgentFacts, AgentProgress {
  readonly status: AgentStatus;
  /** Its current work, from the prompt until it is idle. */
  readonly work: Work | undefined;
  /** The last stored event in this view. */
  readonly seq: number;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** If forgotten, contains only the unsettled calls. */
  readonly transcript: ChunkedList<TranscriptItem>;
  /** True if no viewer needs it, so that its transcript is not kept. See `dropTranscript`. */
  readonly isForgotten: boolean;
  /** Positions of the unsettled calls in the transcript. */
  readonly openCalls: ReadonlyMap<CallId, number>;
  readonly openQuestions: readonly RequestId[];
  /** Prompts that are stored but not yet in the conversation. */
  readonly waitingPrompts: readonly PromptItem[];
  /** The turn that is being answered. */
  readonly draft: Draft | undefined;
}

export interface Work {
  readonly since: string;
  /** Its spending before the work began. */
  readonly tokensBefore: number;
  readonly costBefore: number;
}

export interface Summary {
  readonly text: string;
  readonly at: string;
}

export type AgentStatus =
  | { readonly kind: "starting" }
  | { readonly kind: "running" }
  | { readonly kind: "waiting"; readonly requestId: RequestId }
  | {
      readonly kind: "idle";
      readonly reason: Extract<Event, { type: "agent.idle" }>["reason"];
      readonly detail?: string;
    }
  | {
      readonly kind: "stopped";
      readonly outcome: Extract<Event, { type: "agent.stopped" }>["outcome"];
      readonly detail?: string;
    };

/**
 * The partial answer of the current turn. It is only displayed, and dropped when the turn is retried, ends or fails.
 */
export interface Draft {
  readonly turn: number;
  readonly thinking: string;
  readonly text: string;
  readonly tool: { readonly name: string; readonly inputJson: string } | undefined;
  readonly phase:
    | { readonly kind: "requested" }
    | { readonly kind: "thinking" }
    | { readonly kind: "text" }
    | { readonly kind: "tool" }
    | { readonly kind: "waiting"; readonly reason: string }
    | { readonly kind: "retrying"; readonly attempt: number; readonly delayMs: number; readonly failure: ModelFailure };
}

/** The current activity of an agent, for a spinner or a row of the tree. */
export type Activity =
  | { readonly kind: "none" }
  | { readonly kind: "asking"; readonly requestId: RequestId }
  | { readonly kind: "calls"; readonly titles: readonly string[] }
  | { readonly kind: "drafting"; readonly tool: string }
  | Exclude<Draft["phase"], { kind: "tool" }>;

export function activityOf(agent: AgentView): Activity {
  if (agent.status.kind === "waiting") return { kind: "asking", requestId: agent.status.requestId };
  if (agent.status.kind !== "running") return { kind: "none" };
  const { draft } = agent;
  if (draft) return draft.phase.kind === "tool" ? { kind: "drafting", tool: draft.tool?.name ?? "" } : draft.phase;
  const titles = openCallsOf(agent).map((call) => callTitle(call, agent.cwd));
  return titles.length === 0 ? { kind: "none" } : { kind: "calls", titles };
}

function openCallsOf(agent: AgentView): CallItem[] {
  return [...agent.openCalls.values()]
    .map((index) => itemAt(agent.transcript, index))
    .filter((item): item is CallItem => item?.kind === "call");
}

/** An agent without an `agent.spawned` event so far. Only the lead's log begins with another event. */
export function newAgent(id: AgentId, first: { type: Event["type"]; at: string; session: SessionId }): AgentView {
  return {
    id,
    session: first.session,
    path: first.type === "session.opened" ? leadPath : (id as string as AgentPath),
    agentType: "",
    parent: undefined,
    description: undefined,
    model: "",
    permissionMode: "default",
    cwd: "",
    status: { kind: "starting" },
    work: undefined,
    seq: 0,
    startedAt: first.at,
    updatedAt: first.at,
    transcript: emptyList(),
    isForgotten: false,
    openCalls: new Map(),
    openQuestions: [],
    waitingPrompts: [],
    draft: undefined,
    turns: 0,
    toolCalls: 0,
    lastWords: "",
    contextTokens: undefined,
    spending: noSpending,
    lastCost: undefined,
    progress: undefined,
    summary: undefined,
  };
}

export const newDraft = (turn: number): Draft => ({
  turn,
  thinking: "",
  text: "",
  tool: undefined,
  phase: { kind: "requested" },
});
