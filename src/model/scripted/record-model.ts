import type { Clock } from "../../platform/index.ts";
import type { ModelClient } from "../../protocol/index.ts";
import type { Recording } from "./recording.ts";

/**
 * Wraps a model so that every answer and every final failure is recorded before it is passed on. Aborted requests are
 * not recorded. Wrap the client that retries; otherwise each lost attempt becomes a separate step.
 */
export function recordModel(client: ModelClient, recording: Recording, clock: Pick<Clock, "monotonic">): ModelClient {
  return {
    ref: client.ref,
    contextWindow: client.contextWindow,
    maxOutputTokens: client.maxOutputTokens,
    async *stream(request, signal) {
      const from = clock.monotonic();
      for await (const event of client.stream(request, signal)) {
        if (event.type === "finished" || (event.type === "failed" && event.failure.kind !== "aborted")) {
          const end = event.type === "finished" ? event.answer : event.failure;
          const { caller } = request;
          await recording.add({ caller, model: client.ref, durationMs: clock.monotonic() - from, end });
        }
        yield event;
      }
    },
  };
}
