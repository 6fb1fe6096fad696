// `npm run bench [-- names…]`: runs the benchmarks one after another and prints a table and a JSON line for each.
// `--record` adds the ratios to `history.jsonl`. `compare BASE` measures this build against the build of a commit.
import { compare } from "./peers/compare.mjs";
import { record } from "./history.mjs";
import { parseArgs } from "node:util";
import { printReport } from "./report.mjs";
import { prepare } from "./prepare.mjs";

const names = [
  "start-up",
  "turn",
  "memory",
  "large-result",
  "long-log",
  "append",
  "sandbox",
  "redact",
  "snapshot",
  "mcp",
  "permission",
  "prompt-size",
  "sub-agents",
  "fork",
  "delivery",
  "hundred-members",
  "mailbox",
  "tasks",
  "nats",
  "bus-load",
  "workers",
  "tui",
  "dashboard",
];
// Installs programs from npm, so it runs only when it is named.
const named = ["peers"];
const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { record: { type: "boolean", default: false } },
});
if (wanted[0] === "compare") process.exit(await compare(wanted[1]));
const known = [...names, ...named];
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`unknown benchmark: ${unknown.join(", ")}. Available: ${known.join(", ")}, compare BASE`);
  process.exit(2);
}

const bench = await prepare();
try {
  for (const name of wanted.length > 0 ? wanted : names) {
    const { run } = await import(`./${name}.mjs`);
    const started = performance.now();
    const rows = await run(bench);
    printReport({ name, rows, seconds: (performance.now() - started) / 1000 });
    if (flags.record) record({ name, rows });
  }
} finally {
  bench.close();
}
