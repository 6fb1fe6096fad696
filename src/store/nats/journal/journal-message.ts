import type { JsMsg } from "@nats-io/jetstream";
import * as z from "zod";
import { JournalHeader } from "../../team/journal/journal-fold.ts";

/** The state after all earlier records. With `repairs` it contains more than those: the rest was lost. */
export const BusHeader = JournalHeader.extend({ repairs: z.boolean().optional() });
export type BusHeader = z.infer<typeof BusHeader>;

/** One record of a journal in the stream. */
export const JournalMessage = z.object({ id: z.string(), entry: z.unknown() });

/** Returns undefined if it is not JSON. The caller decides what that means. */
export function parseMessage(message: JsMsg): unknown {
  try {
    return message.json<unknown>();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the sequence number of the previous message on its subject, if the writer had to name it. */
export function messageAfter(message: JsMsg): number | undefined {
  const text = message.headers?.get("Nats-Expected-Last-Subject-Sequence") ?? "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
