import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const script = fileURLToPath(new URL("./measure-programs.mjs", import.meta.url));

/**
 * Measures builds of Troupe, and the programs installed in `peers`, in a separate process without a network other than
 * loopback where the system allows that. `values(name, figure)` are the values of one program, one a round.
 */
export async function measurePrograms(options) {
  const isolated = spawnSync("unshare", ["-rn", "ip", "link", "set", "lo", "up"]).status === 0;
  const args = [script, JSON.stringify({ turns: 30, ...options })];
  const withLoopback = ["-rn", "sh", "-c", 'ip link set lo up && exec "$0" "$@"', process.execPath, ...args];
  const limits = { maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = isolated
    ? await promisify(execFile)("unshare", withLoopback, limits)
    : await promisify(execFile)(process.execPath, args, limits);
  const { seen, failures, versions } = JSON.parse(stdout);
  const values = (name, figure) =>
    ["", " turns", " agents"]
      .flatMap((job) => seen[name + job] ?? [])
      .map((round) => round[figure])
      .filter((value) => value !== undefined);
  return { values, failures, versions, isolated };
}
