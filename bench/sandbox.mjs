import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMostMore, interleave, row } from "./measure.mjs";

/**
 * The overhead of the sandbox for a command that does nothing, against the same command without it, and against a bare
 * bubblewrap: the whole disk read-only and its own namespaces, started by hand.
 */
export async function run(bench) {
  const { createProcessScope, loadSandbox } = await bench.inside("platform");
  const { createCommandSandbox } = await bench.inside("tool");
  const folder = bench.emptyFolder();
  const home = bench.emptyFolder();
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, "a.txt"), "a\n");
  const scope = createProcessScope();
  const request = {
    command: "/bin/bash",
    args: ["--noprofile", "--norc", "-c", ":"],
    cwd: folder,
    env: { PATH: "/usr/bin:/bin" },
  };

  const open = (settings) =>
    createCommandSandbox({
      settings: { mode: "required", ...settings },
      roots: [folder],
      bases: [folder],
      userHome: home,
      stateRoot: join(home, ".troupe"),
      rules: () => ({ allow: [], ask: [], deny: [] }),
      trusted: true,
      env: request.env,
      readable: () => [],
    });
  const closed = open({});
  const withHost = open({ network: { allow: ["localhost"] } });
  for (const each of [closed, withHost]) {
    const problem = await each.problem();
    if (problem !== undefined) throw new Error(problem);
  }

  const inside = (sandbox, walls) => async () => {
    const started = performance.now();
    const entered = await sandbox.enter(request, { walls });
    const { exitCode } = await scope.run(entered.request);
    await entered.release();
    if (exitCode !== 0) throw new Error(`exit code ${exitCode}`);
    return performance.now() - started;
  };
  const without = async () => {
    const started = performance.now();
    await scope.run(request);
    return performance.now() - started;
  };
  const firstTry = async () => {
    const started = performance.now();
    const sandbox = await loadSandbox({ hosts: [] });
    await sandbox.problem();
    const time = performance.now() - started;
    await sandbox.close();
    return time;
  };
  const run = (command, args) => () =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const child = spawn(command, args, { cwd: folder, env: request.env, stdio: "ignore" });
      child.on("error", reject).on("exit", () => resolve(performance.now() - started));
    });
  const bareWalls = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];

  const tasks = {
    bash: run(request.command, request.args),
    bwrap: run("bwrap", [...bareWalls, request.command, ...request.args]),
    without,
    look: inside(closed, "look"),
    work: inside(closed, "work"),
    network: inside(withHost, "work"),
    firstTry,
  };
  const seen = await interleave(tasks, { rounds: 60, seconds: 20, warmUp: 3 });
  await scope.close();
  await closed.close();
  await withHost.close();
  const against = "the same without";
  const ratio = (values) => row({ what: "… to bare bubblewrap", values, bare: seen.bwrap, against: "bare bubblewrap" });
  const measured = (what, values, limit) => [
    row({ what, values, bare: seen.without, against, goal: atMostMore(limit, "ms") }),
    ratio(values),
  ];
  return [
    ...measured("a command that looks", seen.look, 12),
    ...measured("a command that works", seen.work, 12),
    ...measured("… with hosts allowed", seen.network, 25),
    row({ what: "bare bubblewrap", values: seen.bwrap, bare: seen.bash, against: "bare bash" }),
    row({ what: "a command without walls", values: seen.without, bare: seen.bash, against: "bare bash" }),
    row({ what: "testing whether a sandbox is available", values: seen.firstTry }),
  ];
}
