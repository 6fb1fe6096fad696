import type { IdMatch } from "../platform/index.ts";
import {
  type AgentId,
  type CallId,
  type ContentPart,
  isTeamEvent,
  type Message,
  type PromptId,
  type StoredEvent,
  type ToolCallPart,
} from "../protocol/index.ts";
import { forkReminder } from "./fragments/subagents/fork.ts";
import { interruptedAnswer } from "./fragments/calls/interrupted-call.ts";
import { summaryOpening } from "./fragments/compaction-summary.ts";
import { createMessageThread } from "./message-thread.ts";
import { createPromptQueue } from "./prompt-queue.ts";

/**
 * The messages that the model sees, folded from the agent's log. The same log gives the same bytes, so a resumed agent
 * reuses the prefix that the provider may still cache.
 */
export interface Conversation {
  apply(event: StoredEvent): void;
  /** The messages of the next request. Valid only while no call is open. */
  messages(): readonly Message[];
  /** True if prompts or results came after the last answer. */
  readonly awaitsAnswer: boolean;
  readonly waiting: readonly PromptId[];
  /** True if a waiting prompt is a reason to run. Quiet prompts wait until there is one. */
  readonly hasReason: boolean;
  /** The content of a prompt while it waits. */
  waitingParts(id: PromptId): readonly ContentPart[] | undefined;
  /**
   * Says whether this prompt was ever admitted, so that a repeated id is admitted only once. After `maybe`, search the
   * log.
   */
  seenPrompt(id: PromptId): IdMatch;
  /** All messages up to and including the last answer. A fork of this agent starts with them. */
  answered(): readonly Message[];
  /** Calls of the last answer that have no result. Calls that are `started` may have had an effect. */
  openCalls(): readonly OpenCall[];
  /** The number of the last started turn. */
  readonly turn: number;
  /** The tokens in the context after the last answer, by the provider's count, and the characters added since. */
  readonly size: { readonly tokens: number; readonly newCharacters: number };
  /** True if an earlier call may have had this id. */
  mayHaveCall(id: CallId): boolean;
  /** The turns that are in the conversation as messages, oldest first. */
  turns(): readonly number[];
  readonly system: readonly string[];
  /** True if the agent started with the conversation of another. */
  readonly isFork: boolean;
}

interface OpenCall {
  readonly call: ToolCallPart;
  readonly started: boolean;
}

/** Returns the messages of another agent up to and including its answer of this turn. */
export type Inherit = (from: AgentId, turn: number) => readonly Message[];

/** Returns the events that make up the conversation as it was after this event of the agent's log. */
export type PastEvents = (to: number) => readonly StoredEvent[];

export function createConversation(inherit?: Inherit, past?: PastEvents): Conversation {
  const thread = createMessageThread();
  const prompts = createPromptQueue();
  let turn = 0;
  let tokens = 0;
  let system: readonly string[] = [];
  let isFork = false;

  const conversation: Conversation = {
    apply(event) {
      if (isTeamEvent(event)) return;
      switch (event.type) {
        case "context.composed":
          system = event.system;
          return;
        case "prompt.admitted":
          prompts.admit(event.promptId, event);
          if (event.insteadOf !== undefined) prompts.remove(event.insteadOf);
          return;
        case "prompt.promoted":
          thread.say(prompts.parts(event.promptId) ?? []);
          prompts.remove(event.promptId);
          return;
        case "turn.started":
          turn = event.turn;
          return;
        case "turn.ended":
          thread.answer(event.turn, event.parts);
          tokens = event.contextTokens;
          return;
        case "turn.failed":
          if (event.failure.kind === "aborted") thread.say([{ type: "text", text: interruptedAnswer }]);
          return;
        case "tool.called":
          thread.startCall(event.callId);
          return;
        case "tool.settled":
          thread.settleCall(resultOf(event));
          return;
        case "context.inherited":
          if (!inherit)
            throw new Error(`cannot inherit the conversation of ${event.from}: no inherit function was given`);
          isFork = true;
          thread.inherit(inherit(event.from, event.turn));
          return;
        case "context.compacted": {
          const { summary, kept, keptFromTurn } = event;
          const text = summaryOpening({ summary, kept, keepsNewest: keptFromTurn !== null });
          thread.compact({ type: "text", text: isFork ? `${forkReminder}\n\n${text}` : text }, keptFromTurn);
          tokens = 0;
          return;
        }
        case "agent.rewound":
          if (event.to !== undefined) rewind(event.to);
          return;
        case "agent.spawned":
        case "agent.changed":
        case "session.opened":
        case "session.closed":
        case "agent.idle":
        case "agent.stopped":
        case "agent.summarized":
        case "cost.recorded":
        case "permission.asked":
        case "permission.settled":
        case "background.started":
        case "background.ended":
        case "notice.raised":
        case "hook.ran":
        case "session.named":
        case "team.joined":
        case "team.left":
          return;
      }
    },
    messages: thread.messages,
    get awaitsAnswer() {
      return thread.awaitsAnswer;
    },
    get waiting() {
      return prompts.ids;
    },
    get hasReason() {
      return prompts.hasReason;
    },
    openCalls: thread.openCalls,
    get turn() {
      return turn;
    },
    get size() {
      return { tokens, newCharacters: thread.newCharacters };
    },
    mayHaveCall: thread.mayHaveCall,
    waitingParts: prompts.parts,
    seenPrompt: prompts.seen,
    answered: thread.answered,
    turns: thread.turns,
    get system() {
      return system;
    },
    get isFork() {
      return isFork;
    },
  };
  return conversation;

  /** The system prompt in force and the numbers of turns continue. Prompts of the user do not wait any more. */
  function rewind(to: number): void {
    if (!past) throw new Error(`cannot rewind the conversation to event ${to}: its log was not given`);
    const now = { system, turn };
    thread.clear();
    tokens = 0;
    isFork = false;
    prompts.restart(() => {
      for (const event of past(to)) conversation.apply(event);
    });
    ({ system, turn } = now);
  }
}

const resultOf = ({ callId, content, outcome }: Extract<StoredEvent, { type: "tool.settled" }>) =>
  ({ type: "tool_result", callId, content, isError: outcome !== "ok" }) as const;
