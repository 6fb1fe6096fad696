import { setMaxListeners } from "node:events";
import { parseArgs } from "node:util";
import { TroupeError } from "../src/protocol/index.ts";
import { checkRun } from "./checks/check-run.ts";
import { addSituations, type Coverage, coverageLines } from "./coverage.ts";
import { createScenario } from "./scenario.ts";
import { scenarioLines, traceOf } from "./trace.ts";
import { loadEmptyMachine } from "./world/memory-host.ts";
import { runScenario } from "./world/run-scenario.ts";

export { checkRun, loadEmptyMachine, runScenario };

const usage = `Usage: npm run simulate -- [--seed N]… [--runs N] [--step] [--agents PATH] [--coverage] [--json]
  --seed N     the first seed, 1 by default; repeatable
  --runs N     how many seeds to run from each first one, 1 by default
  --step       prints each run step by step
  --agents P   a file or folder with the agent definitions of the members
  --coverage   counts the situations that the runs reached
  --json       prints one JSON line for each run with faults, and one at the end`;

/** `npm run simulate`. Returns 1 if a run has a fault, and 2 for wrong options. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    return await simulate(args);
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    console.error(error.message);
    return 2;
  }
}

async function simulate(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string", multiple: true, default: ["1"] },
      runs: { type: "string", default: "1" },
      step: { type: "boolean", default: false },
      coverage: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      agents: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const firsts = values.seed.map(Number);
  const count = Number(values.runs);
  const areSeeds = firsts.every((first) => Number.isSafeInteger(first) && first >= 0);
  if (values.help || !areSeeds || !Number.isSafeInteger(count) || count < 1) {
    console.error(usage);
    return 2;
  }
  // A simulated team listens to its own end more often than Node expects.
  setMaxListeners(0);
  const machine = await loadEmptyMachine(values);
  const own = machine.files.definitions.agents.flatMap(({ definition: { name, source } }) =>
    source.level === "flag" ? [name] : [],
  );
  const coverage: Coverage = new Map();
  const rules = new Map<string, number[]>();
  const started = process.cpuUsage();
  let turns = 0;
  const seeds = firsts.flatMap((first) => Array.from({ length: count }, (_, index) => first + index));
  for (const seed of seeds) {
    const record = await runScenario(createScenario(seed, own.length > 0 ? { types: own } : {}), machine);
    const faults = checkRun(record);
    turns += record.requests.length;
    if (values.coverage) addSituations(record, coverage);
    if (values.step) console.log([...scenarioLines(record), ...traceOf(record, faults)].join("\n"));
    for (const { rule } of faults) rules.set(rule, [...(rules.get(rule) ?? []), seed]);
    const [fault] = faults;
    if (!fault) continue;
    if (values.json) console.log(JSON.stringify({ seed, faults }));
    else {
      console.log(
        `seed ${seed}: ${faults.length} faults. ${fault.rule} after ${Math.round(fault.at / 1000)} s: ${fault.message}`,
      );
      const agents = values.agents === undefined ? "" : ` --agents ${values.agents}`;
      if (!values.step) console.log(`  npm run simulate -- --seed ${seed}${agents} --step`);
    }
  }
  const runs = seeds.length;
  const { user, system } = process.cpuUsage(started);
  const perSecond = Math.round((runs * 10_000_000) / (user + system)) / 10;
  if (values.coverage) console.log(coverageLines(coverage).join("\n"));
  if (values.json) console.log(JSON.stringify({ runs, turns, perSecond }));
  else {
    for (const [rule, hit] of rules) console.log(`${rule}: ${new Set(hit).size} runs`);
    console.log(`${runs} runs, ${turns} turns, ${perSecond} runs for each second of one core`);
  }
  return rules.size > 0 ? 1 : 0;
}
