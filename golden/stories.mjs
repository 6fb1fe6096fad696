// Records the examples and the demos. Their agents run concurrently, so each story is played several times.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { filesOf } from "./collect.mjs";
import { factsOf, listed } from "./facts.mjs";
import { normalise } from "./normalise.mjs";
import { environmentOf, makeRoot } from "./stage.mjs";

const repository = resolve(import.meta.dirname, "..");
const examples = readdirSync(join(repository, "examples"), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

const story = (name, play) => ({ name, record: (at) => factsOf(async () => listed(await inPlace(at, play))) });

export const stories = [
  story("demo", playDemo),
  story("demo-coordinator", (place) => playDemo(place, "--coordinator")),
  ...examples.map((name) => story(`example-${name}`, (place) => playExample(name, place))),
];

async function inPlace({ program, signal }, play) {
  const root = makeRoot();
  try {
    return normalise(await play({ root, program, signal, env: environmentOf(root) }), { root, program });
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Plays an example of this repository with the package of the given program. */
async function playExample(name, { root, program, ...at }) {
  const folder = join(root, "project");
  cpSync(join(repository, "examples", name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(dirname(dirname(program)), join(folder, "node_modules", "troupe"));
  symlinkSync(join(dirname(dirname(program)), "node_modules", "zod"), join(folder, "node_modules", "zod"));
  const hook = join(import.meta.dirname, "leave-folders.mjs");
  const run = await runOf(["--import", hook, join(folder, name, "main.mjs")], { ...at, cwd: folder });
  return { runs: [run], home: storedIn(join(root, "tmp")) };
}

async function playDemo({ root, program, ...at }, ...flags) {
  const run = await runOf([program, "demo", "--fast", "--keep", ...flags], { ...at, cwd: join(root, "project") });
  return { runs: [run], home: storedIn(join(root, "tmp")) };
}

/** The stored files of sessions and teams, wherever the home is. */
function storedIn(folder) {
  return filesOf(folder, (path) => !/(^|\/)(projects|teams)\//.test(path) || path.includes("node_modules"));
}

function runOf(args, { cwd, env, signal }) {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], signal });
  const text = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (chunk) => (text[name] += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, killed) => {
      const lines = (name) => text[name].split("\n").filter((line) => line !== "");
      resolve({ args: [], exit: killed ?? code, stdout: lines("stdout"), stderr: lines("stderr") });
    });
  });
}
