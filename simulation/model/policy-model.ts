import type { Clock } from "../../src/platform/index.ts";
import type { AnswerPart, CallId, ModelClient, ModelEvent, ModelRequest, Usage } from "../../src/protocol/index.ts";
import type { Random } from "../random.ts";
import { leadName, type Scenario } from "../scenario.ts";
import type { Answer, PolicyContext } from "./answer.ts";
import { leadAnswer } from "./lead-policy.ts";
import { readRequest } from "./read-request.ts";
import { teammateAnswer } from "./teammate-policy.ts";

/** The provider of a run: it outlives the processes that ask it. */
export interface Provider {
  /** The client for one process. */
  clientFor(clock: Clock): ModelClient;
  /** Every request so far, oldest first. */
  readonly requests: readonly SeenRequest[];
}

export interface SeenRequest {
  readonly agent: string;
  readonly request: ModelRequest;
}

export const modelRef = "local/simulated";

export function createProvider(scenario: Scenario, { random, isTroubled, onRequest }: ProviderOptions): Provider {
  const contexts = new Map<string, PolicyContext>();
  const requests: SeenRequest[] = [];
  let calls = 0;

  const contextOf = (name: string): PolicyContext => {
    const persona = scenario.personas.get(name) ?? scenario.personas.get(leadName);
    if (!persona) throw new Error(`${name} has no persona`);
    const known = contexts.get(name) ?? { scenario, name, persona, random: random.fork(`model/${name}`) };
    contexts.set(name, known);
    return known;
  };

  async function* stream(request: ModelRequest, signal: AbortSignal, clock: Clock): AsyncGenerator<ModelEvent> {
    const name = nameOf(request);
    const context = contextOf(name);
    requests.push({ agent: name, request });
    onRequest();
    const [least, most] = context.persona.answerMs;
    try {
      if (isTroubled() && context.random.chance(scenario.faults.provider)) {
        const delayMs = context.random.pick([1_000, 10_000, 60_000]);
        const failure = context.random.pick(troubles);
        yield { type: "retrying", attempt: 1, delayMs, failure };
        await clock.sleep(delayMs, signal);
      }
      await clock.sleep(context.random.int(least, most), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return yield { type: "failed", failure: { kind: "aborted", message: "the request was stopped" } };
    }
    const answer = answerTo(request, context);
    if (answer.kind === "failure")
      return yield { type: "failed", failure: { kind: "authentication", message: "the key was refused", status: 401 } };
    const parts = partsOf(answer, () => `call_${(calls += 1)}` as CallId);
    const stopReason =
      answer.kind === "refusal" ? "refusal" : answer.kind === "calls" ? "tool_use" : ("end_turn" as const);
    yield { type: "finished", answer: { parts, stopReason, usage: usageOf(request) } };
  }

  return {
    requests,
    clientFor: (clock) => ({
      ref: modelRef,
      contextWindow: 1_000_000,
      maxOutputTokens: 1_000,
      stream: (request, signal) => stream(request, signal, clock),
    }),
  };
}

export interface ProviderOptions {
  readonly random: Random;
  /** True while the provider may have trouble. */
  readonly isTroubled: () => boolean;
  readonly onRequest: () => void;
}

/** `alice@crew` is alice. Subagents have a path below their parent's. */
export const nameOf = ({ caller: { agentPath } }: ModelRequest): string => agentNameOf(agentPath);

export function agentNameOf(path: string): string {
  const name = /^([^@/]+)@/.exec(path)?.[1];
  return name ?? (path.includes("/") ? (path.split("/").at(-1) ?? path) : leadName);
}

function answerTo(request: ModelRequest, context: PolicyContext): Answer {
  if (request.caller.purpose !== "answer") return { kind: "text", text: "A summary." };
  const conversation = readRequest(request);
  return context.name === leadName ? leadAnswer(conversation, context) : teammateAnswer(conversation, context);
}

function partsOf(answer: Exclude<Answer, { kind: "failure" }>, nextId: () => CallId): AnswerPart[] {
  switch (answer.kind) {
    case "text":
      return [{ type: "text", text: answer.text }];
    case "refusal":
      return [];
    case "calls":
      return answer.calls.map(({ name, input }) => ({ type: "tool_call", callId: nextId(), name, input }));
  }
}

/** Fewer tokens than any estimate by characters. */
const usageOf = ({ messages }: ModelRequest): Usage => ({
  inputTokens: 200 + messages.reduce((sum, { parts }) => sum + 2 * parts.length, 0),
  outputTokens: 50,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});

const troubles = [
  { kind: "rate_limited", message: "too many requests", status: 429 },
  { kind: "overloaded", message: "the provider is overloaded", status: 529 },
  { kind: "stalled", message: "the stream stalled" },
  { kind: "cut", message: "the stream ended early" },
] as const;
