/** The event types of the stream. The worker imports this file, so it imports nothing. */
export const streamEvents = ["sessions", "envelopes", "caught-up", "state", "gone", "summaries"] as const;
export type StreamEvent = (typeof streamEvents)[number];
