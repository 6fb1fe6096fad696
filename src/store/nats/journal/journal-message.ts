import type { JsMsg } from "@nats-io/jetstream";
import * as z from "zod";
import { JournalHeader } from "../../team/journal/journal-fold.ts";

/** What everything before it has come to. One that `repairs` holds more than what stands before it: the rest was lost. */
export const BusHeader = JournalHeader.extend({ repairs: z.boolean().optional() });
export type BusHeader = z.infer<typeof BusHeader>;

/** One record of a journal, as it lies in the stream. */
export const JournalMessage = z.object({ id: z.string(), entry: z.unknown() });

/** Undefined if it is no JSON: whoever asks says what that means. */
export function parseMessage(message: JsMsg): unknown {
  try {
    return message.json<unknown>();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The sequence number of the message before it on its subject, where its writer had to know it. */
export function messageAfter(message: JsMsg): number | undefined {
  const text = message.headers?.get("Nats-Expected-Last-Subject-Sequence") ?? "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
