import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "../measure.mjs";
import { jobMark } from "./model-server.mjs";

const timeoutMs = 60_000;
const agents = 16;

/** One prompt with this many calls of the program's read tool: start, turns, exit and memory of one run. */
export async function playTurns({ program, server, folder, turns }) {
  const file = join(folder, "file.txt");
  writeFileSync(file, "one\ntwo\nthree\n");
  const log = [];
  let peak;
  let pid;
  server.play({
    decide({ turn }) {
      if (turn < turns) return { calls: [program.read(file)] };
      peak ??= peakMemory(pid);
      return { text: "done" };
    },
    log: (entry) => log.push(entry),
  });
  const { startedAt, endedAt } = await runProgram({ program, folder, onStart: (id) => (pid = id) });
  const between = log.slice(1).map((entry, index) => entry.arrivedAt - log[index].answeredAt);
  if (log.length !== turns + 1) throw new Error(`${program.name} made ${log.length} requests instead of ${turns + 1}`);
  return {
    start: log[0].arrivedAt - startedAt,
    turn: median(between.slice(2)),
    exit: endedAt - log.at(-1).answeredAt,
    memory: peak / 1024,
  };
}

/** 16 subagents with five calls each: from the answer that starts them to the last request of the last one. */
export async function playAgents({ program, server, folder }) {
  writeFileSync(join(folder, "file.txt"), "one\ntwo\nthree\n");
  let spawnedAt;
  let lastAt = 0;
  let ended = 0;
  server.play({
    decide({ text, turn }) {
      const name = /\[\[agent=(w\d+)\]\]/.exec(firstMark(text))?.[1];
      if (name === undefined) return spawnedAt === undefined ? { calls: spawning() } : { text: "done" };
      return work({ name, turn, folder }) ?? { text: `${name} is done` };
    },
    log({ text, arrivedAt, answeredAt, answer }) {
      const name = /\[\[agent=(w\d+)\]\]/.exec(firstMark(text))?.[1];
      if (name === undefined) {
        spawnedAt ??= answeredAt;
        return;
      }
      lastAt = Math.max(lastAt, arrivedAt);
      if (answer.text !== undefined) ended += 1;
    },
  });
  await runProgram({ program, folder });
  if (ended !== agents) throw new Error(`${program.name}: ${ended} of ${agents} subagents ended`);
  return { agents: lastAt - spawnedAt };
}

/** The marks of the lead's own prompt come first in its requests, and those of an agent in the agent's. */
const firstMark = (text) => /\[\[(peers-lead|agent=w\d+)\]\]/.exec(text)?.[0] ?? "";

const spawning = () =>
  Array.from({ length: agents }, (_, index) => ({
    name: "Agent",
    input: {
      description: "a part of the work",
      prompt: `[[agent=w${index}]] ${jobMark} Do your part.`,
      subagent_type: "general-purpose",
      run_in_background: false,
    },
  }));

/** The five calls of a subagent. Each works on its own file. */
function work({ name, turn, folder }) {
  const path = join(folder, `${name}.txt`);
  const calls = [
    { name: "Read", input: { file_path: join(folder, "file.txt") } },
    { name: "Bash", input: { command: `grep -n two ${join(folder, "file.txt")}`, description: "search" } },
    { name: "Bash", input: { command: `echo ${name}`, description: "say the name" } },
    { name: "Write", input: { file_path: path, content: `${name}\none\n` } },
    { name: "Edit", input: { file_path: path, old_string: "one", new_string: "two" } },
  ];
  return calls[turn] && { calls: [calls[turn]] };
}

async function runProgram({ program, folder, onStart = () => undefined }) {
  const [file, args] = program.command(`[[peers-lead]] ${jobMark} go on`);
  const home = program.home;
  const env = { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", ...program.env(home) };
  const startedAt = performance.now();
  const child = spawn(file, args, {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  onStart(child.pid);
  let output = "";
  child.stdout.on("data", (bytes) => (output += bytes));
  child.stderr.on("data", (bytes) => (output += bytes));
  const [code, signal] = await once(child, "exit");
  const endedAt = performance.now();
  if (code !== 0) throw new Error(`${program.name} exited with ${code ?? signal}: ${output.slice(-400)}`);
  return { startedAt, endedAt };
}

/** Peak of resident memory in kB of a process and of all that it started and that still run. */
function peakMemory(pid) {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const parents = new Map(processes.map((id) => [Number(id), statusOf(id)]));
  let total = 0;
  for (const [id, status] of parents) {
    let at = id;
    while (at !== undefined && at !== pid) at = parents.get(at)?.parent;
    if (at === pid) total += status?.peak ?? 0;
  }
  return total;
}

/** Undefined for a process that has ended. */
function statusOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "utf8");
    return { parent: Number(/PPid:\s+(\d+)/.exec(text)[1]), peak: Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0) };
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ESRCH") return undefined;
    throw error;
  }
}
