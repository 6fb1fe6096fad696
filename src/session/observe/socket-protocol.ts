import { isUtf8 } from "node:buffer";
import * as z from "zod";
import { Command, Envelope, protocolVersion, SessionId } from "../../protocol/index.ts";

/** The requests of a client: one JSON object per line. */
export const SocketRequest = z.discriminatedUnion("ask", [
  /** Subscribes to new events. The client reads earlier events from disk. */
  z.object({ ask: z.literal("events") }),
  z.object({ ask: z.literal("dispatch"), id: z.number().int().nonnegative(), command: Command }),
]);
export type SocketRequest = z.infer<typeof SocketRequest>;

const AckSchema = z.union([
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
]);

/** The messages to a client. */
export const SocketMessage = z.discriminatedUnion("say", [
  /** Sent first, without a request. */
  z.object({ say: z.literal("hello"), v: z.literal(protocolVersion), session: SessionId, version: z.string() }),
  /** State that is in no log. All later changes arrive as `events`. */
  z.object({ say: z.literal("now"), envelopes: z.array(Envelope) }),
  z.object({ say: z.literal("events"), envelopes: z.array(Envelope) }),
  z.object({ say: z.literal("ack"), id: z.number().int().nonnegative(), ack: AckSchema }),
  /** Sent last: the reason why the socket closes. */
  z.object({ say: z.literal("bye"), code: z.string(), message: z.string() }),
]);
export type SocketMessage = z.infer<typeof SocketMessage>;

/** Maximum line lengths, for prompts with images and batches with long results. */
export const maxRequestBytes = 32 << 20;
export const maxMessageBytes = 256 << 20;

/**
 * Splits incoming bytes into lines. Returns a problem for a line that is too long or not UTF-8. Do not call it again
 * after that.
 */
export function createLineSplitter(maxBytes: number): (bytes: Buffer) => { lines: string[]; problem?: string } {
  let held: Buffer[] = [];
  let heldBytes = 0;
  return (bytes) => {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end !== -1; start = end + 1, end = bytes.indexOf(0x0a, start)) {
      const line = Buffer.concat([...held, bytes.subarray(start, end)]);
      held = [];
      heldBytes = 0;
      if (line.length > maxBytes) return { lines, problem: `a line is longer than ${maxBytes} bytes` };
      if (!isUtf8(line)) return { lines, problem: "a line is not UTF-8" };
      if (line.length > 0) lines.push(line.toString("utf8"));
    }
    if (start < bytes.length) held.push(bytes.subarray(start));
    heldBytes += bytes.length - start;
    return heldBytes > maxBytes ? { lines, problem: `a line is longer than ${maxBytes} bytes` } : { lines };
  };
}

/** Parses a line. `value` is undefined if the line does not match the schema. */
export function parseLine<T>(line: string, schema: z.ZodType<T>): { value?: T; raw: unknown; problem: string } {
  let raw: unknown;
  try {
    raw = JSON.parse(line);
  } catch {
    return { raw: undefined, problem: "a line is not JSON" };
  }
  const parsed = schema.safeParse(raw);
  if (parsed.success) return { value: parsed.data, raw, problem: "" };
  const issue = parsed.error.issues[0];
  return { raw, problem: `${issue?.path.map(String).join(".") || "line"}: ${issue?.message ?? "is invalid"}` };
}
