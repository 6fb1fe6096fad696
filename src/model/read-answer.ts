import type { Clock } from "../platform/index.ts";
import type { ModelEvent, Usage } from "../protocol/index.ts";
import type { AttemptContext } from "./attempt.ts";
import type { Endpoint } from "./endpoint.ts";
import { toFailure } from "./failure.ts";
import { readStream } from "./read-stream.ts";

/** Folds the pieces of a provider's answer. */
export interface AnswerReader {
  readonly started: boolean;
  /** The answer is whole, even if the stream fails after it. */
  readonly complete?: boolean;
  readonly usage: Usage | undefined;
  push(value: unknown): ModelEvent[];
  end(): ModelEvent;
}

/** Yields the events of one streamed answer. The last one is `finished` or `failed`. */
export async function* readAnswer(
  send: () => Promise<AsyncIterable<unknown>>,
  answer: AnswerReader,
  options: { readonly endpoint: Endpoint; readonly clock: Pick<Clock, "now">; readonly spent: AttemptContext["spent"] },
): AsyncGenerator<ModelEvent, void, undefined> {
  const { endpoint, clock, spent } = options;
  for await (const read of readStream(send)) {
    if (!read.ok) {
      if (answer.complete) break;
      const failure = toFailure(read.error, { endpoint, now: clock.now(), streaming: answer.started });
      yield { type: "failed", failure };
      return;
    }
    const events = answer.push(read.value);
    if (answer.usage) spent(answer.usage);
    yield* events;
    if (events.at(-1)?.type === "failed") return;
  }
  yield answer.end();
}

/** Turns off an SDK's timeout: the watchdog detects silence, and it also sees bytes. */
export const noTimeout = 2 ** 31 - 1;
