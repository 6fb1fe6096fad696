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
  /** How many messages of the conversation the running program has been told. */
  let told = 0;
  let heard: ((update: SessionUpdate) => void) | undefined;

  const start = async (): Promise<AcpAgent> => {
    told = 0;
    const agent = await startAcpAgent({
      ...options,
      onUpdate: (update) => heard?.(update),
      onPermission: (request, signal) => decide(request, { ask: options.ask, signal }),
    });
    void agent.ended.then(() => {
      starting = undefined;
    });
    return agent;
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
      const agent = await (starting ??= start());
      heard = parts.hear;
      const text =
        told === 0 ? [options.introduction, retold(request.messages)].join("\n\n") : newIn(request.messages, told);
      told = request.messages.length + 1;
      const cancel = () => void agent.cancel().catch(() => undefined);
      signal.addEventListener("abort", cancel, { once: true });
      try {
        if (signal.aborted) return failure("aborted", "interrupted");
        const { stopReason } = await agent.prompt(text);
        if (signal.aborted || stopReason === "cancelled") return failure("aborted", "interrupted");
        const ending = stopReason === "max_tokens" || stopReason === "refusal" ? stopReason : "end_turn";
        return { type: "finished", answer: { parts: parts.all(), stopReason: ending, usage: noUsage } };
      } finally {
        heard = undefined;
        signal.removeEventListener("abort", cancel);
      }
    };
    run().then(events.end, (error: unknown) => {
      starting = undefined;
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

/** What has been said since it was told last; its own answers it knows. */
function newIn(messages: readonly Message[], told: number): string {
  return messages
    .slice(told)
    .filter(({ role }) => role === "user")
    .map(textOf)
    .join("\n\n");
}

/** All of it, for a program that has just been started: what was said before it is told as such. */
function retold(messages: readonly Message[]): string {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  if (last < 0) return newIn(messages, 0);
  const before = messages
    .slice(0, last + 1)
    .map((message) => `[${message.role === "user" ? "said to you" : "your answer"}]\n${textOf(message)}`);
  return `You have been at work on this before, in an earlier life. This is what was said then:\n\n${before.join("\n\n")}\n\nThis is new:\n\n${newIn(messages, last + 1)}`;
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
