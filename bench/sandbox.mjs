import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMostMore, interleave, row } from "./measure.mjs";

/**
 * The overhead of the sandbox for a command that does nothing, against the same command without it, and against bare
 * bash.
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
      userHome: home,
      stateRoot: join(home, ".troupe"),
      readable: () => [],
    });
  const closed = open({});
  const withHost = open({ network: { allow: ["localhost"] } });
  for (const each of [closed, withHost]) {
    const problem = await each.problem();
    if (problem !== undefined) throw new Error(problem);
  }

  const inside = (sandbox) => async () => {
    const started = performance.now();
    const entered = await sandbox.enter(request);
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
    const sandbox = await loadSandbox({
      writable: [folder],
      protectedPaths: () => [],
      hidden: [],
      readable: () => [],
      hosts: [],
    });
    await sandbox.problem();
    const time = performance.now() - started;
    await sandbox.close();
    return time;
  };
  const bare = () =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const child = spawn(request.command, request.args, { cwd: folder, env: request.env, stdio: "ignore" });
      child.on("error", reject).on("exit", () => resolve(performance.now() - started));
    });

  const tasks = { bare, without, inside: inside(closed), network: inside(withHost), firstTry };
  const seen = await interleave(tasks, { rounds: 60, seconds: 15, warmUp: 3 });
  await scope.close();
  await closed.close();
  await withHost.close();
  const against = "the same without";
  return [
    row({
      what: "a command in the sandbox",
      values: seen.inside,
      bare: seen.without,
      against,
      goal: atMostMore(30, "ms"),
    }),
    row({ what: "… with hosts allowed", values: seen.network, bare: seen.without, against }),
    row({ what: "a command without it", values: seen.without, bare: seen.bare, against: "bare bash" }),
    row({ what: "testing whether a sandbox is available", values: seen.firstTry }),
  ];
}
