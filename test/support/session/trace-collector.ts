import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import * as z from "zod";

const Value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({
    arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }),
  }),
]);
const Attributes = z.array(z.strictObject({ key: z.string().min(1), value: Value }));
const Nanoseconds = z.string().regex(/^\d{19}$/);
const WireSpan = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.number().int().min(1).max(5),
  startTimeUnixNano: Nanoseconds,
  endTimeUnixNano: Nanoseconds,
  attributes: Attributes,
  status: z.strictObject({ code: z.literal(2).optional(), message: z.string().optional() }),
});

/** A trace request as the OTLP specification defines it. Everything else is rejected. */
const TraceRequest = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(WireSpan).min(1),
        }),
      ),
    }),
  ),
});

export interface CollectedSpan extends Omit<z.infer<typeof WireSpan>, "attributes"> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly address: string;
  readonly spans: readonly CollectedSpan[];
  readonly requests: readonly { readonly url: string; readonly headers: IncomingMessage["headers"] }[];
  /** Its next answer instead of accepting the request. */
  answer: ((response: ServerResponse) => void) | undefined;
}

/** An OpenTelemetry collector on loopback that validates every request. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: { url: string; headers: IncomingMessage["headers"] }[] = [];
  const problems: unknown[] = [];
  const collector: Collector = { address: "", spans, requests, answer: undefined };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests.push({ url: request.url ?? "", headers: request.headers });
      if (collector.answer) return collector.answer(response);
      const parsed = TraceRequest.safeParse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
      if (!parsed.success) problems.push(parsed.error);
      for (const { resource, scopeSpans } of parsed.data?.resourceSpans ?? []) {
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({ ...span, attributes: plain(span.attributes), resource: plain(resource.attributes) });
      }
      response.end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    if (problems.length > 0) throw problems[0];
  });
  return Object.assign(collector, { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

const plain = (attributes: z.infer<typeof Attributes>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]));
