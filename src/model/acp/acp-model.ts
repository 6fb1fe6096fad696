import type { RequestPermissionRequest, RequestPermissionResponse, SessionUpdate } from "@agentclientprotocol/sdk";
import type { AnswerPart, Message, ModelClient, ModelEvent, ModelRequest } from "../../protocol/index.ts";
import { type AcpAgent, type AcpAgentOptions, startAcpAgent } from "./acp-agent.ts";

export interface AcpModelOptions extends Omit<AcpAgentOptions, "onUpdate" | "onPermission"> {
  /** The type of agent it stands for. */
  readonly name: string;
  /** What it is told before the first thing that is said to it. */
  readonly introduction: string;
  /** True if it may. */
  readonly ask: (question: AcpQuestion, signal: AbortSignal) => Promise<boolean>;
  /** A program that goes on for so long after it was told to stop is ended. */
  readonly cancelWithinMs?: number;
}

export interface AcpQuestion {
  readonly title: string;
  readonly tool: string;
  readonly input: unknown;
}

/**
 * An agent of another program in a model's place: it is told what is new in the conversation, works with tools of its own,
 * and its last words are the answer. What it does meanwhile is told as thoughts. So everything else that a member is (mail,
 * tasks, log, watchdogs, an end by agreement) is as for any other.
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

  /** Nothing of it may go on beside the one that takes its place. */
  const stopAgent = async (agent: AcpAgent) => {
    starting = undefined;
    await agent.end();
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    if (request.caller.purpose !== "answer") {
      yield failure(
        "bad_request",
        "an agent of another program keeps its own conversation: there is nothing to sum up",
      );
      return;
    }
    const events = createQueue();
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
    run().then(events.end, (error: unknown) => {
      events.end(
        failure(signal.aborted ? "aborted" : "server", error instanceof Error ? error.message : String(error)),
      );
    });
    yield* events.all();
  }

  return {
    ref: `acp/${options.name}`,
    // It keeps its conversation itself, and sums it up itself.
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

/** Undefined once its time is over. That it cannot be told is seen by the end of its program. */
async function cancel(agent: AcpAgent, withinMs: number): Promise<undefined> {
  agent.cancel().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, withinMs).unref());
}

/** How far into the conversation the running program has been told: so many messages, and of the last so many parts. */
interface SentPosition {
  readonly messages: number;
  readonly parts: number;
}

/**
 * What has been said since it was told last; its own answers it knows. After an interrupt there is no answer: what is said
 * then stands in the same message as what it was told before.
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

/** All of it, for a program that has just been started: what was said before it is told as such. */
function formatHistory(messages: readonly Message[]): string {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  if (last < 0) return unsentText(messages);
  const before = messages
    .slice(0, last + 1)
    .map((message) => `[${message.role === "user" ? "said to you" : "your answer"}]\n${textOf(message)}`);
  return `You have been at work on this before, in an earlier life. This is what was said then:\n\n${before.join("\n\n")}\n\nThis is new:\n\n${unsentText(messages.slice(last + 1))}`;
}

const textOf = ({ parts }: Message): string =>
  parts
    .flatMap((part) => (part.type === "text" ? [part.text] : part.type === "thinking" ? [] : [`[${part.type}]`]))
    .join("\n");

/** Words and doings in the order in which they come. */
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
      { type: "text", text: words === "" ? "(it ended without a word)" : words },
    ],
  };
}

/** The mildest yes, or a no: which of them there are is the other program's affair. */
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

function createQueue() {
  let waiting: ModelEvent[] = [];
  let last: ModelEvent | undefined;
  let wake: () => void = () => undefined;
  return {
    push(event: ModelEvent) {
      waiting.push(event);
      wake();
    },
    end(event: ModelEvent) {
      last = event;
      wake();
    },
    async *all(): AsyncGenerator<ModelEvent> {
      for (;;) {
        const ready = waiting;
        waiting = [];
        yield* ready;
        if (waiting.length > 0) continue;
        if (last) return yield last;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
