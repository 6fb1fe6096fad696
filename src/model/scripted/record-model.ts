import type { Clock } from "../../platform/index.ts";
import type { ModelClient } from "../../protocol/index.ts";
import type { Recording } from "./recording.ts";

/**
 * The same model, with every answer and every final failure written down before it is passed on. Aborted requests are not:
 * nothing was said. Wrap the client that retries, or each lost attempt becomes a step of its own.
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
