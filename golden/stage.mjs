// The stage of one session: a project, a home, a model server and the built program.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { startBus } from "./bus.mjs";

/** Fixed dates for git, so that equal content gives equal commits. */
const gitEnv = {
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
  GIT_CONFIG_NOSYSTEM: "1",
};

export function makeRoot() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-golden-")));
  for (const folder of ["project", "home", "tmp"]) mkdirSync(join(root, folder));
  return root;
}

export function environmentOf(root) {
  const home = join(root, "home");
  return {
    PATH: process.env.PATH,
    LANG: "C.UTF-8",
    HOME: home,
    TROUPE_HOME: join(home, ".troupe"),
    TMPDIR: join(root, "tmp"),
    ...gitEnv,
  };
}

/** Writes the files of the session, starts its servers and returns the tools for its script. */
export async function openStage(session, { program }) {
  const root = makeRoot();
  const cwd = join(root, "project");
  const children = new Set();
  const closers = [];
  const watch = createWatch();
  const env = { ...environmentOf(root), ...session.env };
  let fail;
  const failed = new Promise((_, reject) => (fail = reject));
  failed.catch(() => undefined); // nobody may be waiting for it
  const stage = {
    fail,
    failed,
    root,
    cwd,
    env,
    children,
    seen: watch.seen,
    did: watch.did,
    envelopes: watch.envelopes,
    runs: [],
  };
  stage.idle = (path, times) => watch.did(path, "agent.idle", times);
  stage.write = (name, content) => {
    const file = join(cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  };
  stage.start = (args, more) => startProgram({ stage, program, args, watch, ...more });
  stage.close = async () => {
    for (const child of children) killGroup(child);
    await Promise.all([...children].map(({ ended }) => ended));
    for (const close of closers.toReversed()) await close();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    if (session.repository) makeRepository(cwd, env);
    for (const [index, [name, content]] of Object.entries(session.files?.(stage) ?? {}).entries()) {
      stage.write(name, content);
      // Glob lists files by time, so each file gets a later time than the one before.
      utimesSync(join(cwd, name), 1_700_000_000 + index, 1_700_000_000 + index);
    }
    if (session.repository) commitAll(cwd, env);
    if (session.bus) {
      stage.bus = await startBus(join(root, "tmp"));
      closers.push(() => stage.bus.close());
    }
    if (session.actors) {
      const { startModelServer } = await import(pathToFileURL(join(dirname(program), "testing.js")));
      stage.server = await startModelServer({
        script: (ask) => answerOf(session, ask, stage),
        faults: session.faults ?? [],
        cwd,
      });
      closers.push(() => stage.server.close());
      Object.assign(env, {
        ANTHROPIC_API_KEY: "sk-golden-key-0123456789",
        ANTHROPIC_BASE_URL: stage.server.anthropicBaseUrl,
        OPENAI_API_KEY: "sk-golden-key-0123456789",
        OPENAI_BASE_URL: stage.server.openaiBaseUrl,
      });
    }
    return stage;
  } catch (error) {
    await stage.close();
    throw error;
  }
}

/** A mark in the prompt identifies an actor: `[actor scout] look around`. */
export function actorOf(messages, which = "first") {
  const said = messages.flatMap(({ role, parts }) =>
    role === "user" ? parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );
  const marks = said.flatMap((text) => [...text.matchAll(/\[actor (\w+)\]/g)].map(([, name]) => name));
  return (which === "first" ? marks[0] : marks.at(-1)) ?? "nobody";
}

async function answerOf(session, ask, stage) {
  const actor = actorOf(ask.request.messages, session.mark);
  const part = session.actors[actor];
  if (part === undefined) return undefined;
  const step = typeof part === "function" ? part : part[ask.turn - 1];
  return typeof step === "function" ? step(ask, stage) : step;
}

function makeRepository(cwd, env) {
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["config", "user.name", "Ada"],
    ["config", "user.email", "ada@example.com"],
  ])
    execFileSync("git", args, { cwd, env });
}

function commitAll(cwd, env) {
  execFileSync("git", ["add", "-A"], { cwd, env });
  execFileSync("git", ["commit", "-q", "--allow-empty", "-m", "first"], { cwd, env });
}

function startProgram({ stage, program, args, watch, cwd = stage.cwd, env = {}, input = "", quiet = false }) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...stage.env, ...env },
    stdio: "pipe",
    detached: true,
  });
  const run = { args, stdout: "", stderr: "" };
  if (!quiet) stage.runs.push(run);
  const lookers = new Set();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    run.stdout += chunk;
    if (quiet) return;
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) watch.line(line);
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    run.stderr += chunk;
    for (const look of lookers) look();
  });
  child.stdin.on("error", () => undefined); // it may leave before it has read everything
  if (input !== undefined && input !== null) child.stdin.end(input);
  child.ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, killed) => {
      stage.children.delete(child);
      run.exit = killed ?? code;
      if (input === null && !quiet && !run.closed) stage.fail(new Error(`ended with ${run.exit}: ${run.stderr}`));
      for (const look of lookers) look();
      resolve(run);
    });
  });
  stage.children.add(child);
  return {
    child,
    done: child.ended,
    send: (command) => child.stdin.write(`${JSON.stringify(command)}\n`),
    end: () => {
      run.closed = true;
      child.stdin.end();
    },
    /** Resolves when the output matches. Rejects if the program ends first. */
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(run.stderr) || pattern.test(run.stdout)) resolve();
          else if ("exit" in run) reject(new Error(`ended before ${pattern}: ${run.stderr}`));
        };
        lookers.add(look);
        child.stdout.on("data", look);
        look();
      }),
  };
}

function killGroup(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** Follows the envelopes on standard output, so that scripts can wait for them. */
function createWatch() {
  const envelopes = [];
  const paths = new Map();
  const waiting = new Set();
  const seen = (test, times = 1) =>
    new Promise((resolve) => {
      const look = () => {
        const found = envelopes.filter(test);
        if (found.length < times) return;
        waiting.delete(look);
        resolve(found[times - 1]);
      };
      waiting.add(look);
      look();
    });
  return {
    envelopes,
    seen,
    /** Resolves at the given occurrence of an event type of an agent. */
    did: (path, type, times = 1) => seen(({ agent, event }) => event.type === type && paths.get(agent) === path, times),
    line(text) {
      if (!text.startsWith('{"v":')) return;
      const envelope = JSON.parse(text);
      if (envelope.event.type === "agent.spawned") paths.set(envelope.agent, envelope.event.path);
      envelopes.push(envelope);
      for (const look of waiting) look();
    },
  };
}
