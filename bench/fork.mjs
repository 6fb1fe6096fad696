import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atLeast, row } from "./measure.mjs";

/** The context of the lead when it delegates: ten files, about 50,000 tokens. */
const files = 10;
const charactersEach = 19_000;

/** Forks of a lead with 50,000 tokens, against the same work by agents that must read the files themselves. */
export async function run(bench) {
  const rows = [];
  for (const count of [2, 8, 32]) {
    const forks = await measure(bench, { count, forks: true });
    const fresh = await measure(bench, { count, forks: false });
    const against = "fresh agents";
    rows.push(
      row({
        what: `${count} forks: input read from the cache`,
        unit: "%",
        values: [forks.cachedPercent],
        bare: [fresh.cachedPercent],
        against,
        goal: atLeast(95, "%"),
      }),
      row({
        what: "the same: uncached input per subagent",
        unit: "tokens",
        values: [forks.paidTokens],
        bare: [fresh.paidTokens],
        against,
      }),
      row({
        what: "the same: cost of all subagents",
        unit: "cents",
        values: [forks.cents],
        bare: [fresh.cents],
        against,
      }),
      row({
        what: "the same: cached share of their first requests",
        unit: "%",
        values: [forks.firstPercent],
        bare: [fresh.firstPercent],
        against,
      }),
    );
  }
  return rows;
}

async function measure(bench, { count, forks }) {
  const { createSession } = await import(bench.library);
  const { startModelServer } = await import(bench.testing);
  const cwd = bench.emptyFolder();
  const home = bench.emptyFolder();
  mkdirSync(join(home, "troupe"));
  for (let index = 0; index < files; index++) writeFileSync(join(cwd, nameOf(index)), textOf(index));
  const server = await startModelServer({ script: (ask) => answer(ask, count) });
  const session = await createSession({
    cwd,
    model: "sonnet",
    forks,
    permissionMode: "bypassPermissions",
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TROUPE_HOME: join(home, "troupe"),
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: server.anthropicBaseUrl,
    },
  });
  const envelopes = [];
  const following = (async () => {
    for await (const envelope of session.events({ replay: true })) envelopes.push(envelope);
  })();
  const reply = await session.ask("Read everything, then divide the work.");
  await session.close();
  await following;
  await server.close();
  if (reply.text !== `${count} reports`)
    throw new Error(`the run ended with ${reply.reason}: ${reply.text} ${reply.detail ?? ""}`);
  return account(envelopes, count);
}

const nameOf = (index) => `part-${index}.txt`;

function textOf(index) {
  const lines = [];
  for (let size = 0; size < charactersEach; size += lines.at(-1).length + 1)
    lines.push(`part ${index}: what is said in line ${lines.length + 1}`);
  return lines.join("\n");
}

const reading = {
  calls: Array.from({ length: files }, (_, index) => ({ tool: "Read", input: { file_path: nameOf(index) } })),
};

/** A subagent looks something up and reports; one without context reads the files first. */
function answer({ said, results, request }, count) {
  const isChild = said.includes("Look after part");
  const seen = JSON.stringify(request.messages);
  if (!seen.includes("what is said in line 100")) return reading;
  // Long enough that all first requests are sent before the first answer: none can use the cache entry of another.
  const delayMs = 400;
  if (isChild)
    return results.some(({ tool }) => tool === "Glob")
      ? { text: "Looked after.", delayMs }
      : { calls: [{ tool: "Glob", input: { pattern: "*.md" } }], delayMs };
  const reports = results.filter(({ text }) => text.startsWith("Looked after."));
  if (results.some(({ tool }) => tool === "Agent")) return { text: `${reports.length} reports` };
  return {
    calls: Array.from({ length: count }, (_, index) => ({
      tool: "Agent",
      input: {
        description: `part ${index}`,
        prompt: `Look after part ${index}: check which of it is documented in other files, and report what is missing, with the names of the files and the lines.`,
      },
    })),
  };
}

function account(envelopes, count) {
  const children = new Set(
    envelopes.flatMap(({ agent, event }) => (event.type === "agent.spawned" && event.parent ? [agent] : [])),
  );
  const costs = envelopes.filter(({ agent, event }) => event.type === "cost.recorded" && children.has(agent));
  const first = [...children].map((child) => costs.find(({ agent }) => agent === child));
  const sumOf = (list, value) => list.reduce((sum, { event }) => sum + value(event), 0);
  const read = ({ usage }) => usage.cacheReadTokens;
  const all = ({ usage }) => usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    cachedPercent: (100 * sumOf(costs, read)) / sumOf(costs, all),
    firstPercent: (100 * sumOf(first, read)) / sumOf(first, all),
    paidTokens: (sumOf(costs, all) - sumOf(costs, read)) / count,
    cents: 100 * sumOf(costs, ({ costUsd }) => costUsd),
  };
}
