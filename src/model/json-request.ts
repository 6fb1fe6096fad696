/** Options for both SDKs to send a finished JSON body and read an event stream. */
export const jsonRequest = (body: string, signal: AbortSignal) => ({
  body,
  headers: { "content-type": "application/json" },
  stream: true,
  signal,
});

/** Joins the fields before the messages and the serialized messages. */
export const jsonBody = (head: object, messages: readonly string[]) =>
  `${JSON.stringify(head).slice(0, -1)},"messages":[${messages.filter((text) => text !== "").join(",")}]}`;
