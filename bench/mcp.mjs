import { spawn, spawnSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { atMostMore, interleave, row } from "./measure.mjs";

const slowestMs = 500;
const many = 10;

/** From the start of the servers to the last one's list of tools: ten take as long as the slowest of them. */
export async function run(bench) {
  const modules = join(dirname(dirname(bench.program)), "node_modules");
  if (!existsSync(modules)) symlinkSync(fileURLToPath(new URL("../node_modules", import.meta.url)), modules);
  const cwd = bench.emptyFolder();
  const home = bench.emptyFolder();
  const env = { PATH: process.env.PATH, HOME: home, TROUPE_HOME: join(home, "troupe") };

  const delays = (count) => Array.from({ length: count }, (_, index) => slowestMs - index * 25);
  const settingsFor = (count) => {
    const servers = delays(count).map((delay) => ({
      command: process.execPath,
      args: [bench.child("slow-server"), String(delay)],
    }));
    return { mcpServers: Object.fromEntries(servers.map((server, index) => [`server-${index}`, server])) };
  };
  const started = (count) => {
    const folder = bench.emptyFolder();
    const add = (name, server) => {
      const args = [bench.program, "mcp", "add", name, "--scope", "user", JSON.stringify(server)];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd, env: { ...env, TROUPE_HOME: folder } });
      if (status !== 0) throw new Error(String(stderr));
    };
    for (const [name, server] of Object.entries(settingsFor(count).mcpServers)) add(name, server);
    return () => {
      const args = [bench.program, "mcp", "test", "--json"];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd,
        env: { ...env, TROUPE_HOME: folder },
      });
      if (status !== 0) throw new Error(String(stderr) + String(stdout));
      const reports = String(stdout)
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      if (reports.length !== count) throw new Error(`${reports.length} servers instead of ${count}`);
      return Math.max(...reports.map(({ milliseconds }) => milliseconds));
    };
  };
  const bare = (count) => async () => {
    const begun = performance.now();
    const ends = await Promise.all(delays(count).map((delay) => firstWord(bench.child("slow-server"), delay)));
    return Math.max(...ends) - begun;
  };

  const seen = await interleave(
    { one: started(1), ten: started(many), bareOne: bare(1), bareTen: bare(many) },
    { rounds: 5, seconds: 15 },
  );
  const against = "the same processes, spawned and asked by hand";
  const goal = atMostMore(300, "ms");
  return [
    row({ what: `1 server that takes ${slowestMs} ms`, values: seen.one, bare: seen.bareOne, against }),
    row({ what: `${many} servers, the slowest ${slowestMs} ms`, values: seen.ten, bare: seen.bareTen, against, goal }),
    row({ what: `${many} servers against one`, values: seen.ten, bare: seen.one, against: "one server" }),
  ];
}

async function firstWord(program, delay) {
  const child = spawn(process.execPath, [program, String(delay)], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n');
  await once(child.stdout, "data");
  const at = performance.now();
  child.kill("SIGKILL");
  await exited;
  return at;
}
