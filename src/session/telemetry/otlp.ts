import type { AttributeValue, Span } from "./span.ts";

export interface SpanBatch {
  readonly traceId: string;
  readonly resource: Readonly<Record<string, AttributeValue>>;
  readonly version: string;
  readonly spans: readonly Span[];
}

/** Encodes the body of an OTLP/HTTP trace request as JSON, with ids in hex and 64-bit numbers as strings. */
export function encodeSpans({ traceId, resource, version, spans }: SpanBatch): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributes(resource) },
        scopeSpans: [{ scope: { name: "troupe", version }, spans: spans.map((span) => encodeSpan(traceId, span)) }],
      },
    ],
  });
}

const encodeSpan = (traceId: string, span: Span) => ({
  traceId,
  spanId: span.spanId,
  ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: kinds[span.kind],
  startTimeUnixNano: nanoseconds(span.startMs),
  endTimeUnixNano: nanoseconds(span.endMs),
  attributes: attributes(span.attributes),
  status: span.error === undefined ? {} : { code: failed, message: span.error },
});

const kinds = { internal: 1, client: 3 } as const;
const failed = 2;

const nanoseconds = (ms: number) => `${BigInt(Math.round(ms)) * 1_000_000n}`;

const attributes = (all: Readonly<Record<string, AttributeValue>>) =>
  Object.entries(all).map(([key, value]) => ({ key, value: encodeValue(value) }));

function encodeValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value !== "number") return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
  return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
}
