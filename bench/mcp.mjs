import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { atMostMore, interleave, row } from "./measure.mjs";

const slowestMs = 500;
const many = 10;

/** From the start of the servers to the last list of tools: ten servers take as long as the slowest one. */
export async function run(bench) {
  const modules = join(dirname(dirname(bench.program)), "node_modules");
  if (!existsSync(modules)) symlinkSync(fileURLToPath(new URL("../node_modules", import.meta.url)), modules);
  const seen = await interleave({ one: started(bench, 1), ten: started(bench, many) }, { rounds: 6, seconds: 12 });
  return [
    row({ what: `1 server with a delay of ${slowestMs} ms`, values: seen.one }),
    row({
      what: `${many} servers, the slowest with the same delay`,
      values: seen.ten,
      bare: seen.one,
      against: "one server",
      goal: atMostMore(300, "ms"),
    }),
  ];
}

/** Runs `troupe mcp test` with this number of servers; the time is that of the last ready server. */
function started(bench, count) {
  const home = bench.emptyFolder();
  const servers = Array.from({ length: count }, (_, index) => [
    `server-${index}`,
    { command: process.execPath, args: [bench.child("slow-server"), String(slowestMs - index * 25)] },
  ]);
  writeFileSync(join(home, "settings.json"), JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
  const env = { PATH: process.env.PATH, HOME: home, TROUPE_HOME: home };
  const cwd = bench.emptyFolder();
  return () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bench.program, "mcp", "test", "--json"], {
      cwd,
      env,
    });
    if (status !== 0) throw new Error(`${String(stderr)}${String(stdout)}`);
    const reports = String(stdout)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    if (reports.length !== count) throw new Error(`${reports.length} servers instead of ${count}`);
    return Math.max(...reports.map(({ milliseconds }) => milliseconds));
  };
}
