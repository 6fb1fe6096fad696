import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runProcess } from "../../../src/platform/index.ts";
import type { CommandPlace } from "../../../src/protocol/index.ts";
import {
  type CommandSandbox,
  createCommandSandbox,
  parseRules,
  placeInSandbox,
  shellEnvironment,
} from "../../../src/tool/index.ts";
import { placeOutsideTmp } from "./sandbox-bench.ts";

export interface WalledFolder {
  readonly base: string;
  readonly work: string;
  readonly home: string;
  path(name: string): string;
  write(name: string, content: string): void;
  program(name: string, script: string): void;
  has(name: string): boolean;
  git(where: string, ...args: string[]): string;
  open(options?: OpenOptions): Walled;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly rules?: Parameters<typeof parseRules>[0];
  readonly trusted?: boolean;
  readonly root?: string;
  readonly mainTop?: string;
  readonly hosts?: readonly string[];
  readonly writable?: readonly string[];
}

export interface Walled {
  readonly sandbox: CommandSandbox;
  /** Runs a line in bash at this place, and returns its exit code and all output. */
  run(place: CommandPlace, script: string): Promise<{ readonly exitCode: number | null; readonly output: string }>;
}

const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];

/** A working folder, a home and a folder outside, none of them in /tmp, with sandboxes over them. */
export function walledFolder(): WalledFolder {
  const base = realpathSync(mkdtempSync(join(placeOutsideTmp(), "walls-")));
  const [work, home] = [join(base, "work"), join(base, "home")];
  const sandboxes: CommandSandbox[] = [];
  const write = (name: string, content: string) => {
    mkdirSync(dirname(join(base, name)), { recursive: true });
    writeFileSync(join(base, name), content);
  };
  write("work/a.txt", "a\n");
  write("outside/file.txt", "outside\n");
  write("home/.ssh/id_ed25519", "CANARY\n");
  return {
    base,
    work,
    home,
    path: (name) => join(base, name),
    write,
    program(name, script) {
      write(name, `#!/bin/sh\n${script}\n`);
      chmodSync(join(base, name), 0o755);
    },
    has: (name) => existsSync(join(base, name)),
    git: (where, ...args) =>
      execFileSync("git", [...identity, ...args], { cwd: join(base, where), encoding: "utf8", stdio: "pipe" }),
    open({ rules = {}, trusted = false, root = work, mainTop, hosts = [], writable = [] } = {}) {
      const sandbox = createCommandSandbox({
        settings: { mode: "required", network: { allow: [...hosts] }, writable: [...writable] },
        roots: [root],
        mainTop,
        bases: [root],
        userHome: home,
        stateRoot: join(home, ".troupe"),
        rules: () => parseRules(rules),
        trusted,
        env: { PATH: process.env["PATH"] ?? "" },
        readable: () => [],
      });
      if (sandbox === undefined) throw new Error("the sandbox is off");
      sandboxes.push(sandbox);
      return { sandbox, run: (place, script) => run(sandbox, { place, script, cwd: root, home }) };
    },
    async close() {
      for (const sandbox of sandboxes) await sandbox.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

async function run(
  sandbox: CommandSandbox,
  { place, script, cwd, home }: { place: CommandPlace; script: string; cwd: string; home: string },
) {
  const env = shellEnvironment({
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@example.com",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@example.com",
  });
  const request = { command: "/bin/bash", args: ["--noprofile", "--norc", "-c", script], cwd, env };
  const placed = await placeInSandbox(request, { sandbox, place });
  if (placed.kind !== "sandbox") throw new Error("it did not run in the sandbox");
  let output = "";
  const { exitCode } = await runProcess({
    ...placed.request,
    timeoutMs: 60_000,
    onOutput: (chunk) => {
      output += chunk.toString("utf8");
    },
  });
  await placed.release();
  return { exitCode, output };
}
