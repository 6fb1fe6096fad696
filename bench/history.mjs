import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { cpus } from "node:os";
import { machine } from "./report.mjs";

const git = (...args) => execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();

/** Adds one line with the commit, the machine and the ratios of a benchmark to `history.jsonl`. */
export function record({ name, rows }) {
  const ratios = Object.fromEntries(
    rows.flatMap(({ what, against, ratio }) => (ratio === undefined ? [] : [[`${what} / ${against}`, ratio]])),
  );
  const line = {
    at: new Date().toISOString(),
    commit: git("rev-parse", "--short=12", "HEAD"),
    changed: git("status", "--porcelain", "--untracked-files=no") !== "",
    bench: name,
    machine: { ...machine(), processor: cpus()[0]?.model },
    ratios,
  };
  appendFileSync(new URL("./history.jsonl", import.meta.url), `${JSON.stringify(line)}\n`);
}
