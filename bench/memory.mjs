import { createServer } from "node:http";
import { once } from "node:events";
import { environment, start } from "./start-up.mjs";
import { atMost, interleave, row } from "./measure.mjs";

const megabyte = 1024 * 1024;

/** The memory of an idle agent, and of each of a hundred more in the same process. */
export async function run(bench) {
  const server = await startAnsweringServer(bench);
  const child = (kind) => async () => {
    const folder = bench.emptyFolder();
    const args = ["--expose-gc", bench.child("idle-agents"), bench.library, kind, folder, server.url];
    const { code, output, errors } = await start(args, { cwd: folder, env: environment(folder, server.url) }).ended;
    if (code !== 0) throw new Error(`the child process exited with code ${code}: ${errors}`);
    return JSON.parse(output);
  };
  const kinds = { memory: child("memory"), file: child("file"), anthropic: child("anthropic") };
  let seen;
  try {
    seen = await interleave(kinds, { rounds: 3, warmUp: 0, seconds: 15, least: 2 });
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
  const inMegabytes = (values) => values.map((bytes) => bytes / megabyte);
  const all = Object.values(seen).flat();
  const goal = atMost(1, "MB");
  return [
    row({
      what: "one idle agent, RSS of the process",
      unit: "MB",
      values: inMegabytes(seen.file.map(({ one }) => one.rss)),
      bare: inMegabytes(all.map(({ none }) => none.rss)),
      against: "library loaded, no agent",
    }),
    ...Object.entries(names).flatMap(([kind, what]) => [
      row({ what: `${what}, RSS`, unit: "MB", values: inMegabytes(seen[kind].map(eachMore("rss"))), goal }),
      row({ what: `${what}, heap`, unit: "MB", values: inMegabytes(seen[kind].map(eachMore("heapUsed"))), goal }),
    ]),
  ];
}

const names = {
  memory: "each further agent, in memory",
  file: "each further agent, on file",
  anthropic: "each further agent, on file, anthropic client",
};

const eachMore =
  (what) =>
  ({ two, many, further }) =>
    (many[what] - two[what]) / further;

async function startAnsweringServer(bench) {
  const { anthropicWire } = await bench.inside("anthropicWire");
  const { encodeEvents } = await bench.inside("encodeEvents");
  const usage = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const reply = { parts: [{ type: "text", text: "hello" }], stopReason: "end_turn", usage: {}, chunk: 32 };
  const frames = anthropicWire.frames({ id: "1", request: { model: "bench" }, reply, usage, at: 0 });
  const bytes = Buffer.concat(encodeEvents(frames, {}, anthropicWire));
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": "text/event-stream" }).end(bytes));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.url = `http://127.0.0.1:${server.address().port}`;
  return server;
}
