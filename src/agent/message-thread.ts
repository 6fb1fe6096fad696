import { createIdFilter } from "../platform/index.ts";
import type { AnswerPart, CallId, ContentPart, Message, ToolCallPart, ToolResultPart } from "../protocol/index.ts";
import { countCharacters } from "./count-characters.ts";
import { forkPlaceholder } from "./fragments/subagents/fork.ts";

/**
 * The answers of the model and the user messages between them. A user message consists of the results and the words
 * since the last answer.
 */
export function createMessageThread() {
  let settled: Message[] = [];
  let turnOfMessage: (number | undefined)[] = [];
  let said: ContentPart[] = [];
  let results = new Map<CallId, ToolResultPart>();
  let calls: ToolCallPart[] = [];
  let newCharacters = 0;
  const started = new Set<CallId>();
  const everCalled = createIdFilter();

  const pending = () => [...calls.flatMap((call) => results.get(call.callId) ?? []), ...said];
  const settledCharacters = () => settled.reduce((sum, message) => sum + countCharacters(message.parts), 0);

  return {
    /** Starts again. Calls keep their ids, so no later call gets one of them. */
    clear() {
      settled = [];
      turnOfMessage = [];
      said = [];
      results = new Map();
      calls = [];
      newCharacters = 0;
      started.clear();
    },
    messages(): readonly Message[] {
      const user = pending();
      return user.length === 0 ? settled : [...settled, { role: "user", parts: user }];
    },
    answered: (): readonly Message[] => settled,
    turns: () => turnOfMessage.filter((number) => number !== undefined),
    get awaitsAnswer() {
      return said.length > 0 || results.size > 0;
    },
    get newCharacters() {
      return newCharacters;
    },
    openCalls: () =>
      calls.filter((call) => !results.has(call.callId)).map((call) => ({ call, started: started.has(call.callId) })),
    mayHaveCall: (id: CallId) => everCalled.has(id) !== "no",
    say(parts: readonly ContentPart[]) {
      said.push(...parts);
      newCharacters += countCharacters(parts);
    },
    startCall: (id: CallId) => void started.add(id),
    settleCall(result: ToolResultPart) {
      results.set(result.callId, result);
      newCharacters += countCharacters(result.content);
    },
    answer(turn: number, parts: readonly AnswerPart[]) {
      newCharacters = 0;
      // Providers refuse an empty answer. The prompt before it stays unanswered.
      if (parts.length === 0) return;
      const user = pending();
      if (user.length > 0) {
        settled.push({ role: "user", parts: user });
        turnOfMessage.push(undefined);
      }
      settled.push({ role: "assistant", parts: [...parts] });
      turnOfMessage.push(turn);
      said = [];
      results = new Map();
      calls = callsIn(parts);
      started.clear();
      for (const call of calls) everCalled.add(call.callId);
    },
    /** All forks of one answer start with the same bytes: each call has the same placeholder result in all of them. */
    inherit(messages: readonly Message[]) {
      settled = [...messages];
      turnOfMessage = settled.map(() => undefined);
      calls = callsIn(settled.at(-1)?.parts ?? []);
      for (const { parts } of settled) for (const { callId } of callsIn(parts)) everCalled.add(callId);
      const content: ContentPart[] = [{ type: "text", text: forkPlaceholder }];
      results = new Map(calls.map(({ callId }) => [callId, { type: "tool_result", callId, content, isError: false }]));
      newCharacters = settledCharacters();
    },
    /** Replaces all messages before the answer of this turn. Without a turn, replaces all answered messages. */
    compact(opening: ContentPart, keptFromTurn: number | null) {
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
      newCharacters = settledCharacters() + countCharacters(said);
    },
  };
}

const callsIn = (parts: readonly Message["parts"][number][]) => parts.filter((part) => part.type === "tool_call");
