import type { CallId, ModelRequest } from "../../src/protocol/index.ts";

/** A request as a model understands it. */
export interface Conversation {
  /** Every call of this agent, oldest first. */
  readonly calls: readonly MadeCall[];
  /** Every text that others wrote to this agent, oldest first. */
  readonly heard: readonly string[];
  /** The texts since its last answer. */
  readonly news: readonly string[];
  /** How many answers in a row called only tools that look. */
  readonly looks: number;
  readonly tools: ReadonlySet<string>;
  readonly turn: number;
}

export interface MadeCall {
  readonly callId: CallId;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Undefined while it has no result. */
  readonly result: string | undefined;
  readonly isError: boolean;
  /** The number of texts heard before the call. */
  readonly after: number;
}

const lookingTools = new Set(["TaskList", "TaskGet", "Read", "Grep", "Glob"]);

export function readRequest(request: ModelRequest): Conversation {
  const calls: Mutable<MadeCall>[] = [];
  const byId = new Map<CallId, Mutable<MadeCall>>();
  const heard: string[] = [];
  let newsFrom = 0;
  let looks = 0;
  for (const message of request.messages) {
    if (message.role === "assistant") {
      newsFrom = heard.length;
      const made = message.parts.filter((part) => part.type === "tool_call");
      looks = made.length > 0 && made.every(({ name }) => lookingTools.has(name)) ? looks + 1 : 0;
      for (const { callId, name, input } of made) {
        const call = {
          callId,
          name,
          input: input as MadeCall["input"],
          result: undefined,
          isError: false,
          after: heard.length,
        };
        calls.push(call);
        byId.set(callId, call);
      }
    } else
      for (const part of message.parts) {
        if (part.type === "text") heard.push(part.text);
        const call = part.type === "tool_result" ? byId.get(part.callId) : undefined;
        if (part.type !== "tool_result" || !call) continue;
        call.result = part.content.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("\n");
        call.isError = part.isError;
      }
  }
  return {
    calls,
    heard,
    news: heard.slice(newsFrom),
    looks,
    tools: new Set(request.tools.map(({ name }) => name)),
    turn: request.caller.turn,
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A request of another member that waits for an answer by its id. */
export interface OpenRequest {
  readonly id: string;
  readonly from: string;
  readonly kind: "plan" | "shutdown";
  /** True if this agent has sent plain words to the sender since. */
  readonly isAnsweredInWords: boolean;
}

/** Requests that this agent has heard and not answered with their id. */
export function openRequests({ heard, calls }: Conversation): OpenRequest[] {
  const found = heard.flatMap((text, at) => [...requestsIn(text)].map((request) => ({ ...request, at })));
  const last = new Map(found.map((request) => [request.id, request]));
  return [...last.values()].flatMap(({ at, ...request }) => {
    const later = calls.filter(({ name, after }) => name === "SendMessage" && after > at);
    const responses = later.filter(({ input }) => responseId(input) === request.id);
    // After two refusals of the same answer a model gives up.
    if (responses.some(({ isError }) => !isError) || responses.length > 1) return [];
    const words = later.some(({ input }) => typeof input["message"] === "string" && input["to"] === request.from);
    return [{ ...request, isAnsweredInWords: words }];
  });
}

const requestPattern = /(plan_approval_response|shutdown_response)(?:"|&quot;)[^}]*?(ask_\w+)/g;

function* requestsIn(text: string): Generator<Omit<OpenRequest, "isAnsweredInWords">> {
  const from = /teammate_id="([^"]+)"/.exec(text)?.[1];
  for (const [, type, id] of text.matchAll(requestPattern))
    if (id !== undefined)
      yield {
        id,
        from: from ?? /SendMessage (?:with )?to "?([A-Za-z][\w-]*)/.exec(text)?.[1] ?? "team-lead",
        kind: type?.startsWith("plan") ? "plan" : "shutdown",
      };
}

const responseId = (input: MadeCall["input"]): unknown =>
  (input["message"] as { request_id?: unknown } | undefined)?.request_id;
