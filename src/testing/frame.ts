/** One server-sent event. A string as `data` is sent unchanged. */
export interface Frame {
  readonly event?: string;
  readonly data: unknown;
  /** A piece of the answer, not framing. */
  readonly delta?: true;
  /** Marks the answer as complete. */
  readonly stop?: true;
}

export function encodeFrame({ event, data }: Frame, newline = "\n"): Buffer {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return Buffer.from(`${event === undefined ? "" : `event: ${event}${newline}`}data: ${text}${newline}${newline}`);
}

/** Returns the index of the frame that follows `deltas` pieces of the answer. */
export function frameAfterDeltas(frames: readonly Frame[], deltas: number): number {
  const places = frames.flatMap((frame, index) => (frame.delta ? [index] : []));
  if (deltas === 0) return places[0] ?? frames.length - 1;
  const last = places[deltas - 1];
  return last === undefined ? frames.length - 1 : last + 1;
}
