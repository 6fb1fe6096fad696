import type { RequestPermissionRequest, RequestPermissionResponse, SessionUpdate } from "@agentclientprotocol/sdk";
import { createQueue } from "../../platform/index.ts";
import {
  type AnswerPart,
  type Message,
  messageOf,
  type ModelClient,
  type ModelEvent,
  type ModelRequest,
} from "../../protocol/index.ts";
import { type AcpAgent, type AcpAgentOptions, startAcpAgent } from "./acp-agent.ts";

export interface AcpModelOptions extends Omit<AcpAgentOptions, "onUpdate" | "onPermission"> {
  /** The agent type. */
  readonly name: string;
  /** Text sent before the first prompt. */
  readonly introduction: string;
  /** Resolves to true if the agent may do it. */
  readonly ask: (question: AcpQuestion, signal: AbortSignal) => Promise<boolean>;
  /** The program is ended if it still runs this long after a cancel. */
  readonly cancelWithinMs?: number;
}

export interface AcpQuestion {
  readonly title: string;
  readonly tool: string;
  readonly input: unknown;
}

/**
 * Puts an agent of an external program in a model's place. It receives the new part of the conversation, works with its
 * own tools, and its last text is the answer. Its tool calls appear as thinking. Everything else of a member (mail,
 * tasks, log, watchdogs, shutdown by agreement) therefore works as for any other member.
 */
export function createAcpModel(options: AcpModelOptions): ModelClient & { close(): Promise<void> } {
  let starting: Promise<AcpAgent> | undefined;
  let sent: SentPosition | undefined;
  let heard: ((update: SessionUpdate) => void) | undefined;

  const start = (): Promise<AcpAgent> => {
    sent = undefined;
    const begun = startAcpAgent({
      ...options,
      onUpdate: (update) => heard?.(update),
      onPermission: (request, signal) => decide(request, { ask: options.ask, signal }),
    });
    const forget = () => {
      if (starting === begun) starting = undefined;
    };
    void begun.then(({ ended }) => ended.then(forget), forget);
    return begun;
  };

  /** Ends the program first: it must not run beside its successor. */
  const stopAgent = async (agent: AcpAgent) => {
    starting = undefined;
    await agent.end();
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    if (request.caller.purpose !== "answer") {
      yield failure("bad_request", "an external agent keeps its own conversation, so there is nothing to summarize");
      return;
    }
    const events = createQueue<ModelEvent>();
    const parts = createParts(events.push);
    const run = async (): Promise<ModelEvent> => {
      const over = whenAborted(signal);
      try {
        const agent = await Promise.race([(starting ??= start()), over.promise]);
        if (agent === undefined || signal.aborted) return interrupted;
        heard = parts.hear;
        const { messages } = request;
        const text = sent ? unsentText(messages, sent) : [options.introduction, formatHistory(messages)].join("\n\n");
        sent = { messages: messages.length, parts: messages.at(-1)?.parts.length ?? 0 };
        const cancelled = over.promise.then(() => cancel(agent, options.cancelWithinMs ?? 10_000));
        const answer = await Promise.race([agent.prompt(text), cancelled]).catch(async (error: unknown) => {
          await stopAgent(agent);
          throw error;
        });
        if (answer === undefined) await stopAgent(agent);
        if (answer === undefined || signal.aborted || answer.stopReason === "cancelled") return interrupted;
        const { stopReason } = answer;
        const ending = stopReason === "max_tokens" || stopReason === "refusal" ? stopReason : "end_turn";
        return { type: "finished", answer: { parts: parts.all(), stopReason: ending, usage: noUsage } };
      } finally {
        heard = undefined;
        over.forget();
      }
    };
    const end = (last: ModelEvent) => {
      events.push(last);
      events.end();
    };
    run().then(end, (error: unknown) => end(failure(signal.aborted ? "aborted" : "server", messageOf(error))));
    yield* events;
  }

  return {
    ref: `acp/${options.name}`,
    // The agent keeps and summarizes its conversation itself.
    contextWindow: 100_000_000,
    maxOutputTokens: 1_000_000,
    stream,
    async close() {
      const agent = await starting?.catch(() => undefined);
      await agent?.end();
    },
  };
}

const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

const failure = (kind: "aborted" | "server" | "bad_request", message: string): ModelEvent => ({
  type: "failed",
  failure: { kind, message },
});

const interrupted = failure("aborted", "interrupted");

function whenAborted(signal: AbortSignal): { readonly promise: Promise<undefined>; forget(): void } {
  let forget = () => undefined as void;
  const promise = new Promise<undefined>((resolve) => {
    const abort = () => resolve(undefined);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    forget = () => signal.removeEventListener("abort", abort);
  });
  return { promise, forget: () => forget() };
}

/** Resolves to undefined after `withinMs`. A failed cancel is ignored: the program's end shows it. */
async function cancel(agent: AcpAgent, withinMs: number): Promise<undefined> {
  agent.cancel().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, withinMs).unref());
}

/**
 * The part of the conversation that the running program has received: a number of messages, and of the last one a
 * number of parts.
 */
interface SentPosition {
  readonly messages: number;
  readonly parts: number;
}

/**
 * Returns the text since the last prompt, without the agent's own answers. After an interrupt there is no answer: the
 * new text is then in the same message as text that was already sent.
 */
function unsentText(messages: readonly Message[], sent: SentPosition = { messages: 0, parts: 0 }): string {
  const last = messages[sent.messages - 1];
  return [
    ...(last ? [{ ...last, parts: last.parts.slice(sent.parts) } as Message] : []),
    ...messages.slice(sent.messages),
  ]
    .filter(({ role, parts }) => role === "user" && parts.length > 0)
    .map(textOf)
    .join("\n\n");
}

/** Returns the whole conversation for a newly started program, with the earlier part labelled. */
function formatHistory(messages: readonly Message[]): string {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  if (last < 0) return unsentText(messages);
  const before = messages
    .slice(0, last + 1)
    .map((message) => `[${message.role === "user" ? "sent to you" : "your answer"}]\n${textOf(message)}`);
  return `You worked on this before, in a previous run. This was the conversation:\n\n${before.join("\n\n")}\n\nThis is new:\n\n${unsentText(messages.slice(last + 1))}`;
}

const textOf = ({ parts }: Message): string =>
  parts
    .flatMap((part) => (part.type === "text" ? [part.text] : part.type === "thinking" ? [] : [`[${part.type}]`]))
    .join("\n");

/** Collects text and tool activity in order of arrival. */
function createParts(push: (event: ModelEvent) => void) {
  let words = "";
  let doings = "";
  const calls = new Map<string, string>();
  const think = (text: string) => {
    doings += text;
    push({ type: "thinking.delta", text });
  };
  const called = (id: string, title: string | null | undefined, status: string | null | undefined) => {
    const name = title ?? calls.get(id) ?? id;
    if (!calls.has(id)) think(`${doings === "" || doings.endsWith("\n") ? "" : "\n"}▸ ${name}\n`);
    calls.set(id, name);
    if (status === "failed") think(`  failed: ${name}\n`);
  };
  return {
    hear(update: SessionUpdate) {
      switch (update.sessionUpdate) {
        case "agent_message_chunk":
          if (update.content.type !== "text") return;
          words += update.content.text;
          push({ type: "text.delta", text: update.content.text });
          return;
        case "agent_thought_chunk":
          if (update.content.type === "text") think(update.content.text);
          return;
        case "tool_call":
        case "tool_call_update":
          called(update.toolCallId, update.title, update.status);
          return;
        default:
          return;
      }
    },
    all: (): AnswerPart[] => [
      ...(doings === "" ? [] : [{ type: "thinking" as const, text: doings }]),
      { type: "text", text: words === "" ? "(the agent ended without an answer)" : words },
    ],
  };
}

/** Selects the narrowest option for a yes or a no among those the program offers. */
async function decide(
  { toolCall, options }: RequestPermissionRequest,
  { ask, signal }: { ask: AcpModelOptions["ask"]; signal: AbortSignal },
): Promise<RequestPermissionResponse> {
  const { title, kind, rawInput, content } = toolCall;
  const yes = await ask(
    { title: title ?? "do something", tool: kind ?? "other", input: rawInput ?? content ?? {} },
    signal,
  );
  const wanted = yes ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const chosen = wanted
    .map((each) => options.find((option) => option.kind === each))
    .find((option) => option !== undefined);
  if (!chosen) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: chosen.optionId } };
}
