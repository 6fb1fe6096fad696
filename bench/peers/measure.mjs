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
  const bare = [process.execPath, [script, JSON.stringify({ turns: 30, ...options })]];
  const inNamespace = ["unshare", ["-rn", "sh", "-c", 'ip link set lo up && exec "$0" "$@"', bare[0], ...bare[1]]];
  const { stdout } = await promisify(execFile)(...(isolated ? inNamespace : bare), { maxBuffer: 64 * 1024 * 1024 });
  const { seen, failures, versions } = JSON.parse(stdout);
  const values = (name, figure) =>
    ["", " turns", " agents"]
      .flatMap((job) => seen[name + job] ?? [])
      .map((round) => round[figure])
      .filter((value) => value !== undefined);
  return { values, failures, versions, isolated };
}
