import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { atMost, atMostTimes, interleave, quantile, row } from "./measure.mjs";
import { speakingScript } from "./speaking-script.mjs";
import { openTerminal } from "./terminal.mjs";

const agents = 10;
const eventsPerSecond = 50;
const keys = 120;
const messages = 10_000;

/**
 * The terminal UI in a real terminal: its start, its response to keys while ten agents speak, and a long transcript.
 */
export async function run(bench) {
  const place = placeOf(bench);
  const long = await writeLongSession(bench, place);
  const fresh = () => toPrompt(place, []);
  const resumed = () => toPrompt(place, ["--resume", long.session]);
  const bare = async () => {
    const terminal = openTerminal([process.execPath, "-e", `process.stdout.write("\\u276f")`], place);
    const at = await terminal.until((text) => text.includes("❯"));
    await terminal.ended;
    return at - terminal.startedAt;
  };
  const seen = await interleave({ bare, fresh, resumed }, { rounds: 7, seconds: 40 });
  const against = "node prints one character";
  return [
    row({
      what: "start, to a prompt that accepts keys",
      values: seen.fresh,
      bare: seen.bare,
      against,
      goal: atMost(1_000, "ms"),
    }),
    row({
      what: `the same, resuming ${messages} messages`,
      values: seen.resumed,
      bare: seen.fresh,
      against: "a new session",
    }),
    ...(await opening(bench, long)),
    ...(await speaking(place)),
  ];
}

function placeOf(bench) {
  const home = bench.emptyFolder();
  const script = join(bench.emptyFolder(), "script.mjs");
  writeFileSync(script, speakingScript({ agents, speech: speechOf() }));
  const env = { HOME: home, PATH: process.env.PATH, TERM: "xterm-256color", TROUPE_HOME: join(home, "troupe") };
  const command = [process.execPath, bench.program, "--model", `scripted/${script}`];
  return { cwd: bench.emptyFolder(), env, command };
}

/** Each agent says a long text, again and again, in pieces. */
function speechOf() {
  const words = "They looked at one file after another and said what they saw in it, which took a while.\n".repeat(40);
  const speech = { text: words, chunk: 6, chunkDelayMs: 1000 / eventsPerSecond };
  return `const speak = () => (${JSON.stringify({ ...speech, calls: [{ tool: "Glob", input: { pattern: "*.none" } }] })});`;
}

const promptSign = "❯";

async function toPrompt({ command, ...place }, flags) {
  const terminal = openTerminal([...command, ...flags], place);
  await terminal.until((text) => text.includes(promptSign));
  terminal.type("§");
  const at = await terminal.until((text) => text.includes("§"));
  await terminal.close();
  return at - terminal.startedAt;
}

/** Reading and folding the stored transcript of one agent, as when the user opens it. */
async function opening(bench, { store, session, path }) {
  const { foldTranscript, isTranscriptEvent } = await bench.inside("transcript");
  const open = async () => {
    const started = performance.now();
    const stored = await store.readLog(session, { only: isTranscriptEvent });
    const agent = foldTranscript(stored);
    if (agent.transcript.length < messages) throw new Error(`${agent.transcript.length} messages`);
    return performance.now() - started;
  };
  const parse = () => {
    const started = performance.now();
    for (const line of readFileSync(path, "utf8").split("\n")) if (line !== "") JSON.parse(line);
    return performance.now() - started;
  };
  const seen = await interleave({ parse, open }, { rounds: 7, seconds: 15 });
  const what = `read and fold an agent's ${messages} messages`;
  return [row({ what, values: seen.open, bare: seen.parse, against: "read and JSON.parse", goal: atMost(300, "ms") })];
}

/**
 * The bare minimum: a program that echoes each key. It alternates with the UI, so that both run on the same machine
 * state.
 */
const echo = `process.stdin.setRawMode(true).on("data", (key) => process.stdout.write(key)); process.stdout.write("ready")`;

async function speaking({ command, ...place }) {
  const [terminal, bare] = [openTerminal(command, place), openTerminal([process.execPath, "-e", echo], place)];
  try {
    await Promise.all([
      terminal.until((text) => text.includes(promptSign)),
      bare.until((text) => text.includes("ready")),
    ]);
    terminal.type("go");
    await terminal.until((text) => text.includes("go"));
    terminal.type("\r");
    await terminal.until((text) => text.includes(`agent-${agents}`));
    await pause(3_000);
    const [from, seen, cpu, began] = [terminal.written(), terminal.changed(), terminal.cpuMs(), performance.now()];
    const waits = [];
    const bareWaits = [];
    for (let count = 0; count < keys; count++) {
      const length = (count % 20) + 1;
      const typed = performance.now();
      terminal.type("§");
      waits.push((await terminal.until((text) => text.includes(`❯ ${"§".repeat(length)}`))) - typed);
      if (length === 20) {
        terminal.type("\x15");
        await terminal.until((text) => !text.includes("§"));
      }
      await pause(30 + Math.random() * 60);
      const bareTyped = performance.now();
      bare.type("x");
      bareWaits.push((await bare.until((text) => (text.match(/x/g)?.length ?? 0) > count)) - bareTyped);
      await pause(30 + Math.random() * 60);
    }
    const seconds = (performance.now() - began) / 1000;
    const [bytes, now] = [terminal.written() - from, terminal.changed()];
    const one = (what, value, more) =>
      row({ what: `${agents} × ${eventsPerSecond} events/s: ${what}`, values: [value], ...more });
    return [
      row({
        what: `${agents} × ${eventsPerSecond} events/s: from a key to the screen`,
        values: waits,
        bare: bareWaits,
        against: "node echoes it",
      }),
      one("the same, 95th percentile", quantile(waits, 0.95), {
        bare: [quantile(bareWaits, 0.95)],
        against: "node echoes it",
        goal: atMost(50, "ms"),
      }),
      one("frames", (now.frames - seen.frames) / seconds, { unit: "/s", goal: atMost(30, "/s") }),
      one("CPU of the whole program", (terminal.cpuMs() - cpu) / seconds / 10, { unit: "%", goal: atMost(100, "%") }),
      one("written", bytes / seconds / 1000, {
        unit: "kB/s",
        bare: [(now.bytes - seen.bytes) / seconds / 1000],
        against: "the least that shows the same",
        goal: atMostTimes(2),
      }),
    ];
  } finally {
    await Promise.all([terminal.close(), bare.close()]);
  }
}

/** A session whose lead has a long transcript. */
async function writeLongSession(bench, { cwd, env }) {
  const platform = await bench.inside("platform");
  const { createFileSessionStore } = await bench.inside("store");
  const createId = platform.createIdFactory(platform.systemClock);
  const [session, agent] = [createId("ses"), createId("agt")];
  const home = env.TROUPE_HOME;
  const path = join(home, "projects", platform.projectName(cwd), `${session}.jsonl`);
  const lines = [];
  const put = (event) => {
    const seq = lines.length + 1;
    const at = new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString();
    lines.push(platform.encodeLine({ v: 1, id: createId("evt"), session, agent, seq, at, event }));
  };
  const model = "scripted/none";
  put({ type: "session.opened", sessionId: session, version: "0.1.0", cwd, resumed: false });
  put({ type: "agent.spawned", path: "lead", agentType: "lead", model, permissionMode: "default", cwd });
  put({ type: "context.composed", system: ["You work on code."] });
  for (let turn = 1; turn <= messages / 2; turn++) {
    const [callId, input] = [`call_${turn}`, { file_path: `/repository/src/part-${turn % 97}.ts` }];
    const usage = { inputTokens: 12, outputTokens: 90, cacheReadTokens: 20_000, cacheWriteTokens: 400 };
    const parts = [
      { type: "text", text: `Next I look at **part ${turn % 97}**, since the failure points there.` },
      { type: "tool_call", callId, name: "Read", input },
    ];
    put({ type: "turn.started", turn, model });
    put({ type: "cost.recorded", purpose: "answer", model, usage, costUsd: 0 });
    put({ type: "turn.ended", turn, parts, stopReason: "tool_use", contextTokens: 20_500, durationMs: 2400 });
    put({ type: "tool.called", turn, callId, name: "Read", input, title: `Read part-${turn % 97}.ts` });
    const text = `${turn}\texport const value = compute(${turn});\n`.repeat(12);
    put({ type: "tool.settled", callId, durationMs: 4, outcome: "ok", content: [{ type: "text", text }] });
  }
  put({ type: "agent.idle", reason: "completed" });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, lines.join(""), { mode: 0o600 });
  return { session, path, store: createFileSessionStore({ home, clock: platform.systemClock, createId }) };
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
