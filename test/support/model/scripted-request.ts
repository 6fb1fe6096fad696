import type { CallId, Message, ModelClient, ModelEvent, ModelRequest } from "../../../src/protocol/index.ts";

/** A request as the agent loop would make it. */
export const requestWith = (
  messages: readonly Message[],
  caller: Partial<ModelRequest["caller"]> = {},
  rest: Partial<ModelRequest> = {},
): ModelRequest => ({
  system: ["You are an agent."],
  tools: [{ name: "Read", description: "Reads.", inputSchema: { type: "object" } }],
  messages,
  maxOutputTokens: 1000,
  caller: { agentPath: "lead", agentType: "general", turn: 1, purpose: "answer", ...caller },
  ...rest,
});

export const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

export const called = (name: string, callId: string, input: unknown = {}): Message => ({
  role: "assistant",
  parts: [{ type: "tool_call", callId: callId as CallId, name, input }],
});

export const settled = (callId: string, text: string): Message => ({
  role: "user",
  parts: [{ type: "tool_result", callId: callId as CallId, content: [{ type: "text", text }], isError: false }],
});

export async function play(client: ModelClient, request: ModelRequest, signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  for await (const event of client.stream(request, signal)) events.push(event);
  return events;
}

/** The answer or the error of the request, in one line. */
export async function ask(client: ModelClient, request: ModelRequest): Promise<string> {
  const last = (await play(client, request)).at(-1);
  if (last?.type === "failed") return `${last.failure.kind}: ${last.failure.message}`;
  if (last?.type !== "finished") return "nothing";
  return last.answer.parts
    .map((part) => (part.type === "tool_call" ? `${part.name} ${JSON.stringify(part.input)}` : part.text))
    .join(" | ");
}
