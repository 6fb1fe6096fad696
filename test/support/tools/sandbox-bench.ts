import { execFileSync } from "node:child_process";
import { userInfo } from "node:os";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { loadSandbox, runProcess, type Sandbox, type Walls } from "../../../src/platform/index.ts";
import { guardedPaths, hiddenPaths } from "../../../src/tool/sandbox/sandbox-paths.ts";

/** A working folder, a home, a state folder and a folder outside, none of them in /tmp, with the sandbox over them. */
export interface SandboxBench {
  readonly base: string;
  readonly work: string;
  readonly outside: string;
  readonly home: string;
  readonly state: string;
  readonly sandbox: Sandbox;
  write(name: string, content: string): string;
  /** Runs bash inside. `NODE` and `BASE` are set. */
  run(script: string, more?: RunOptions): Promise<Ran>;
  close(): Promise<void>;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly outside?: boolean;
}

interface Ran {
  readonly exitCode: number | null;
  readonly output: string;
}

/** The sandbox has its own /tmp, so a folder that it should see must not be in /tmp, even if the checkout is. */
export function placeOutsideTmp(): string {
  const own = resolve("node_modules/.cache");
  const place = /^\/(var\/)?tmp\//.test(own) ? join(userInfo().homedir, ".cache") : own;
  mkdirSync(place, { recursive: true });
  return place;
}

export async function openSandboxBench(
  options: { hosts?: readonly string[]; writable?: readonly string[] } = {},
): Promise<SandboxBench> {
  const cache = placeOutsideTmp();
  const base = realpathSync(mkdtempSync(join(cache, "sandbox-")));
  const [work, outside, home] = [join(base, "work"), join(base, "outside"), join(base, "home")];
  const state = join(home, ".troupe");
  const write = (name: string, content: string) => {
    const path = join(base, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  write("work/a.txt", "a\n");
  write("work/.vscode/tasks.json", "{}\n");
  write("work/.envrc", "true\n");
  write("outside/file.txt", "outside\n");
  chmodSync(write("outside/tool.sh", "#!/bin/sh\n"), 0o755);
  write("home/.bashrc", "true\n");
  write("home/.ssh/id_ed25519", "HIDDEN-KEY\n");
  write("home/.aws/credentials", "HIDDEN-KEY\n");
  write("home/.netrc", "HIDDEN-KEY\n");
  write("home/.troupe/settings.json", '{"env":{"X":"HIDDEN-KEY"}}\n');
  write("home/.troupe/own/output.txt", "own output\n");
  execFileSync("git", ["init", "-q", work]);
  execFileSync("git", [
    "-C",
    work,
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@b",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "x",
  ]);

  const writable = (options.writable ?? []).map((name) => resolve(work, name));
  const sandbox = await loadSandbox({ hosts: options.hosts ?? [] });
  const walls = (): Walls => ({
    writable: [work, ...writable],
    protectedPaths: guardedPaths({ roots: [work], userHome: home, writable }),
    hidden: hiddenPaths(home, state),
    readable: [join(state, "own")],
    network: "hosts",
  });
  return {
    base,
    work,
    outside,
    home,
    state,
    sandbox,
    write,
    async run(script, more = {}) {
      const request = {
        command: "/bin/bash",
        args: ["--noprofile", "--norc", "-c", script],
        cwd: work,
        env: { PATH: process.env["PATH"] ?? "", HOME: home, NODE: process.execPath, BASE: base, ...more.env },
      };
      const entered = more.outside
        ? { request, release: () => Promise.resolve() }
        : await sandbox.enter(request, walls());
      let output = "";
      const result = await runProcess({
        ...entered.request,
        ...(more.signal && { signal: more.signal }),
        timeoutMs: 20_000,
        onOutput: (chunk) => {
          output += chunk.toString("utf8");
        },
      });
      await entered.release();
      return { exitCode: result.exitCode, output: output.trim() };
    },
    async close() {
      await sandbox.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
