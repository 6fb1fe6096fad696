/** One server-sent event. `data` that is a string goes out as it stands. */
export interface Frame {
  readonly event?: string;
  readonly data: unknown;
  /** A piece of the answer, as opposed to what frames it. */
  readonly delta?: true;
  /** Says that the answer is whole. */
  readonly stop?: true;
}

export function encodeFrame({ event, data }: Frame, newline = "\n"): Buffer {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return Buffer.from(`${event === undefined ? "" : `event: ${event}${newline}`}data: ${text}${newline}${newline}`);
}

/** The index of the frame before which `deltas` pieces of the answer have gone out. */
export function frameAfterDeltas(frames: readonly Frame[], deltas: number): number {
  const places = frames.flatMap((frame, index) => (frame.delta ? [index] : []));
  if (deltas === 0) return places[0] ?? frames.length - 1;
  const last = places[deltas - 1];
  return last === undefined ? frames.length - 1 : last + 1;
}
