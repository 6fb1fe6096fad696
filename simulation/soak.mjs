// `npm run soak -- --runs N`: runs many seeds on all cores. It can be stopped at any time; the same command continues.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { buildSimulation } from "./build.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "10000" },
    from: { type: "string" },
    jobs: { type: "string", default: String(availableParallelism()) },
    memory: { type: "string", default: join(import.meta.dirname, "..", "node_modules", ".cache", "soak.json") },
  },
});
/** Seeds in one worker process. The first hundred are slow: the code is not compiled yet. */
const batchSize = 500;
/** A worker that takes longer than this hangs. */
const batchMs = 20 * 60_000;

const memory = recall();
const open = new Set();
const children = new Set();
let next = memory.next;
let done = 0;
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, stop);

const file = await buildSimulation();
const started = performance.now();
console.log(`Seeds ${memory.next} to ${memory.end - 1}.`);
try {
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
} finally {
  stop();
  rmSync(file);
}
console.log(state());
console.log(memory.faults.length === 0 ? "No faults." : `Seeds with faults: ${memory.faults.join(", ")}`);
if (memory.next < memory.end) console.log("Stopped. The same command continues.");
process.exitCode = memory.faults.length === 0 ? 0 : 1;

/** Continues runs that were stopped. Otherwise new ones begin behind the last seed. */
function recall() {
  const found = existsSync(values.memory) ? JSON.parse(readFileSync(values.memory, "utf8")) : { next: 1, runs: 0 };
  const first = values.from === undefined ? found.next : Number(values.from);
  if (values.from === undefined && found.next < (found.end ?? 0)) return found;
  return { next: first, end: first + Number(values.runs), runs: found.runs, faults: [] };
}

function state() {
  const seconds = (performance.now() - started) / 1000;
  const speed = `${done} runs in ${Math.round(seconds)} s, ${(done / seconds).toFixed(1)} a second`;
  return `${speed}. ${memory.runs} runs in all, ${memory.faults.length} with faults, next seed ${memory.next}.`;
}

async function work() {
  while (next < memory.end && !stopping.signal.aborted) {
    const seed = next;
    const runs = Math.min(batchSize, memory.end - seed);
    next += runs;
    open.add(seed);
    const faults = await runBatch(seed, runs);
    // A batch that was stopped stays open and is run again.
    if (faults === undefined) continue;
    open.delete(seed);
    done += runs;
    memory.runs += runs;
    memory.faults = [...new Set([...memory.faults, ...faults])];
    memory.next = Math.min(next, ...open);
    remember();
    console.log(state());
  }
}

function remember() {
  mkdirSync(dirname(values.memory), { recursive: true });
  writeFileSync(`${values.memory}.new`, `${JSON.stringify(memory)}\n`);
  renameSync(`${values.memory}.new`, values.memory);
}

/** Returns the seeds with faults, or undefined if it was stopped. */
async function runBatch(seed, runs) {
  const call = `import(${JSON.stringify(pathToFileURL(file).href)}).then(({ main }) => main(process.argv.slice(1))).then((code) => process.exit(code))`;
  const args = ["--input-type=module", "-e", call, "--", "--seed", String(seed), "--runs", String(runs), "--json"];
  // A terminal sends its signals to the whole group. A worker in its own group ends only with `stop`.
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], detached: true });
  children.add(child);
  const timer = setTimeout(() => child.kill("SIGKILL"), batchMs);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const faults = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const found = JSON.parse(line);
    if (found.seed === undefined) continue;
    faults.push(found.seed);
    report(found.seed, `${found.faults[0].rule}: ${found.faults[0].message}`);
  }
  const code = await ended;
  clearTimeout(timer);
  children.delete(child);
  if (code === 0 || code === 1) return faults;
  if (stopping.signal.aborted) return undefined;
  report(seed, `a worker with ${runs} seeds from here ended with ${code ?? "a signal"}`);
  return [...faults, seed];
}

function report(seed, fault) {
  console.log(`seed ${seed}: ${fault}\n  npm run simulate -- --seed ${seed} --step`);
}

/** Ends the workers. Their batches are run again. */
function stop() {
  stopping.abort();
  for (const child of children) child.kill("SIGKILL");
}
