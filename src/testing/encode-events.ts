import { encodeFrame, type Frame } from "./frame.ts";
import type { Malformation, ServerFault } from "./server-fault.ts";
import type { Wire } from "./wire.ts";

/** Encodes a streamed answer event by event, with the fault applied to its content. */
export function encodeEvents(frames: readonly Frame[], fault: ServerFault, wire: Wire): Buffer[] {
  const { malformed, errorAfterEvents: errorAt, status = 529, message = "Overloaded" } = fault;
  const whole = errorAt === undefined ? frames : [...frames.slice(0, errorAt), wire.errorFrame({ status, message })];
  const middle = Math.max(
    1,
    whole.findIndex((frame) => frame.delta),
  );
  const insert = (frame: Frame) => whole.toSpliced(middle, 0, frame).map((it) => encodeFrame(it));
  const encoders: Record<Malformation, () => Buffer[]> = {
    "bad-json": () => insert({ ...whole[middle], data: '{"type": "content_block_delta", "index": 0, "del' }),
    crlf: () => whole.map((frame) => encodeFrame(frame, "\r\n")),
    comments: () => whole.map((frame) => Buffer.concat([Buffer.from(": keep-alive\n\n"), encodeFrame(frame)])),
    "unknown-event": () => insert(wire.unknownFrame("")),
    "long-line": () => insert(wire.unknownFrame("x".repeat(10 * 1024 * 1024))),
    "duplicate-index": () => duplicateIndex(whole).map((frame) => encodeFrame(frame)),
    "missing-stop": () => whole.filter((frame) => !frame.stop).map((frame) => encodeFrame(frame)),
    // The bytes are correct; only the writes are split.
    "split-utf8": () => whole.map((frame) => encodeFrame(frame)),
    "byte-by-byte": () => whole.map((frame) => encodeFrame(frame)),
  };
  return malformed ? encoders[malformed]() : whole.map((frame) => encodeFrame(frame));
}

/** Every block or tool call gets the index of the first. */
function duplicateIndex(frames: readonly Frame[]): Frame[] {
  return frames.map((frame) => {
    if (typeof frame.data === "string") return frame;
    const text = JSON.stringify(frame.data).replace(/"index":\d+/g, '"index":0');
    return { ...frame, data: text };
  });
}

/** Splits one event into writes. Most events are one write. */
export function writesOf(event: Buffer, fault: ServerFault): Buffer[] {
  if (fault.malformed === "byte-by-byte") return Array.from(event, (_, index) => event.subarray(index, index + 1));
  if (fault.malformed !== "split-utf8") return [event];
  const inside = event.findIndex((byte) => (byte & 0xc0) === 0x80);
  return inside < 0 ? [event] : [event.subarray(0, inside), event.subarray(inside)];
}
