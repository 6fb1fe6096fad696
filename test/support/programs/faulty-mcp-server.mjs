// An MCP server that misbehaves as its argument says: `node faulty-mcp-server.mjs '{"exitAt":"start"}'`.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const options = JSON.parse(process.argv[2] ?? "{}");
if (options.countFile) appendFileSync(options.countFile, `${process.pid}\n`);
const starts = options.countFile ? readFileSync(options.countFile, "utf8").trim().split("\n").length : 1;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id, text) => send({ id, result: { content: [{ type: "text", text }] } });

if (options.noise) process.stdout.write("starting up...\n{not json\n[1,2]\n{}\n\n\u0000\u0001\n");
if (options.stderrFlood) process.stderr.write("x".repeat(5_000_000));
if (options.exitAt === "start" && starts <= (options.exitTimes ?? Infinity)) {
  process.stderr.write("cannot find my config\n");
  process.exit(3);
}

let described = options.describe ?? "repeats its text";
const tools = () => [
  { name: "echo", description: described, inputSchema: { type: "object", properties: { text: { type: "string" } } } },
  ...[
    "exit",
    "hang",
    "late",
    "twice",
    "wrong-id",
    "huge",
    "huge-last",
    "noise",
    "slow",
    "progress",
    "env",
    "ask",
    "change",
    "pid",
    "roots",
    "busy",
    "invalid",
  ].map((name) => ({ name, description: name, inputSchema: { type: "object" } })),
  ...(options.moreTools ?? []).map((name) => ({ name, description: name, inputSchema: { type: "object" } })),
];

let asked = 0;
const waiting = new Map();
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `server-${++asked}`;
    waiting.set(id, resolve);
    send({ id, method, params });
  });

/** A call that is answered only when the next one comes. */
let owed;
const calls = {
  echo: (id, { text }) => answer(id, String(text)),
  exit: () => process.exit(7),
  hang: () => undefined,
  late: (id) => (owed = id),
  twice: (id) => {
    answer(id, "first");
    answer(id, "second");
  },
  "wrong-id": (id) => {
    answer(987654, "for no call");
    answer("text-id", "for no call");
    send({ id: null, result: {} });
    answer(id, "right");
  },
  huge: async (id, { megabytes }) => {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    await flood(megabytes);
    process.stdout.write('"}]}}\n');
  },
  "huge-last": async (id, { megabytes }) => {
    process.stdout.write('{"result":{"content":[{"type":"text","text":"');
    await flood(megabytes);
    process.stdout.write(`"}]},"jsonrpc":"2.0","id":${id}}\n`);
  },
  noise: (id) => {
    process.stdout.write('debug: calling\n{"jsonrpc":"2.0","id":1\n{"hello":"world"}\n');
    answer(id, "through the noise");
  },
  slow: (id, { ms }) => setTimeout(() => answer(id, "slow and sure"), ms),
  busy: (id, { ms }) => {
    for (const end = Date.now() + ms; Date.now() < end; );
    answer(id, "busy but alive");
  },
  progress: async (id, { times, everyMs }, meta) => {
    for (let step = 1; step <= times; step++) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      const params = { progressToken: meta?.progressToken, progress: step, total: times, message: `step ${step}` };
      send({ method: "notifications/progress", params });
    }
    answer(id, "all steps done");
  },
  env: (id) => answer(id, JSON.stringify(process.env)),
  pid: (id) => answer(id, String(process.pid)),
  ask: async (id) => {
    const requestedSchema = { type: "object", properties: { color: { type: "string" } }, required: ["color"] };
    const params = { mode: "form", message: "Which color?", requestedSchema };
    answer(id, JSON.stringify(await ask("elicitation/create", params)));
  },
  roots: async (id) => answer(id, JSON.stringify(await ask("roots/list", {}))),
  change: (id, { describe }) => {
    described = describe;
    send({ method: "notifications/tools/list_changed" });
    answer(id, "changed");
  },
  invalid: (id) => send({ id, result: { content: "not a list" } }),
};

async function flood(megabytes) {
  const piece = "a".repeat(1_000_000);
  for (let count = 0; count < megabytes; count++) {
    if (!process.stdout.write(piece)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (options.logFile) appendFileSync(options.logFile, `${line}\n`);
  if (method === undefined) {
    waiting.get(id)?.(result ?? error);
    return;
  }
  switch (method) {
    case "initialize": {
      if (options.hangAt === "initialize") return;
      const capabilities = { tools: { listChanged: true }, ...(options.resources && { resources: {} }) };
      const serverInfo = { name: "fault", version: "1" };
      const instructions = options.instructions;
      const reply = () =>
        send({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo, instructions } });
      setTimeout(reply, options.startMs ?? 0);
      return;
    }
    case "notifications/initialized":
      if (options.exitAt === "initialized" && starts <= (options.exitTimes ?? Infinity)) process.exit(4);
      return;
    case "ping":
      send({ id, result: {} });
      return;
    case "tools/list":
      send({ id, result: { tools: tools() } });
      return;
    case "tools/call":
      if (owed !== undefined) answer(owed, "too late");
      owed = undefined;
      void calls[params.name](id, params.arguments ?? {}, params._meta);
      return;
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: `no ${method}` } });
  }
});
// A stubborn server stays when its input ends.
if (!options.stubborn) process.stdin.on("end", () => process.exit(0));
else {
  process.on("SIGTERM", () => undefined);
  setInterval(() => existsSync("/"), 1000);
}
