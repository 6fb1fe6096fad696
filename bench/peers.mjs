import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { atMostTimes, median, round, row } from "./measure.mjs";
import { measurePrograms } from "./peers/measure.mjs";
import { packages } from "./peers/programs.mjs";

const figures = {
  start: { what: "start to first request", goals: { codex: 0.55 } },
  turn: { what: "answer to next request, one read", goals: { pi: 0.7 } },
  exit: { what: "last answer to exit", goals: { "Claude Code": 0.8 } },
  agents: { what: "16 subagents x 5 calls, spawn to last request", goals: { "Claude Code": 0.3 } },
  memory: { what: "peak memory, 30 turns", unit: "MB", goals: { "Claude Code": 0.3 } },
};

/** Troupe and other agents from npm, in alternation against one loopback server. `TROUPE_BENCH_PEERS` reuses a folder. */
export async function run(bench) {
  const peers = process.env.TROUPE_BENCH_PEERS ?? bench.emptyFolder();
  const missing = process.env.TROUPE_BENCH_PEERS === undefined ? install(peers) : {};
  const builds = [
    { name: "Troupe", program: bench.program, settings: { sandbox: { mode: "off" } } },
    { name: "Troupe, sandbox", program: bench.program, settings: {}, jobs: ["agents"] },
  ];
  const result = await measurePrograms({ folder: bench.emptyFolder(), rounds: 9, seconds: 150, builds, peers });
  const { values, failures, versions } = result;
  printTable(result);
  return [
    ...Object.entries(figures).flatMap(([figure, { what, unit = "ms", goals }]) =>
      ["Troupe", "Troupe, sandbox"].flatMap((own) =>
        Object.keys(packages)
          .filter((peer) => values(own, figure).length > 0 && values(peer, figure).length > 0)
          .map((peer) =>
            row({
              what: own === "Troupe" ? what : `${what}, in the sandbox`,
              unit,
              values: values(own, figure),
              bare: values(peer, figure),
              against: `${peer} ${versions[peer]}`,
              goal: atMostTimes(own === "Troupe" ? (goals[peer] ?? 1) : 1),
            }),
          ),
      ),
    ),
    ...Object.entries({ ...missing, ...failures }).map(([what, note]) => ({ what, note })),
  ];
}

/** Installs each program by itself; returns why the others are missing. */
function install(folder) {
  mkdirSync(folder, { recursive: true });
  const missing = {};
  for (const [name, source] of Object.entries(packages)) {
    const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder, source];
    const { status, stderr, error } = spawnSync("npm", args, { cwd: folder, encoding: "utf8", timeout: 180_000 });
    if (status !== 0) missing[name] = `cannot be installed: ${(error?.message ?? stderr).trim().split("\n")[0]}`;
  }
  return missing;
}

/** One line for each figure, one column for each program. */
function printTable({ values, isolated }) {
  const names = ["Troupe", "Troupe, sandbox", ...Object.keys(packages), "node -e 0"];
  const lines = Object.entries(figures).map(([figure, { what, unit = "ms" }]) => [
    what,
    ...names.map((name) => {
      const seen = values(name, figure);
      return seen.length === 0 ? "" : `${round(median(seen))} ${unit}`;
    }),
  ]);
  console.log(isolated ? "\nin a network namespace" : "\nwithout a network namespace");
  for (const line of [["", ...names], ...lines])
    console.log(
      line
        .map((cell, column) => cell.padEnd(column === 0 ? 48 : 16))
        .join("")
        .trimEnd(),
    );
}
