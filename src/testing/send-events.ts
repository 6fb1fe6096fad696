import type { ServerResponse } from "node:http";
import { setImmediate as nextRound } from "node:timers/promises";
import { type Clock, rejectOnAbort } from "../platform/index.ts";
import { writesOf } from "./encode-events.ts";
import type { ServerFault } from "./server-fault.ts";

export interface Sending {
  readonly fault: ServerFault;
  readonly clock: Clock;
  readonly betweenEventsMs: number;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/**
 * Sends the body and stops where the fault says so. Rejects with the signal's reason when the client has disconnected.
 */
export async function sendEvents(
  response: ServerResponse,
  events: readonly Buffer[],
  { fault, clock, betweenEventsMs, signal }: Sending,
): Promise<"answered" | "cut"> {
  let left = fault.cutAfterBytes ?? Number.POSITIVE_INFINITY;
  for (const [index, event] of events.entries()) {
    if (index === fault.cutAfterEvents) return cut(response);
    if (index === fault.endAfterEvents) break;
    if (index === fault.stallAfterEvents) await forEver(signal);
    if (index > 0 && betweenEventsMs > 0) await clock.sleep(betweenEventsMs, signal);
    for (const bytes of writesOf(event, fault)) {
      await write(response, bytes.subarray(0, left), signal);
      left -= bytes.length;
      if (left <= 0) return cut(response);
    }
  }
  if (fault.stallAfterEvents !== undefined) await forEver(signal);
  if (fault.cutAfterEvents !== undefined) return cut(response);
  response.end();
  return "answered";
}

const forEver = (signal: AbortSignal): Promise<never> => rejectOnAbort(new Promise<never>(() => undefined), signal);

async function write(response: ServerResponse, bytes: Buffer, signal: AbortSignal): Promise<void> {
  const flushed = new Promise<void>((resolve, reject) => {
    response.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
  await rejectOnAbort(flushed, signal);
  // Waits for one turn of the event loop, so that two writes become two packets.
  await nextRound();
}

function cut(response: ServerResponse): "cut" {
  response.socket?.destroy();
  return "cut";
}
