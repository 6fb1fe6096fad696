import { encodeSpans, type SpanBatch } from "./otlp.ts";
import type { Span } from "./span.ts";

export interface SpanExporterOptions extends Omit<SpanBatch, "spans"> {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Told once, however much is lost. */
  readonly onLoss: (message: string) => void;
  /** How long spans wait for others to travel with. */
  readonly everyMs?: number;
  /** Before the second attempt; each further one waits twice as long. */
  readonly retryMs?: number;
}

export interface SpanExporter {
  /** Never waits and never throws: what finds no room is lost, and that is said once. */
  add(spans: readonly Span[]): void;
  /** Sends what is left, for at most this long. */
  close(withinMs: number): Promise<void>;
}

/** Spans to a collector, in batches, beside the work. */
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
      `${count} spans did not reach ${withoutQuery(options.endpoint)}: ${why}; what follows may be lost too`,
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
    // `post` turns every failure into words.
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };

  return {
    add(spans) {
      const room = maxWaiting - waiting.length;
      if (spans.length > room) reportLoss(spans.length - room, "too many wait to be sent");
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

/** Undefined once the collector has taken it, else why it has not. */
async function post(
  body: string,
  { endpoint, headers, retryMs = 1000 }: SpanExporterOptions,
  closing: AbortSignal,
): Promise<string | undefined> {
  let problem = "";
  for (let attempt = 0; attempt < attempts && !closing.aborted; attempt++) {
    if (attempt > 0) await pause(retryMs * 2 ** (attempt - 1), closing);
    try {
      const response = await fetch(endpoint, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        redirect: "error",
        signal: AbortSignal.any([closing, AbortSignal.timeout(10_000)]),
      });
      const answer = (await response.text()).slice(0, 500);
      if (response.ok) return partialLoss(answer);
      problem = `it answered ${response.status}`;
      if (!retryableStatuses.has(response.status)) return problem;
    } catch (error) {
      problem = closing.aborted ? "the session ended before it answered" : reasonOf(error);
    }
  }
  return problem || "the session ended before it answered";
}

/** A collector may take some and say how many it has not. */
function partialLoss(answer: string): string | undefined {
  const rejected = /"rejectedSpans"\s*:\s*"?([1-9]\d*)/.exec(answer)?.[1];
  return rejected === undefined ? undefined : `it refused ${rejected} of them`;
}

/** What follows a question mark may be a key. */
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
