import { createIdFilter, type IdMatch } from "../platform/index.ts";
import {
  type AgentId,
  type AnswerPart,
  type CallId,
  type ContentPart,
  isTeamEvent,
  type Message,
  type PromptId,
  type StoredEvent,
  type ToolCallPart,
  type ToolResultPart,
} from "../protocol/index.ts";
import { forkPlaceholder, forkReminder } from "./fragments/subagents/fork.ts";
import { interruptedAnswer } from "./fragments/calls/interrupted-call.ts";
import { summaryOpening } from "./fragments/compaction-summary.ts";

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
}

export interface OpenCall {
  readonly call: ToolCallPart;
  readonly started: boolean;
}

type Compacted = Extract<StoredEvent, { type: "context.compacted" }>;

type UserPart = ToolResultPart | ContentPart;

/** Returns the messages of another agent up to and including its answer of this turn. */
export type Inherit = (from: AgentId, turn: number) => readonly Message[];

export function createConversation(inherit?: Inherit): Conversation {
  let settled: Message[] = [];
  let turnOfMessage: (number | undefined)[] = [];
  let said: ContentPart[] = [];
  let results = new Map<CallId, ToolResultPart>();
  let calls: ToolCallPart[] = [];
  const started = new Set<CallId>();
  const everCalled = createIdFilter();
  const everAdmitted = new Map(promptKinds.map((kind) => [kind, createIdFilter({ exact: 64, filterBytes: 16_384 })]));
  const waiting = new Map<PromptId, { readonly parts: readonly ContentPart[]; readonly quiet: boolean }>();
  let turn = 0;
  let tokens = 0;
  let newCharacters = 0;
  let system: readonly string[] = [];
  let isFork = false;

  const pending = (): UserPart[] => [...calls.flatMap((call) => results.get(call.callId) ?? []), ...said];
  const say = (parts: readonly ContentPart[]) => {
    said.push(...parts);
    newCharacters += characters(parts);
  };

  const answer = (number: number, parts: readonly AnswerPart[]) => {
    // Providers refuse an empty answer. The prompt before it stays unanswered.
    if (parts.length === 0) return;
    const user = pending();
    if (user.length > 0) {
      settled.push({ role: "user", parts: user });
      turnOfMessage.push(undefined);
    }
    settled.push({ role: "assistant", parts: [...parts] });
    turnOfMessage.push(number);
    said = [];
    results = new Map();
    calls = parts.filter((part) => part.type === "tool_call");
    started.clear();
    for (const call of calls) everCalled.add(call.callId);
  };

  /** All forks of one answer start with the same bytes: each call has the same placeholder result in all of them. */
  const begin = (from: AgentId, turn: number) => {
    if (!inherit) throw new Error(`cannot inherit the conversation of ${from}: no inherit function was given`);
    isFork = true;
    settled = [...inherit(from, turn)];
    turnOfMessage = settled.map(() => undefined);
    calls = settled.at(-1)?.parts.filter((part) => part.type === "tool_call") ?? [];
    for (const { parts } of settled)
      for (const part of parts) if (part.type === "tool_call") everCalled.add(part.callId);
    const content: ContentPart[] = [{ type: "text", text: forkPlaceholder }];
    results = new Map(calls.map(({ callId }) => [callId, { type: "tool_result", callId, content, isError: false }]));
    newCharacters = settled.reduce((sum, message) => sum + characters(message.parts), 0);
  };

  const compact = ({ summary, kept, keptFromTurn }: Compacted) => {
    const text = summaryOpening({ summary, kept, keepsNewest: keptFromTurn !== null });
    const opening: ContentPart = { type: "text", text: isFork ? `${forkReminder}\n\n${text}` : text };
    const from = keptFromTurn === null ? settled.length : turnOfMessage.indexOf(keptFromTurn);
    if (from < 0) throw new Error(`cannot compact: turn ${keptFromTurn} is not in the conversation`);
    if (from === settled.length) {
      settled = [];
      turnOfMessage = [];
      // In a fork without an answer yet, the placeholder results go with their calls.
      calls = [];
      results = new Map();
      said = [opening, ...said];
    } else {
      settled = [{ role: "user", parts: [opening] }, ...settled.slice(from)];
      turnOfMessage = [undefined, ...turnOfMessage.slice(from)];
    }
    tokens = 0;
    newCharacters = settled.reduce((sum, message) => sum + characters(message.parts), characters(said));
  };

  return {
    apply(event) {
      if (isTeamEvent(event)) return;
      switch (event.type) {
        case "context.composed":
          system = event.system;
          return;
        case "prompt.admitted":
          waiting.set(event.promptId, { parts: event.parts, quiet: event.quiet ?? false });
          everAdmitted.get(kindOf(event.promptId))?.add(event.promptId);
          if (event.insteadOf !== undefined) waiting.delete(event.insteadOf);
          return;
        case "prompt.promoted":
          say(waiting.get(event.promptId)?.parts ?? []);
          waiting.delete(event.promptId);
          return;
        case "turn.started":
          turn = event.turn;
          return;
        case "turn.ended":
          answer(event.turn, event.parts);
          tokens = event.contextTokens;
          newCharacters = 0;
          return;
        case "turn.failed":
          if (event.failure.kind === "aborted") say([{ type: "text", text: interruptedAnswer }]);
          return;
        case "tool.called":
          started.add(event.callId);
          return;
        case "tool.settled":
          results.set(event.callId, {
            type: "tool_result",
            callId: event.callId,
            content: event.content,
            isError: event.outcome !== "ok",
          });
          newCharacters += characters(event.content);
          return;
        case "context.inherited":
          begin(event.from, event.turn);
          return;
        case "context.compacted":
          compact(event);
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
        case "team.joined":
        case "team.left":
          return;
      }
    },
    messages() {
      const user = pending();
      return user.length === 0 ? settled : [...settled, { role: "user", parts: user }];
    },
    get awaitsAnswer() {
      return said.length > 0 || results.size > 0;
    },
    get waiting() {
      return [...waiting.keys()];
    },
    get hasReason() {
      for (const { quiet } of waiting.values()) if (!quiet) return true;
      return false;
    },
    openCalls: () =>
      calls.filter((call) => !results.has(call.callId)).map((call) => ({ call, started: started.has(call.callId) })),
    get turn() {
      return turn;
    },
    get size() {
      return { tokens, newCharacters };
    },
    mayHaveCall: (id) => everCalled.has(id) !== "no",
    waitingParts: (id) => waiting.get(id)?.parts,
    // A waiting prompt is always known, however old: callers ask for it again and again.
    seenPrompt: (id) => (waiting.has(id) ? "yes" : (everAdmitted.get(kindOf(id))?.has(id) ?? "no")),
    answered: () => settled,
    turns: () => turnOfMessage.filter((number) => number !== undefined),
    get system() {
      return system;
    },
  };
}

/** The id of a prompt sorts among those of its kind: mail, tasks, and everything else. */
const promptKinds = ["prm_m", "prm_t", "prm_"] as const;
const kindOf = (id: PromptId) => promptKinds.find((kind) => id.startsWith(kind)) ?? "prm_";

/** Images count as a fixed amount: their size in bytes says nothing about their tokens. */
const imageCharacters = 6_000;

export function characters(parts: readonly (UserPart | AnswerPart)[]): number {
  let sum = 0;
  for (const part of parts) {
    switch (part.type) {
      case "text":
      case "thinking":
        sum += part.text.length;
        break;
      case "tool_call":
        sum += part.name.length + JSON.stringify(part.input ?? null).length;
        break;
      case "tool_result":
        sum += characters(part.content);
        break;
      case "image":
        sum += imageCharacters;
        break;
      case "document":
        sum += Math.ceil(part.data.length / 8);
        break;
    }
  }
  return sum;
}
