import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { environment, refuseEarly, start, startRefusingServer } from "./start-up.mjs";
import { atMost, interleave, row } from "./measure.mjs";

const events = 100_000;
/** Number of turns between two summaries of the conversation, as in a session of that length. */
const turnsPerSummary = 400;

/** A session of 100,000 events: reading, checking, folding and resuming it. */
export async function run(bench) {
  const platform = await bench.inside("platform");
  const { openEventLog } = await bench.inside("store");
  const { createConversation } = await bench.inside("agent");
  const { emptyView, reduceAll } = await bench.inside("view");
  const { openSessionDirectory } = await bench.inside("observe");
  const createId = platform.createIdFactory(platform.systemClock);
  const home = bench.emptyFolder();
  const cwd = bench.emptyFolder();
  const session = createId("ses");
  const path = join(home, "troupe", "projects", platform.projectName(cwd), `${session}.jsonl`);
  writeLog(path, { ...platform, createId, session, cwd });

  const parse = () => {
    const started = performance.now();
    const lines = readFileSync(path, "utf8").split("\n");
    const values = lines.filter(Boolean).map((line) => JSON.parse(line));
    if (values.length !== events) throw new Error(`${values.length} lines instead of ${events}`);
    return performance.now() - started;
  };
  const options = { path, session, agent: createId("agt"), clock: platform.systemClock, createId };
  let replayed = [];
  const open = async () => {
    replayed = [];
    const started = performance.now();
    const log = await openEventLog(options);
    const time = performance.now() - started;
    replayed = log.replayed;
    await log.close();
    if (replayed.length !== events) throw new Error(`${replayed.length} events instead of ${events}`);
    return time;
  };
  const converse = () => {
    const started = performance.now();
    const conversation = createConversation();
    for (const { event } of replayed) conversation.apply(event);
    return performance.now() - started;
  };
  const view = () => {
    const started = performance.now();
    reduceAll(emptyView, replayed);
    return performance.now() - started;
  };

  /** As a dashboard opens it: until the server has sent everything. */
  const observe = (known) => async () => {
    const observatory = openSessionDirectory({ home: join(home, "troupe") });
    const started = performance.now();
    const observed = await observatory.open(session);
    const after = known === 0 ? {} : { [replayed[0].agent]: known };
    const { signal } = new AbortController();
    let count = 0;
    for await (const told of observed.events({ after, signal })) {
      if (told.kind === "envelopes") count += told.envelopes.length;
      if (told.kind === "caught-up") break;
    }
    const time = performance.now() - started;
    await observatory.close();
    if (count !== events - known) throw new Error(`${count} events instead of ${events - known}`);
    return time;
  };
  const observeAll = observe(0);
  const observeLast = observe(events - 10);

  const seen = await interleave({ parse, open, converse, view, observeAll, observeLast }, { rounds: 5, seconds: 30 });
  const bare = seen.parse;
  const against = "read and JSON.parse";
  return [
    row({ what: "read and check 100,000 events", values: seen.open, bare, against }),
    row({ what: "fold them into a conversation", values: seen.converse, bare, against }),
    row({ what: "fold them into a view", values: seen.view, bare, against }),
    row({ what: "observe them from another process", values: seen.observeAll, bare, against, goal: atMost(800, "ms") }),
    row({ what: "observe the last 10, with a cursor", values: seen.observeLast, bare, against }),
    ...(await resuming(bench, { home, cwd, session, bare })),
  ];
}

async function resuming(bench, { home, cwd, session, bare }) {
  const server = await startRefusingServer();
  const env = { ...environment(home, server.url), TROUPE_HOME: join(home, "troupe") };
  const toRequest = (args) => async () => {
    const child = start([bench.program, "-p", "hi", "--model", "sonnet", ...args], { cwd, env });
    const cpu = await Promise.race([server.nextRequest(child.pid), child.ended.then(refuseEarly)]);
    const time = performance.now() - child.startedAt;
    server.answer();
    await child.ended;
    return { time, cpu };
  };
  try {
    const seen = await interleave({ resume: toRequest(["--resume", session]) }, { rounds: 5, seconds: 20 });
    const what = "troupe -p --resume, to its first request";
    const cpu = seen.resume.map((it) => it.cpu).filter((value) => value !== undefined);
    return [
      row({
        what,
        values: seen.resume.map(({ time }) => time),
        bare,
        against: "read and JSON.parse",
        goal: atMost(2000, "ms"),
      }),
      ...(cpu.length > 0 ? [row({ what: `${what}, CPU`, values: cpu })] : []),
    ];
  } finally {
    await server.close();
  }
}

/** Writes turns with an answer, a call and its result, as a working agent does. */
export function writeLog(path, { encodeLine, createId, session, cwd }) {
  const agent = createId("agt");
  const lines = [];
  const put = (event) => {
    const seq = lines.length + 1;
    const at = new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString();
    lines.push(encodeLine({ v: 1, id: createId("evt"), session, agent, seq, at, event }));
  };
  put({ type: "session.opened", sessionId: session, version: "0.1.0", cwd, resumed: false });
  put({
    type: "agent.spawned",
    path: "lead",
    agentType: "lead",
    model: "anthropic/claude-sonnet-4-5",
    permissionMode: "default",
    cwd,
  });
  put({ type: "context.composed", system: ["You work on code."] });
  const promptId = createId("prm");
  put({ type: "prompt.admitted", promptId, source: "user", parts: [{ type: "text", text: "Fix what is broken." }] });
  put({ type: "prompt.promoted", promptId });
  for (let turn = 1; lines.length + 6 < events; turn++) putTurn(put, turn);
  while (lines.length < events - 1) put({ type: "notice.raised", level: "info", code: "bench", message: "filler" });
  put({ type: "agent.idle", reason: "completed" });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, lines.join(""), { mode: 0o600 });
}

function putTurn(put, turn) {
  const model = "anthropic/claude-sonnet-4-5";
  const callId = `toolu_${turn}`;
  const input = { file_path: `/repository/src/part-${turn % 97}/file.ts`, offset: turn, limit: 40 };
  const usage = { inputTokens: 12, outputTokens: 90, cacheReadTokens: 20_000, cacheWriteTokens: 400 };
  put({ type: "turn.started", turn, model });
  put({ type: "cost.recorded", purpose: "answer", model, usage, costUsd: 0.009 });
  put({
    type: "turn.ended",
    turn,
    parts: [
      { type: "text", text: `Next I look at part ${turn % 97}, since the failure points there.` },
      { type: "tool_call", callId, name: "Read", input },
    ],
    stopReason: "tool_use",
    contextTokens: 20_500,
    durationMs: 2400,
  });
  put({ type: "tool.called", turn, callId, name: "Read", input, title: `Read ${input.file_path}` });
  const text = `${turn}\texport const value = compute(${turn});\n`.repeat(12);
  put({ type: "tool.settled", callId, durationMs: 4, outcome: "ok", content: [{ type: "text", text }] });
  if (turn % turnsPerSummary !== 0) return;
  const summary = "What was done so far, and what is left to do. ".repeat(40);
  put({ type: "context.compacted", trigger: "limit", summary, keptFromTurn: turn - 20, tokensBefore: 150_000 });
}
