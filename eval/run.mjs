// `npm run eval -- --model anthropic/…` plays tasks with a real model, alone and in several ways of working together,
// and checks each result with hidden tests.
import { availableParallelism } from "node:os";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { modes, play } from "./play.mjs";
import { checkTask } from "./repository.mjs";
import { table } from "./report.mjs";
import { tasks } from "./tasks/all-tasks.mjs";

const usage = `Usage: npm run eval -- --model MODEL [options]
  --model MODEL            any model of troupe: anthropic/…, openai/…, local/…, scripted/FILE
  --mode MODE              ${Object.keys(modes).join(", ")}; repeatable (default: all)
  --task NAME              repeatable (default: all ${tasks.length}; see --list)
  --runs N                 play each one N times (default: 1)
  --jobs N                 play N at the same time (default: half of the cores)
  --max-budget-usd AMOUNT  limit for one run (default: 2)
  --timeout SECONDS        limit for one run (default: 1800)
  --permission-mode MODE   default: acceptEdits
  --json FILE              write all results to FILE
  --keep                   keep the repositories
  --list                   list the tasks
  --check                  check the tasks: their hidden tests fail at the start and pass with the solution`;

const { values } = parseArgs({
  options: {
    model: { type: "string" },
    mode: { type: "string", multiple: true, default: Object.keys(modes) },
    task: { type: "string", multiple: true, default: tasks.map(({ name }) => name) },
    runs: { type: "string", default: "1" },
    jobs: { type: "string", default: String(Math.max(1, Math.floor(availableParallelism() / 2))) },
    "max-budget-usd": { type: "string", default: "2" },
    timeout: { type: "string", default: "1800" },
    "permission-mode": { type: "string", default: "acceptEdits" },
    program: { type: "string", default: resolve(import.meta.dirname, "../dist/troupe.cjs") },
    json: { type: "string" },
    keep: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

async function main() {
  if (values.help) return say(usage, 0);
  if (values.list) return say(tasks.map(({ name, kind }) => `${name} (${kind})`).join("\n"), 0);
  if (values.check) return checkTasks();
  const problem = findProblem();
  if (problem !== undefined) return say(`${problem}\n\n${usage}`, 2);
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopping.abort());
  const results = await playAll(stopping.signal);
  console.log(`\n${table(results, values.mode)}`);
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ model: values.model, results }, undefined, 1)}\n`);
  return stopping.signal.aborted ? 130 : results.every(({ passed }) => passed) ? 0 : 1;
}

function checkTasks() {
  const problems = tasks.filter(({ name }) => values.task.includes(name)).flatMap(checkTask);
  return problems.length === 0 ? say(`${values.task.length} tasks are sound.`, 0) : say(problems.join("\n"), 1);
}

function findProblem() {
  if (values.model === undefined) return "--model is missing.";
  const unknownMode = values.mode.find((mode) => modes[mode] === undefined);
  if (unknownMode !== undefined) return `There is no mode ${unknownMode}.`;
  const unknownTask = values.task.find((name) => !tasks.some((task) => task.name === name));
  if (unknownTask !== undefined) return `There is no task ${unknownTask}.`;
  const wrong = ["runs", "jobs", "timeout", "max-budget-usd"].find((name) => !(Number(values[name]) > 0));
  return wrong === undefined ? undefined : `--${wrong} must be a number above 0.`;
}

async function playAll(signal) {
  const queue = tasks
    .filter(({ name }) => values.task.includes(name))
    .flatMap((task) =>
      values.mode.flatMap((mode) => Array.from({ length: Number(values.runs) }, () => ({ task, mode }))),
    );
  const results = [];
  const next = async () => {
    for (let one = queue.shift(); one !== undefined && !signal.aborted; one = queue.shift()) {
      const result = await play(one.task, one.mode, {
        model: modelFrom(values.model),
        program: values.program,
        timeoutMs: Number(values.timeout) * 1000,
        budgetUsd: Number(values["max-budget-usd"]),
        permissionMode: values["permission-mode"],
        env: process.env,
        signal,
        keep: values.keep,
      });
      results.push(result);
      console.log(
        `${result.passed ? "pass" : "FAIL"} ${result.task}, ${result.mode}: ${result.seconds} s, ${result.turns} turns, $${result.costUsd}`,
      );
      if (!result.passed) console.log(indent(result.failure));
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, next));
  return results;
}

/** The path of a script counts from the caller's folder, not from the repository of the task. */
const modelFrom = (model) =>
  model.startsWith("scripted/") ? `scripted/${resolve(model.slice("scripted/".length))}` : model;

const indent = (text) => text.trim().replace(/^/gm, "    ");

function say(text, code) {
  (code === 0 ? console.log : console.error)(text);
  return code;
}

process.exitCode = await main();
