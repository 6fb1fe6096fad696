import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { row } from "./measure.mjs";
import { startServers } from "./nats-servers.mjs";

const sizes = [1, 10, 100];

/** One worker with several agents at once: the time until all have returned as branches, and the worker's memory. */
export async function run(bench) {
  const server = await startServers(bench.emptyFolder(), 1);
  try {
    const rows = [];
    for (const count of sizes) {
      const rounds = count === 100 ? 1 : 3;
      const seen = [];
      for (let round = 0; round < rounds; round++) seen.push(await measure(bench, server.urls.join(","), count));
      const agents = `${count} agent${count === 1 ? "" : "s"} on a worker`;
      rows.push(
        row({ what: `${agents}: all returned as branches`, values: seen.map(({ ms }) => ms) }),
        row({ what: `${agents}: each`, values: seen.map(({ ms }) => ms / count) }),
        row({ what: `${agents}: the worker's peak memory`, unit: "MB", values: seen.map(({ mb }) => mb) }),
      );
    }
    return rows;
  } finally {
    await server.close();
  }
}

async function measure(bench, bus, count) {
  const cwd = bench.emptyFolder();
  const git = (...args) => execFileSync("git", args, { cwd, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  for (let file = 0; file < 100; file++) writeFileSync(join(cwd, `file${file}.txt`), "line\n".repeat(100));
  git("add", "-A");
  git("-c", "user.name=Bench", "-c", "user.email=bench@example.com", "commit", "-qm", "first");
  const script = join(bench.emptyFolder(), "script.mjs");
  writeFileSync(script, scriptFor(count));
  const worker = program(bench, ["worker", "--bus", bus, "--max-agents", String(count), ...bypass], { cwd });
  try {
    await worker.saw(/takes up to/);
    const settings = JSON.stringify({
      limits: { maxAgents: 1000, maxConcurrentAgents: 200, maxSpawnsPerMinute: 1000 },
      subagents: { handOverMs: 600_000 },
    });
    const began = performance.now();
    const lead = program(
      bench,
      ["-p", "go", "--bus", bus, "--model", `scripted/${script}`, "--settings", settings, ...bypass],
      { cwd },
    );
    await lead.ended;
    const ms = performance.now() - began;
    const branches = git("for-each-ref", "--format=%(refname)", "refs/heads/troupe").trim().split("\n").length;
    if (branches !== count) throw new Error(`${branches} branches instead of ${count}: ${lead.text()}`);
    return { ms, mb: Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${worker.pid}/status`, "utf8"))[1]) / 1024 };
  } finally {
    await worker.end();
  }
}

const bypass = ["--permission-mode", "bypassPermissions"];

const scriptFor = (count) => `
const one = (n) => ({ tool: "Agent", input: { description: "part " + n, prompt: "do part " + n, subagent_type: "general-purpose", name: "part" + n, isolation: "remote" } });
export default (ask) => {
  if (ask.agent === "lead") return ask.results.length === 0 ? { text: "", calls: Array.from({ length: ${count} }, (_, n) => one(n)) } : { text: "done" };
  return ask.turn === 1 ? { text: "", calls: [{ tool: "Bash", input: { command: "echo x > new.txt && git add new.txt && git commit -qm part" } }] } : { text: "done" };
};`;

function program(bench, args, { cwd }) {
  const home = bench.emptyFolder();
  const child = spawn(process.execPath, [bench.program, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, TROUPE_HOME: join(home, ".troupe") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const lookers = new Set();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      for (const look of lookers) look();
    });
  const ended = new Promise((resolve) => child.once("close", resolve));
  return {
    pid: child.pid,
    ended,
    text: () => text,
    saw: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => pattern.test(text) && resolve();
        lookers.add(look);
        look();
        void ended.then(() => reject(new Error(`ended before ${pattern}: ${text}`)));
      }),
    async end() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
