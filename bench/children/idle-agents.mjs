// Opens agents, lets each answer once, and prints the memory of the idle ones. Arguments: library, kind, folder, url.
import { join } from "node:path";

const [library, kind, folder, url] = process.argv.slice(2);
const { createSession } = await import(library);
const atOnce = {
  ref: "bench/at-once",
  contextWindow: 1_000_000,
  maxOutputTokens: 1000,
  async *stream() {
    const usage = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    yield { type: "finished", answer: { parts: [{ type: "text", text: "hello" }], stopReason: "end_turn", usage } };
  },
};

const open = async () => {
  const session = await createSession({
    cwd: folder,
    memory: kind === "memory",
    model: kind === "anthropic" ? "sonnet" : atOnce,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TROUPE_HOME: join(folder, "troupe"),
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: url,
    },
  });
  await session.ask("hi");
  return session;
};

const held = () => {
  for (let i = 0; i < 4; i++) globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heapUsed: heapUsed + external };
};

const none = held();
const sessions = [await open()];
const one = held();
// Runs the same code once before the comparison: memory that the engine keeps for it does not belong to the agents.
sessions.push(await open());
const two = held();
for (let i = 2; i < 102; i++) sessions.push(await open());
const many = held();
for (const session of sessions) await session.close();
console.log(JSON.stringify({ none, one, two, many, further: 100 }));
