import { expect, test } from "vitest";
import type { AgentId, Event } from "../../../src/protocol/index.ts";
import {
  activityOf,
  agentOf,
  emptyView,
  itemAt,
  leadOf,
  reduce,
  reduceAll,
  type SessionView,
  sessionSpending,
  toArray,
  tokensOf,
} from "../../../src/view/index.ts";
import {
  backgroundId,
  callId,
  enclose,
  failure,
  helper,
  lead,
  opened,
  prompted,
  requestId,
  spawned,
  usage,
} from "../../support/view/sample-envelopes.ts";

const start = [opened(), spawned(), ...prompted(1, "list the files")];
const turn = (number: number): Event => ({ type: "turn.started", turn: number, model: "scripted/a.json" });
const ended = (number: number, parts: Extract<Event, { type: "turn.ended" }>["parts"]): Event => ({
  type: "turn.ended",
  turn: number,
  parts,
  stopReason: "end_turn",
  contextTokens: 1200,
  durationMs: 5,
});
const ls = { type: "tool_call", callId: callId("c1"), name: "Bash", input: { command: "ls" } } as const;
const called: Event = {
  type: "tool.called",
  turn: 1,
  callId: callId("c1"),
  name: "Bash",
  input: { command: "ls" },
  title: "$ ls",
};
const settled: Event = {
  type: "tool.settled",
  callId: callId("c1"),
  durationMs: 3,
  outcome: "ok",
  content: [{ type: "text", text: "a\nb" }],
  display: { kind: "terminal", exitCode: 0, signal: null },
};
const asked = (number: number): Event => ({
  type: "permission.asked",
  requestId: requestId(number),
  callId: callId("c1"),
  tool: "Bash",
  input: { command: "ls" },
  question: "Run ls?",
  suggestions: [],
});
const answered = (number: number): Event => ({
  type: "permission.settled",
  requestId: requestId(number),
  behavior: "allow",
  by: "user",
});

const cost = (model: string, purpose: "answer" | "lost"): Event => ({
  type: "cost.recorded",
  purpose,
  model,
  usage,
  costUsd: 0.5,
});

const fold = (events: Parameters<typeof enclose>[0]): SessionView => reduceAll(emptyView, enclose(events));
const leadAfter = (events: Parameters<typeof enclose>[0]) => {
  const agent = leadOf(fold(events));
  if (!agent) throw new Error("there is no lead");
  return agent;
};
const kinds = (events: Parameters<typeof enclose>[0]) => toArray(leadAfter(events).transcript).map((item) => item.kind);

test("one prompt, one call, one answer", () => {
  const events = [...start, turn(1), ended(1, [{ type: "text", text: "I look." }, ls]), called, settled, turn(2)];
  const agent = leadAfter([
    ...events,
    ended(2, [{ type: "text", text: "a and b" }]),
    { type: "agent.idle", reason: "completed" },
  ]);
  expect(toArray(agent.transcript).map((item) => item.kind)).toEqual(["prompt", "text", "call", "text", "done"]);
  expect(itemAt(agent.transcript, 2)).toMatchObject({
    title: "$ ls",
    state: "ok",
    result: { content: [{ text: "a\nb" }], display: { exitCode: 0 }, durationMs: 3 },
  });
  expect(agent).toMatchObject({
    path: "lead",
    turns: 2,
    contextTokens: 1200,
    status: { kind: "idle", reason: "completed" },
  });
  expect(agent.openCalls.size).toBe(0);
});

test("status and activity follow the events", () => {
  const steps: [Event, string, unknown][] = [
    [opened(), "starting", { kind: "none" }],
    [spawned(), "starting", { kind: "none" }],
    [prompted(1, "go")[0]!, "starting", { kind: "none" }],
    [prompted(1, "go")[1]!, "running", { kind: "none" }],
    [turn(1), "running", { kind: "requested" }],
    [{ type: "turn.waiting", turn: 1, reason: "rate limit" }, "running", { kind: "waiting", reason: "rate limit" }],
    [{ type: "thinking.delta", turn: 1, text: "hm" }, "running", { kind: "thinking" }],
    [{ type: "text.delta", turn: 1, text: "I" }, "running", { kind: "text" }],
    [{ type: "tool.drafted", turn: 1, name: "Bash", inputJson: "{" }, "running", { kind: "drafting", tool: "Bash" }],
    [
      { type: "turn.retried", turn: 1, attempt: 1, delayMs: 500, failure },
      "running",
      { kind: "retrying", attempt: 1, delayMs: 500, failure },
    ],
    [ended(1, [ls]), "running", { kind: "calls", titles: ["$ ls"] }],
    [asked(1), "waiting", { kind: "asking", requestId: requestId(1) }],
    [answered(1), "running", { kind: "calls", titles: ["$ ls"] }],
    [called, "running", { kind: "calls", titles: ["$ ls"] }],
    [settled, "running", { kind: "none" }],
    [{ type: "agent.idle", reason: "limit", detail: "20 turns" }, "idle", { kind: "none" }],
    [{ type: "agent.stopped", outcome: "completed" }, "stopped", { kind: "none" }],
  ];
  for (const index of steps.keys()) {
    const agent = leadAfter(steps.slice(0, index + 1).map(([event]) => event));
    expect([steps[index]![0].type, agent.status.kind, activityOf(agent)]).toEqual([
      steps[index]![0].type,
      ...steps[index]!.slice(1),
    ]);
  }
});

test("the draft grows with deltas and is discarded when the turn is retried, ended or failed", () => {
  const draft: Event[] = [
    turn(1),
    { type: "thinking.delta", turn: 1, text: "I thi" },
    { type: "thinking.delta", turn: 1, text: "nk" },
    { type: "text.delta", turn: 1, text: "He" },
    { type: "text.delta", turn: 1, text: "llo" },
    { type: "tool.drafted", turn: 1, name: "Read", inputJson: "{}" },
    { type: "tool.drafted", turn: 1, name: "Read", inputJson: "" },
    { type: "tool.drafted", turn: 1, name: "Read", inputJson: '{"file' },
    { type: "tool.drafted", turn: 1, name: "Read", inputJson: '_path"' },
  ];
  expect(leadAfter([...start, ...draft]).draft).toMatchObject({
    thinking: "I think",
    text: "Hello",
    tool: { name: "Read", inputJson: '{"file_path"' },
  });
  const retried: Event = { type: "turn.retried", turn: 1, attempt: 1, delayMs: 1, failure };
  expect(leadAfter([...start, ...draft, retried]).draft).toMatchObject({ thinking: "", text: "", tool: undefined });
  expect(leadAfter([...start, ...draft, ended(1, [])]).draft).toBeUndefined();
  expect(leadAfter([...start, ...draft, { type: "turn.failed", turn: 1, failure }]).draft).toBeUndefined();
  expect(
    leadAfter([...start, ...draft, ended(1, []), { type: "text.delta", turn: 1, text: "late" }]).draft,
  ).toBeUndefined();
});

test("a running call shows bounded progress, then its result", () => {
  const flood = Array.from(
    { length: 40 },
    (): Event => ({ type: "tool.progress", callId: callId("c1"), text: "x".repeat(1000) }),
  );
  const running = itemAt(leadAfter([...start, turn(1), ended(1, [ls]), called, ...flood]).transcript, 1);
  expect(running).toMatchObject({ kind: "call", state: "running" });
  expect(running?.kind === "call" && running.progress.length).toBeLessThanOrEqual(16_000);
  const done = leadAfter([...start, turn(1), ended(1, [ls]), called, ...flood, settled]);
  expect(itemAt(done.transcript, 1)).toMatchObject({ state: "ok", progress: "" });
});

test("a call is settled once, also one that was refused before it started", () => {
  const denied: Event = { type: "tool.settled", callId: callId("c1"), durationMs: 0, outcome: "denied", content: [] };
  const refused = leadAfter([...start, turn(1), ended(1, [ls]), denied, settled]);
  expect(itemAt(refused.transcript, 1)).toMatchObject({ state: "denied" });
  expect(kinds([...start, called])).toEqual(["prompt", "call"]);
});

test("a call id reused in a later turn is another call", () => {
  const again = leadAfter([...start, turn(1), ended(1, [ls]), called, settled, turn(2), ended(2, [ls]), called]);
  expect(toArray(again.transcript).map((item) => item.kind === "call" && item.state)).toEqual([false, "ok", "running"]);
});

test("prompts wait outside the transcript until they are in the conversation", () => {
  const [admitted, promoted] = prompted(2, "and quickly") as [Event, Event];
  const waiting = leadAfter([...start, turn(1), admitted]);
  expect(waiting.waitingPrompts).toMatchObject([{ parts: [{ text: "and quickly" }] }]);
  expect(waiting.transcript.length).toBe(1);
  const said = leadAfter([...start, turn(1), admitted, ended(1, [{ type: "text", text: "ok" }]), promoted]);
  expect(said.waitingPrompts).toEqual([]);
  expect(toArray(said.transcript).map((item) => item.kind)).toEqual(["prompt", "text", "prompt"]);
});

test("questions are open until answered, and the agent waits for the oldest", () => {
  const both = fold([...start, turn(1), ended(1, [ls]), asked(1), asked(2)]);
  expect(both.questions.map((question) => question.requestId)).toEqual([requestId(1), requestId(2)]);
  expect(both.questions[0]).toMatchObject({ agent: lead, question: "Run ls?" });
  const one = fold([...start, turn(1), ended(1, [ls]), asked(1), asked(2), answered(1)]);
  expect(leadOf(one)?.status).toEqual({ kind: "waiting", requestId: requestId(2) });
  expect(fold([...start, asked(1), { type: "agent.idle", reason: "interrupted" }]).questions).toEqual([]);
});

test("a failure appears once, an interruption has its own line", () => {
  const aborted = { kind: "aborted", message: "stopped" } as const;
  expect(
    kinds([...start, turn(1), { type: "turn.failed", turn: 1, failure }, { type: "agent.idle", reason: "failed" }]),
  ).toEqual(["prompt", "failure"]);
  expect(
    kinds([
      ...start,
      turn(1),
      { type: "turn.failed", turn: 1, failure: aborted },
      { type: "agent.idle", reason: "interrupted" },
    ]),
  ).toEqual(["prompt", "idle"]);
});

test("only the last ended background jobs keep their output; a running one always does", () => {
  const events = Array.from({ length: 120 }, (_, index): Event[] => {
    const id = backgroundId(index + 1);
    return [
      { type: "background.started", backgroundId: id, kind: "shell", description: "npm test", outputFile: "/tmp/out" },
      { type: "background.output", backgroundId: id, text: `output ${index}` },
      ...(index === 3
        ? []
        : [{ type: "background.ended", backgroundId: id, status: "completed", exitCode: 0 } as const]),
    ];
  });
  const tasks = toArray(fold([...start, ...events.flat()]).background);
  const tails = tasks.flatMap(({ outputTail }) => (outputTail === "" ? [] : [outputTail]));
  expect(tasks).toHaveLength(120);
  expect(tails).toEqual(["output 3", ...Array.from({ length: 50 }, (_, index) => `output ${index + 70}`)]);
});

test("background jobs: started, progress, ended", () => {
  const started: Event = {
    type: "background.started",
    backgroundId: backgroundId(1),
    kind: "shell",
    description: "npm start",
    outputFile: "/tmp/out",
  };
  const output: Event = { type: "background.output", backgroundId: backgroundId(1), text: "listening\n" };
  const end: Event = { type: "background.ended", backgroundId: backgroundId(1), status: "failed", exitCode: 2 };
  const running = fold([...start, started, output]);
  expect(itemAt(running.background, 0)).toMatchObject({ status: "running", outputTail: "listening\n", agent: lead });
  expect(running.runningBackground.size).toBe(1);
  const over = fold([...start, started, output, end, output]);
  expect(itemAt(over.background, 0)).toMatchObject({ status: "failed", exitCode: 2, outputTail: "listening\n" });
  expect(over.runningBackground.size).toBe(0);
  expect(itemAt(fold([...start, started, opened(true)]).background, 0)).toMatchObject({ status: "lost" });
});

test("a resumed session waits for nothing that died with the previous process", () => {
  const view = fold([...start, turn(1), ended(1, [ls]), asked(1), opened(true)]);
  expect(view.questions).toEqual([]);
  expect(leadOf(view)).toMatchObject({ status: { kind: "idle", reason: "interrupted" }, openQuestions: [] });
  const closed = fold([...start, asked(1), { type: "session.closed", reason: "failed" }]);
  expect(closed).toMatchObject({ questions: [], state: { kind: "closed", reason: "failed" } });
  expect(leadOf(closed)?.status.kind).toBe("idle");
  const goesOn = fold([...start, turn(1), opened(true), turn(2)]);
  expect(leadOf(goesOn)?.status.kind).toBe("running");
});

test("costs add up per agent, per model and for the session, including lost attempts", () => {
  const view = fold([
    ...start,
    cost("a/big", "answer"),
    cost("a/small", "lost"),
    [helper, spawned("lead/helper", lead)],
    [helper, cost("a/big", "answer")],
  ]);
  expect(leadOf(view)?.spending.total).toMatchObject({ requests: 2, costUsd: 1, lostUsd: 0.5 });
  const { total, byModel } = sessionSpending(view);
  expect(total).toMatchObject({
    requests: 3,
    costUsd: 1.5,
    lostUsd: 0.5,
    usage: { inputTokens: 30, cacheReadTokens: 300 },
  });
  expect(byModel.get("a/big")).toMatchObject({ requests: 2, costUsd: 1 });
  expect(tokensOf(total)).toBe(3 * 122);
  expect(agentOf(view, helper)).toMatchObject({ path: "lead/helper", parent: lead });
});

test("a compaction and a notice are part of the transcript", () => {
  const compacted: Event = {
    type: "context.compacted",
    trigger: "limit",
    summary: "so far",
    keptFromTurn: null,
    tokensBefore: 9,
  };
  const notice: Event = { type: "notice.raised", level: "warning", code: "torn_log", message: "one line was cut" };
  const view = fold([...start, turn(1), ended(1, []), compacted, notice]);
  expect(toArray(leadOf(view)!.transcript).map((item) => item.kind)).toEqual(["prompt", "compaction", "notice"]);
  expect(leadOf(view)?.contextTokens).toBeUndefined();
  expect(toArray(view.notices)).toMatchObject([{ agent: lead, level: "warning", message: "one line was cut" }]);
});

test("a long session is folded without copying existing items", () => {
  const events: (readonly [AgentId, Event])[] = [
    [lead, opened()],
    [lead, spawned()],
  ];
  for (let number = 1; events.length < 100_000; number++) {
    events.push([lead, turn(number)], [lead, { type: "text.delta", turn: number, text: "x" }]);
    events.push([lead, ended(number, [{ type: "text", text: "answer" }, ls])], [lead, called], [lead, settled]);
  }
  const log = enclose(events);
  const half = reduceAll(emptyView, log.slice(0, 50_000));
  const whole = reduceAll(half, log.slice(50_000));
  const before = leadOf(half)!.transcript;
  const after = leadOf(whole)!.transcript;
  expect(after.length).toBeGreaterThan(39_000);
  expect(itemAt(after, 0)).toBe(itemAt(before, 0));
  let node = before.root as readonly unknown[];
  let later = after.root as readonly unknown[];
  for (let depth = before.depth; depth > 0; depth--) node = node[0] as readonly unknown[];
  for (let depth = after.depth; depth > 0; depth--) later = later[0] as readonly unknown[];
  expect(later).toBe(node);
  expect(reduce(whole, log[99_000]!)).toBe(whole);
});
