import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createMeasure } from "./measure.mjs";
import { makeRepository, runHiddenTests } from "./repository.mjs";

const common =
  "Work in this folder. When you are done, the result is in the working tree of this folder, on the branch main.";

/** The ways to work that are compared. */
export const modes = {
  solo: { flags: ["--disallowedTools", "Agent"], words: "" },
  subagents: { flags: [], words: "Use subagents for parts that do not depend on each other." },
  team: {
    flags: ["--team", "eval"],
    words: "Lead a team for this: start teammates, give them tasks, bring their work together and end the team.",
  },
  coordinator: { flags: ["--coordinator"], words: "" },
};

/** Plays one task in one mode, and runs its hidden tests on the result. */
export async function play(task, mode, { model, program, timeoutMs, budgetUsd, permissionMode, env, signal, keep }) {
  const repository = makeRepository(task);
  const home = join(repository.place, "home");
  mkdirSync(home);
  const solution = join(repository.place, "solution.json");
  writeFileSync(solution, JSON.stringify({ files: Object.entries(task.solution), commits: task.commits ?? false }));
  const args = [
    program,
    "-p",
    [task.prompt, common, modes[mode].words].filter(Boolean).join("\n\n"),
    "--output-format=stream-json",
    `--model=${model}`,
    `--permission-mode=${permissionMode}`,
    "--allowedTools=Bash(node *),Bash(npm test *),Bash(git *)",
    ...(budgetUsd === undefined ? [] : [`--max-budget-usd=${budgetUsd}`]),
    ...(task.settings === undefined ? [] : ["--settings", JSON.stringify(task.settings)]),
    ...modes[mode].flags,
  ];
  const started = performance.now();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    const run = await runProgram(args, {
      cwd: repository.folder,
      env: { ...env, TROUPE_HOME: home, TROUPE_EVAL_SOLUTION: solution, TROUPE_EVAL_MODE: mode },
      signal: AbortSignal.any([signal, late.signal]),
    });
    const seconds = (performance.now() - started) / 1000;
    const { passed, output } = runHiddenTests(task, repository.folder);
    return {
      task: task.name,
      kind: task.kind,
      mode,
      passed,
      exitCode: run.exitCode,
      seconds: Number(seconds.toFixed(1)),
      ...run.figures,
      ...(passed ? {} : { failure: failureOf(run, output) }),
      ...(keep && { folder: repository.folder }),
    };
  } finally {
    clearTimeout(timer);
    if (!keep) repository.remove();
  }
}

function failureOf({ isAborted, errors, figures }, output) {
  if (isAborted) return "it took too long or was stopped";
  return figures.turns === 0 ? `the program made no turn: ${errors}` : output;
}

async function runProgram(args, { cwd, env, signal }) {
  const measure = createMeasure();
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors = (errors + chunk).slice(-4_000);
  });
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.trim() === "") continue;
    const envelope = JSON.parse(line);
    if (envelope.event !== undefined) measure.add(envelope);
  }
  const exitCode = await ended;
  signal.removeEventListener("abort", stop);
  return { exitCode, errors, isAborted: signal.aborted, figures: measure.figures() };
}
