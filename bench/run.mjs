// `npm run bench [-- names…]`: runs the benchmarks one after another and prints a table and a JSON line for each.
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
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`unknown benchmark: ${unknown.join(", ")}. Available: ${names.join(", ")}`);
  process.exit(2);
}

const bench = await prepare();
try {
  for (const name of wanted.length > 0 ? wanted : names) {
    const { run } = await import(`./${name}.mjs`);
    const started = performance.now();
    const rows = await run(bench);
    printReport({ name, rows, seconds: (performance.now() - started) / 1000 });
  }
} finally {
  bench.close();
}
