import { expect, test } from "vitest";
import type { Span } from "../../../src/session/telemetry/span.ts";
import { createSpanExporter, type SpanExporterOptions } from "../../../src/session/telemetry/span-exporter.ts";
import { spanIdOf } from "../../../src/session/telemetry/span.ts";
import { startCollector } from "../../support/session/trace-collector.ts";

const span = (name: string): Span => ({
  spanId: spanIdOf(name),
  parentSpanId: undefined,
  name,
  kind: "internal",
  startMs: 1_790_000_000_000,
  endMs: 1_790_000_000_001,
  attributes: {},
});

function exporterTo(address: string, more: Partial<SpanExporterOptions> = {}) {
  const lost: string[] = [];
  const exporter = createSpanExporter({
    endpoint: `${address}/v1/traces`,
    headers: {},
    traceId: "a".repeat(32),
    resource: {},
    version: "0",
    onLoss: (message) => lost.push(message),
    everyMs: 1,
    retryMs: 1,
    ...more,
  });
  return { exporter, lost };
}

test.each([429, 502, 503, 504])(
  "export is retried when the collector answers %s, and nothing is lost",
  async (status) => {
    const collector = await startCollector();
    let refusals = 2;
    collector.answer = (response) => {
      response.writeHead(status).end();
      if (--refusals === 0) collector.answer = undefined;
    };
    const { exporter, lost } = exporterTo(collector.address);
    exporter.add([span("one")]);
    await exporter.close(10_000);
    expect(collector.spans.map(({ name }) => name)).toEqual(["one"]);
    expect([collector.requests.length, lost]).toEqual([3, []]);
  },
);

test("permanently rejected spans are lost, with one notice", async () => {
  const collector = await startCollector();
  collector.answer = (response) => response.writeHead(400).end();
  const { exporter, lost } = exporterTo(collector.address);
  exporter.add([span("one")]);
  await expect.poll(() => collector.requests).toHaveLength(1);
  exporter.add([span("two")]);
  await exporter.close(10_000);
  expect(collector.requests).toHaveLength(2);
  expect(lost).toEqual([expect.stringMatching(/^1 spans did not reach http.*: it responded with status 400/)]);
});

test("a partly accepted export is reported", async () => {
  const collector = await startCollector();
  collector.answer = (response) => response.end('{"partialSuccess":{"rejectedSpans":"2"}}');
  const { exporter, lost } = exporterTo(collector.address);
  exporter.add([span("one"), span("two"), span("three")]);
  await exporter.close(10_000);
  expect(lost).toEqual([expect.stringContaining("it rejected 2 of them")]);
});

test("a collector that never answers does not delay the end", async () => {
  const collector = await startCollector();
  collector.answer = () => undefined;
  const { exporter, lost } = exporterTo(collector.address);
  exporter.add([span("one")]);
  await expect.poll(() => collector.requests).toHaveLength(1);
  await exporter.close(1);
  expect(lost).toEqual([expect.stringContaining("the session ended before it responded")]);
});

test("no collector: one notice, and the queue is bounded", async () => {
  const { exporter, lost } = exporterTo("http://127.0.0.1:1");
  for (let at = 0; at < 10_000; at++) exporter.add([span(`${at}`)]);
  await exporter.close(10_000);
  expect(lost).toHaveLength(1);
});

test("a notice about a loss contains no key from the address", async () => {
  const { exporter, lost } = exporterTo("http://127.0.0.1:1", {
    endpoint: "http://127.0.0.1:1/v1/traces?key=verysecret",
  });
  exporter.add([span("one")]);
  await exporter.close(10_000);
  expect(lost).toEqual([expect.stringMatching(/^1 spans did not reach http:\/\/127\.0\.0\.1:1\/v1\/traces: /)]);
  expect(lost.join("")).not.toContain("verysecret");
});
