/** What both SDKs take to send a body that is JSON already, and to read a stream of events as the answer. */
export const jsonRequest = (body: string, signal: AbortSignal) => ({
  body,
  headers: { "content-type": "application/json" },
  stream: true,
  signal,
});

/** The body: what comes before the messages, and the messages, written already. */
export const jsonBody = (head: object, messages: readonly string[]) =>
  `${JSON.stringify(head).slice(0, -1)},"messages":[${messages.filter((text) => text !== "").join(",")}]}`;
