import { systemClock, withTimeLimit } from "../../platform/index.ts";
import { encodeSpans, type SpanBatch } from "./otlp.ts";
import type { Span } from "./span.ts";

export interface SpanExporterOptions extends Omit<SpanBatch, "spans"> {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Called once, for the first loss only. */
  readonly onLoss: (message: string) => void;
  /** How long spans wait to be sent in one batch. */
  readonly everyMs?: number;
  /** The delay before the second attempt. It doubles for each further attempt. */
  readonly retryMs?: number;
}

export interface SpanExporter {
  /** Never waits and never throws. Spans that do not fit into the queue are lost. */
  add(spans: readonly Span[]): void;
  /** Sends the remaining spans, for at most this time. */
  close(withinMs: number): Promise<void>;
}

/** Sends spans to a collector in batches, in the background. */
export function createSpanExporter(options: SpanExporterOptions): SpanExporter {
  const waiting: Span[] = [];
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let isLossReported = false;

  const reportLoss = (count: number, why: string) => {
    if (isLossReported) return;
    isLossReported = true;
    options.onLoss(
      `${count} spans did not reach ${withoutQuery(options.endpoint)}: ${why}. Later spans may be lost too.`,
    );
  };

  const sendAll = async () => {
    while (waiting.length > 0) {
      const spans = waiting.splice(0, batchSize);
      const problem = await post(encodeSpans({ ...options, spans }), options, closing.signal);
      if (problem !== undefined) reportLoss(spans.length, problem);
      if (closing.signal.aborted) return;
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    // `post` never rejects.
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };

  return {
    add(spans) {
      const room = maxWaiting - waiting.length;
      if (spans.length > room) reportLoss(spans.length - room, "the queue is full");
      waiting.push(...spans.slice(0, Math.max(0, room)));
      if (waiting.length >= batchSize) void flush();
      else if (waiting.length > 0) timer ??= setTimeout(() => void flush(), options.everyMs ?? 5000).unref();
    },
    async close(withinMs) {
      const deadline = setTimeout(() => closing.abort(), withinMs);
      await sending;
      await flush();
      clearTimeout(deadline);
    },
  };
}

const batchSize = 256;
const maxWaiting = 4096;
const attempts = 4;
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Returns undefined on success, otherwise the reason of the failure. */
async function post(
  body: string,
  { endpoint, headers, retryMs = 1000 }: SpanExporterOptions,
  closing: AbortSignal,
): Promise<string | undefined> {
  let problem = "";
  for (let attempt = 0; attempt < attempts && !closing.aborted; attempt++) {
    if (attempt > 0) await pause(retryMs * 2 ** (attempt - 1), closing);
    try {
      const { response, answer } = await withTimeLimit(systemClock, 10_000, async (late) => {
        const signal = AbortSignal.any([closing, late]);
        const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body, signal };
        const response = await fetch(endpoint, { ...init, redirect: "error" });
        return { response, answer: (await response.text()).slice(0, 500) };
      });
      if (response.ok) return partialLoss(answer);
      problem = `it responded with status ${response.status}`;
      if (!retryableStatuses.has(response.status)) return problem;
    } catch (error) {
      problem = closing.aborted ? "the session ended before it responded" : reasonOf(error);
    }
  }
  return problem || "the session ended before it responded";
}

/** A collector may accept a batch partially and return the number of rejected spans. */
function partialLoss(answer: string): string | undefined {
  const rejected = /"rejectedSpans"\s*:\s*"?([1-9]\d*)/.exec(answer)?.[1];
  return rejected === undefined ? undefined : `it rejected ${rejected} of them`;
}

/** The query may contain a key. */
const withoutQuery = (address: string) => address.replace(/[?#].*$/, "");

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms).unref();
    signal.addEventListener("abort", done, { once: true });
  });
}
