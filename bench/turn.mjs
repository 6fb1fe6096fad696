import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import * as z from "zod";
import { atMost, atMostMore, row } from "./measure.mjs";

/** Number of turns before the measured ones. */
const depths = [10, 100, 1000];
/** Turns that are measured at each depth. */
const width = 20;

/** The overhead of a turn with a trivial tool: from the end of an answer to the next request. */
export async function run(bench) {
  const rows = [];
  for (const protocol of ["anthropic", "openai"]) rows.push(...(await overHttp(bench, protocol)));
  for (const kept of ["memory", "file"]) rows.push(...(await inProcess(bench, kept)));
  return rows;
}

const isMeasured = (turn) => depths.some((depth) => turn > depth && turn <= depth + width);
const lastTurn = depths.at(-1) + width;

/** The values of the turns after `depth` turns. */
const valuesAt = (seen, depth) =>
  [...seen].filter(([turn]) => turn > depth && turn <= depth + width).map(([, it]) => it);

async function overHttp(bench, protocol) {
  const wire = (await bench.inside(`${protocol}Wire`))[`${protocol}Wire`];
  const { encodeEvents } = await bench.inside("encodeEvents");
  const answerOf = (turn) => Buffer.concat(encodeEvents(wire.frames(answer(turn)), {}, wire));
  const own = new Map();
  const raw = { clock: new Map(), bytes: new Map(), json: new Map() };
  let turn = 0;
  let answeredAt = 0;

  const server = await startServer(async (request, body, send) => {
    const arrivedAt = performance.now();
    if (request.headers["x-raw"]) {
      raw[request.headers["x-raw"]].set(turn, arrivedAt - answeredAt);
    } else {
      if (isMeasured(turn)) own.set(turn, arrivedAt - answeredAt);
      turn += 1;
      if (isMeasured(turn)) await bareTurns(request, body);
    }
    const bytes = answerOf(request.headers["x-raw"] ? 1 : turn);
    answeredAt = performance.now();
    send(bytes);
  });

  /**
   * Two bare minimums, each after a request that only starts the clock: `bytes` sends the body as received, `json`
   * first writes the same messages as JSON, as any loop must. The data for `json` was parsed some turns ago, so its
   * caches are not warmer than the agent's.
   */
  let parsed;
  const bareTurns = async ({ url }, bytes) => {
    if (!isMeasured(turn - 1)) parsed = JSON.parse(bytes.toString("utf8"));
    const send = async (kind, body) => {
      const headers = { "content-type": "application/json", "x-raw": kind };
      await (await fetch(server.url + url, { method: "POST", body, headers })).text();
    };
    await send("clock", "{}");
    await send("bytes", bytes);
    await send("clock", "{}");
    await send("json", JSON.stringify(parsed));
  };

  const home = bench.emptyFolder();
  const session = await openSession(bench, {
    model: protocol === "anthropic" ? "sonnet" : "openai/gpt-5.1",
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TROUPE_HOME: join(home, "troupe"),
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: server.url,
      OPENAI_API_KEY: "none",
      OPENAI_BASE_URL: `${server.url}/v1`,
    },
  });
  try {
    await ask(session);
  } finally {
    await session.close();
    await server.close();
  }
  return depths.flatMap((depth) => {
    const what = `${protocol}, after ${depth} turns`;
    const values = valuesAt(own, depth);
    const goal = atMostMore(4, "ms");
    return [
      row({ what, values, bare: valuesAt(raw.bytes, depth), against: "round trip of the same bytes", goal }),
      row({ what, values, bare: valuesAt(raw.json, depth), against: "the same, written as JSON first" }),
    ];
  });
}

/** A model that answers at once, so that only the loop, the tool and the log are measured. */
async function inProcess(bench, kept) {
  const seen = new Map();
  let turn = 0;
  let answeredAt = 0;
  const model = {
    ref: "bench/at-once",
    contextWindow: 1_000_000,
    maxOutputTokens: 1000,
    async *stream() {
      if (isMeasured(turn)) seen.set(turn, performance.now() - answeredAt);
      turn += 1;
      const { parts, stopReason } = answer(turn).reply;
      answeredAt = performance.now();
      yield { type: "finished", answer: { parts, stopReason, usage: answer(turn).usage } };
    },
  };
  const home = bench.emptyFolder();
  const env = { PATH: process.env.PATH, HOME: home, TROUPE_HOME: join(home, "troupe") };
  const session = await openSession(bench, { model, env, memory: kept === "memory" });
  try {
    await ask(session);
  } finally {
    await session.close();
  }
  const bare = kept === "file" ? bareWrites(home) : undefined;
  return depths.map((depth) =>
    row({
      what: `in-process model, ${kept}, after ${depth} turns`,
      values: valuesAt(seen, depth),
      ...(bare && { bare, against: "bare writes of one turn's records" }),
      goal: atMost(4, "ms"),
    }),
  );
}

async function openSession(bench, options) {
  const { createSession, defineTool, textResult } = await import(bench.library);
  const tick = defineTool({
    name: "Tick",
    description: "Does nothing, and says so.",
    input: z.object({}),
    access: "read",
    subject: () => ({ kind: "own" }),
    title: () => "Tick",
    execute: async () => textResult("tock"),
  });
  return createSession({ ...options, cwd: bench.emptyFolder(), tools: [tick], permissionMode: "bypassPermissions" });
}

async function ask(session) {
  const reply = await session.ask("go on");
  if (reply.reason !== "completed") throw new Error(`the run ended early: ${reply.reason} ${reply.detail ?? ""}`);
}

/** A call of the tool, and a text on the last turn. */
function answer(turn) {
  const call = { type: "tool_call", callId: `call_${turn}`, name: "Tick", input: {} };
  const isLast = turn > lastTurn;
  return {
    id: String(turn),
    request: { model: "bench", stream: true, includeUsage: true },
    reply: {
      parts: isLast ? [{ type: "text", text: "done" }] : [call],
      stopReason: isLast ? "end_turn" : "tool_use",
      usage: {},
      chunk: 32,
    },
    usage: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
    at: 0,
  };
}

async function startServer(handle) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const send = (bytes) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(bytes);
      };
      handle(request, Buffer.concat(chunks), send).catch((error) => response.destroy(error));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Writes the lines of the log just written, one turn at a time, through one open descriptor. */
function bareWrites(home) {
  const projects = join(home, "troupe", "projects");
  const log = readdirSync(projects, { recursive: true }).find((name) => /ses_[^/]*\.jsonl$/.test(name));
  const lines = readFileSync(join(projects, log), "utf8").split("\n").filter(Boolean);
  const turns = [];
  for (const line of lines) {
    if (line.includes('"turn.started"')) turns.push([]);
    turns.at(-1)?.push(Buffer.from(`\n${line}\n`));
  }
  const fd = openSync(join(home, "bare.jsonl"), "a");
  try {
    return turns.slice(0, 200).map((records) => {
      const started = performance.now();
      for (const record of records) writeSync(fd, record);
      return performance.now() - started;
    });
  } finally {
    closeSync(fd);
  }
}
