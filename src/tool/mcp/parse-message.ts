import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import * as z from "zod";

const Id = z.union([z.string(), z.number()]);
const params = z.record(z.string(), z.unknown()).optional();

/** Checks only the frame; the caller validates the content. */
const Frame = z.union([
  z.looseObject({ jsonrpc: z.literal("2.0"), id: Id, method: z.string(), params }),
  z.looseObject({ jsonrpc: z.literal("2.0"), method: z.string(), params }),
  z.looseObject({ jsonrpc: z.literal("2.0"), id: Id, result: z.record(z.string(), z.unknown()) }),
  z.looseObject({
    jsonrpc: z.literal("2.0"),
    id: Id.optional(),
    error: z.looseObject({ code: z.number(), message: z.string() }),
  }),
]);

/** Returns undefined for a line that is not a message: a log line, a banner, or a partial line of a crashed program. */
export function parseMessage(line: string): JSONRPCMessage | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const parsed = Frame.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Finds the call id at either end of an answer that was too long to keep, so that the call can end. */
export function overlongAnswer(
  { head, tail }: { head: string; tail: string },
  limit: number,
): JSONRPCMessage | undefined {
  const found =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")/.exec(head) ??
    /"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  if (!found?.[1]) return undefined;
  const id = found[1].startsWith('"') ? found[1].slice(1, -1) : Number(found[1]);
  const message = `the server's answer was longer than ${limit} bytes and was dropped: ask for less`;
  return { jsonrpc: "2.0", id, error: { code: overlongCode, message } };
}

const overlongCode = -32_099;
