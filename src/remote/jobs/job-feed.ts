import type { JsMsg } from "@nats-io/jetstream";
import type { Clock } from "../../platform/index.ts";
import { type Bus, openFeed } from "../../store/nats/index.ts";
import { jobStream } from "./work-subjects.ts";

/**
 * Yields all messages on some job subjects from the beginning, until `signal` aborts. After a loss messages may repeat.
 */
export async function* followJob(
  { bus, clock, waitMs }: { readonly bus: Bus; readonly clock: Clock; readonly waitMs: number },
  filter: string,
  signal: AbortSignal,
): AsyncGenerator<JsMsg> {
  let waiting: JsMsg[] = [];
  let failure: { readonly error: unknown } | undefined;
  let wake: (() => void) | undefined;
  const look = () => wake?.();
  const feed = openFeed({
    bus,
    clock,
    waitMs,
    stream: jobStream,
    filter,
    onMessage(message) {
      waiting.push(message);
      look();
    },
    onCut: () => undefined,
    onFailure(error) {
      failure = { error };
      look();
    },
  });
  signal.addEventListener("abort", look);
  try {
    while (!signal.aborted) {
      const news = waiting;
      waiting = [];
      if (news.length > 0) yield* news;
      else if (failure) throw failure.error;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener("abort", look);
    await feed.close();
  }
}
