import { expect, test } from "vitest";
import { agent, lead, teamSession } from "../../support/team/team-session.ts";
import { type CollectedSpan, type Collector, startCollector } from "../../support/session/trace-collector.ts";

const traced = (collector: Collector, more: object = {}) => ({
  settings: { telemetry: { traces: true, endpoint: collector.address, ...more } },
});

/** `session > invoke_agent lead > turn 1 > …` for each span. */
function paths(spans: readonly CollectedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path = ({ name, parentSpanId }: CollectedSpan): string => {
    const parent = parentSpanId === undefined ? undefined : byId.get(parentSpanId);
    return parent ? `${path(parent)} > ${name}` : name;
  };
  return spans.map((span) => path(span).replaceAll(/general-purpose-\w+/g, "general-purpose")).sort();
}

test("a session is one trace: session, agent, turn, request, tool; a subagent is below its call", async () => {
  const collector = await startCollector();
  const team = await teamSession({
    ...traced(collector),
    answer: lead([{ calls: [agent("look around")] }, { text: "done" }], ({ turn }) =>
      turn === 1 ? { calls: [{ tool: "Bash", input: { command: "exit 3" } }] } : { text: "seen" },
    ),
  });
  await team.ask("go");
  await team.close();

  const child = "session > invoke_agent lead > turn 1 > execute_tool Agent > invoke_agent lead/general-purpose";
  expect(paths(collector.spans)).toEqual(
    [
      "session",
      "session > invoke_agent lead",
      "session > invoke_agent lead > turn 1",
      "session > invoke_agent lead > turn 1 > chat script",
      "session > invoke_agent lead > turn 1 > execute_tool Agent",
      child,
      `${child} > turn 1`,
      `${child} > turn 1 > chat script`,
      `${child} > turn 1 > execute_tool Bash`,
      `${child} > turn 2`,
      `${child} > turn 2 > chat script`,
      "session > invoke_agent lead > turn 2",
      "session > invoke_agent lead > turn 2 > chat script",
    ].sort(),
  );
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
  const chat = collector.spans.find(({ name }) => name === "chat script");
  expect(chat?.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "scripted",
    "gen_ai.usage.input_tokens": expect.stringMatching(/^\d+$/),
    "gen_ai.response.finish_reasons": { values: [{ stringValue: expect.any(String) }] },
  });
  const bash = collector.spans.find(({ name }) => name === "execute_tool Bash");
  expect(bash?.attributes).toMatchObject({ "gen_ai.tool.name": "Bash", "troupe.tool.outcome": "failed" });
  expect(bash?.status).toEqual({ code: 2, message: "failed" });
  // Content was not requested.
  expect(JSON.stringify(collector.spans)).not.toMatch(/exit 3|look around|seen/);
  expect(chat?.resource).toMatchObject({ "service.name": "troupe" });
});

test("with content enabled, the spans contain the texts", async () => {
  const collector = await startCollector();
  const team = await teamSession({
    ...traced(collector, { content: true }),
    answer: lead([{ calls: [{ tool: "Bash", input: { command: "echo in-and-out" } }] }, { text: "the end" }], () => ({
      text: "",
    })),
  });
  await team.ask("go");
  await team.close();
  const bash = collector.spans.find(({ name }) => name === "execute_tool Bash");
  expect(bash?.attributes).toMatchObject({
    "gen_ai.tool.call.arguments": '{"command":"echo in-and-out"}',
    "gen_ai.tool.call.result": expect.stringContaining("in-and-out"),
  });
  expect(JSON.stringify(collector.spans)).toContain("the end");
});

test("a team is one trace across the sessions of its members", async () => {
  const collector = await startCollector();
  const team = await teamSession({
    stored: true,
    ...traced(collector),
    flags: { team: "alpha", permissionMode: "bypassPermissions" },
    answer: (ask) => {
      if (ask.agent === "scout@alpha") return { text: "found" };
      if (ask.turn === 1)
        return { calls: [{ tool: "Agent", input: { description: "look", prompt: "find", name: "scout" } }] };
      return { text: ask.said.includes("found") ? "heard" : "waiting" };
    },
  });
  await team.ask("go");
  await team.until((event) => event.type === "turn.ended" && JSON.stringify(event.parts).includes("heard"));
  await team.close();
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(paths(collector.spans)).toContain("session > session > invoke_agent scout@alpha > turn 1 > chat script");
});

test("off by default; TROUPE_TELEMETRY enables it, and OpenTelemetry variables set the target", async () => {
  const collector = await startCollector();
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.address}/base/`,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc,x-tenant=1",
    OTEL_SERVICE_NAME: "our-agents",
    TRACEPARENT: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`,
  };
  const run = async (env: Record<string, string>) => {
    const team = await teamSession({ env, answer: () => ({ text: "hello" }) });
    await team.ask("go");
    await team.close();
  };
  await run(variables);
  expect(collector.requests).toEqual([]);
  await run({ ...variables, TROUPE_TELEMETRY: "1" });
  expect(collector.requests).toMatchObject([
    { url: "/base/v1/traces", headers: { authorization: "Bearer abc", "x-tenant": "1" } },
  ]);
  const session = collector.spans.find(({ name }) => name === "session");
  expect(session).toMatchObject({
    traceId: "a".repeat(32),
    parentSpanId: "b".repeat(16),
    resource: { "service.name": "our-agents" },
  });
});

test("an untrusted repository cannot make anything be sent", async () => {
  const collector = await startCollector();
  const team = await teamSession({
    files: { "project/.troupe/settings.json": { telemetry: { traces: true, endpoint: collector.address } } },
    answer: () => ({ text: "hello" }),
  });
  await team.ask("go");
  await team.close();
  expect(collector.requests).toEqual([]);
});

test.each([
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "localhost:4318"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:verysecret@127.0.0.1:4318"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x-key=verysecret%0A1"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x key=verysecret"],
])("an invalid setting is an error at the start that shows no secret: %s=%s", async (name, value) => {
  const start = teamSession({ env: { TROUPE_TELEMETRY: "1", [name]: value }, answer: () => ({ text: "hello" }) });
  const error = await start.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(String(error)).toContain(name);
  expect(String(error)).not.toContain("verysecret");
});
