import { isUtf8 } from "node:buffer";
import * as z from "zod";
import { Command, Envelope, protocolVersion, SessionId } from "../../protocol/index.ts";

/** What is asked at a door: one JSON object a line. */
export const SocketRequest = z.discriminatedUnion("ask", [
  /** What happens from now on. What happened before is on disk, which whoever asks can read. */
  z.object({ ask: z.literal("events") }),
  z.object({ ask: z.literal("dispatch"), id: z.number().int().nonnegative(), command: Command }),
]);
export type SocketRequest = z.infer<typeof SocketRequest>;

const AckSchema = z.union([
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
]);

/** What is said there. */
export const SocketMessage = z.discriminatedUnion("say", [
  /** The first thing, unasked. */
  z.object({ say: z.literal("hello"), v: z.literal(protocolVersion), session: SessionId, version: z.string() }),
  /** How things are that no log has; everything that happens after it comes as `events`. */
  z.object({ say: z.literal("now"), envelopes: z.array(Envelope) }),
  z.object({ say: z.literal("events"), envelopes: z.array(Envelope) }),
  z.object({ say: z.literal("ack"), id: z.number().int().nonnegative(), ack: AckSchema }),
  /** The last thing: why the door is shut. */
  z.object({ say: z.literal("bye"), code: z.string(), message: z.string() }),
]);
export type SocketMessage = z.infer<typeof SocketMessage>;

/** How long one line may be: a prompt with pictures, a batch with long results. */
export const maxRequestBytes = 32 << 20;
export const maxMessageBytes = 256 << 20;

/** Cuts what comes into lines. Gives why not, once, for what is too long or no text; nothing is to be fed after that. */
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

/** Of a line that should be of this form: undefined for anything else. */
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
  return { raw, problem: `${issue?.path.map(String).join(".") || "the line"}: ${issue?.message ?? "is wrong"}` };
}
