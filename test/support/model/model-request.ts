import type { ModelClient, ModelEvent, ModelRequest } from "../../../src/protocol/index.ts";

export const ask = (change: Partial<ModelRequest> = {}): ModelRequest => ({
  system: ["You help."],
  tools: [],
  messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }],
  maxOutputTokens: 1000,
  caller: { agentPath: "lead", agentType: "general", turn: 1, purpose: "answer" },
  ...change,
});

export const neverAborted = () => new AbortController().signal;

export async function collect(client: Pick<ModelClient, "stream">, request = ask(), signal = neverAborted()) {
  const events: ModelEvent[] = [];
  for await (const event of client.stream(request, signal)) events.push(event);
  return events;
}

/** All shown text, joined. */
export const shownText = (events: readonly ModelEvent[]) =>
  events.map((event) => (event.type === "text.delta" ? event.text : "")).join("");
