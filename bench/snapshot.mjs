import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, interleave, row } from "./measure.mjs";

const files = 10_000;
const changed = 100;

/** Keeps and restores the state of a repository with 10,000 files, against `git status` of the same folder. */
export async function run(bench) {
  const { openSnapshots } = await bench.inside("platform");
  const folder = bench.emptyFolder();
  const other = bench.emptyFolder();
  const path = (at) => join(folder, `d${at % 100}`, `f${at}.txt`);
  for (let at = 0; at < 100; at++) mkdirSync(join(folder, `d${at}`));
  for (let at = 0; at < files; at++) writeFileSync(path(at), `line ${at}\n`.repeat(100));
  const git = (...args) => execFileSync("git", ["-C", folder, "-c", "gc.auto=0", ...args], { stdio: "pipe" });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-qm", "files");
  const snapshots = openSnapshots({
    folder,
    store: join(other, "store"),
    indexFile: async () => join(other, "index"),
    excluded: [],
    env: { PATH: process.env.PATH },
    limits: { maxFileBytes: 10_000_000, maxIgnoredBytes: 1_000_000, maxFiles: 100_000 },
  });
  const timed = async (work) => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
  const cold = await timed(() => snapshots.take());
  let round = 0;
  const edit = () => {
    round += 1;
    for (let at = 0; at < changed; at++) writeFileSync(path(at * 97), `round ${round}, file ${at}\n`.repeat(100));
  };
  const seen = await interleave(
    {
      status: () => timed(async () => git("status", "--porcelain")),
      take: () => {
        edit();
        return timed(() => snapshots.take());
      },
      same: () => timed(() => snapshots.take()),
      restore: async () => {
        const before = await snapshots.take();
        edit();
        return timed(() => snapshots.restore(before, async () => undefined));
      },
    },
    { rounds: 15, warmUp: 2, seconds: 40 },
  );
  const bare = { bare: seen.status, against: "git status" };
  return [
    row({ what: `state of ${files} files, ${changed} changed`, values: seen.take, ...bare, goal: atMost(200, "ms") }),
    row({ what: "the same, none changed", values: seen.same, ...bare, goal: atMost(200, "ms") }),
    row({ what: `back to a state, ${changed} files differ`, values: seen.restore, ...bare }),
    row({ what: `first state of ${files} files`, values: [cold], ...bare }),
  ];
}
