import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Makes a throw-away repository with the files of a task. */
export function makeRepository(task) {
  const place = mkdtempSync(join(tmpdir(), `troupe-eval-${task.name}-`));
  const folder = join(place, "repository");
  mkdirSync(folder);
  git(folder, "init", "-q", "-b", "main");
  git(folder, "config", "user.name", "Eval");
  git(folder, "config", "user.email", "eval@example.invalid");
  const packageJson = { name: task.name, private: true, type: "module", scripts: { test: "node --test" } };
  writeFiles(folder, { "package.json": `${JSON.stringify(packageJson, undefined, 2)}\n`, ...task.files });
  // Old-style modules need their own package file.
  if (existsSync(join(folder, "old"))) writeFiles(folder, { "old/package.json": '{"type":"commonjs"}\n' });
  commit(folder, "Start");
  for (const [branch, files] of Object.entries(task.branches ?? {})) {
    git(folder, "switch", "-q", "-c", branch, "main");
    writeFiles(folder, files);
    commit(folder, `Work on ${branch}`);
    git(folder, "switch", "-q", "main");
  }
  return { place, folder, remove: () => rmSync(place, { recursive: true, force: true }) };
}

/** Runs the hidden tests on a copy, so that no agent sees them. Returns whether they pass, and their output. */
export function runHiddenTests(task, folder) {
  const copy = mkdtempSync(join(tmpdir(), `troupe-eval-check-`));
  try {
    cpSync(folder, copy, { recursive: true });
    const opening = 'import assert from "node:assert/strict";\nimport { test } from "node:test";\n';
    writeFiles(copy, { "hidden/hidden.test.js": opening + task.hidden });
    try {
      execFileSync(process.execPath, ["hidden/hidden.test.js"], {
        cwd: copy,
        encoding: "utf8",
        timeout: 120_000,
        stdio: ["ignore", "pipe", "pipe"],
        env: withoutTestContext(process.env),
      });
      return { passed: true, output: "" };
    } catch (error) {
      return { passed: false, output: failuresIn(`${error.stdout ?? ""}${error.stderr ?? ""}`) || error.message };
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The names of the failed tests, and their errors. */
const failuresIn = (output) =>
  output
    .split("\n")
    .filter((line) => /^\s*(not ok|error:|✖)/.test(line))
    .slice(0, 40)
    .join("\n");

/** The hidden tests of a task must fail at the start and pass with its solution. Returns the problems. */
export function checkTask(task) {
  const { folder, remove } = makeRepository(task);
  try {
    const before = runHiddenTests(task, folder);
    writeFiles(folder, task.solution);
    if (task.commits) for (const number of [1, 2, 3]) commit(folder, `Step ${number}`);
    const after = runHiddenTests(task, folder);
    return [
      ...(before.passed ? [`${task.name}: the hidden tests pass before any work`] : []),
      ...(after.passed ? [] : [`${task.name}: the solution does not pass the hidden tests\n${after.output}`]),
    ];
  } finally {
    remove();
  }
}

/** A value of undefined removes the file. */
export function writeFiles(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (content === undefined) rmSync(path, { force: true });
    else writeFileSync(path, content);
  }
}

export function commit(folder, message) {
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "--allow-empty", "-m", message);
}

export const git = (folder, ...args) => execFileSync("git", args, { cwd: folder, encoding: "utf8" });

/** A test runner inside a test runner reports to the outer one and always passes. */
function withoutTestContext(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name !== "NODE_TEST_CONTEXT"));
}
