import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shellEnvironment } from "../../../src/tool/shell-environment.ts";

/** A throw-away folder in which generated lines run for real, behind bubblewrap. */
export interface LineWorld {
  readonly cwd: string;
  readonly home: string;
  /** Runs the lines one after another, each in its own bash. */
  run(lines: readonly string[]): Damage;
  /** Makes the folder again. */
  reset(): void;
  remove(): void;
}

/** The effects that lines which only look must not have. */
export interface Damage {
  /** Files that were made, changed or removed. */
  readonly changed: readonly string[];
  /** True if the output shows a file that must not be read. */
  readonly leaked: boolean;
  /** True if the program `rm` ran. */
  readonly removed: boolean;
  readonly output: string;
}

/** This letter survives most ways to print a file. */
const canary = `KEY=${"Q".repeat(400)}\n`;
const leak = /QQQQ|UVFR|5151|Q {3}Q|121 121|050521/;

export function openLineWorld(): LineWorld {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "troupe-lines-")));
  const [cwd, home, aside] = [join(top, "outer/work"), join(top, "home"), join(top, "aside")];
  const env = shellEnvironment({ PATH: "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8" });
  mkdirSync(aside);
  writeFileSync(join(aside, "hostname"), canary);
  writeFileSync(join(aside, "rm"), `#!/bin/sh\n: > ${join(top, "outer/removed")}\n`);
  chmodSync(join(aside, "rm"), 0o755);
  let before = new Map<string, string>();
  const reset = () => {
    rmSync(join(top, "outer"), { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true });
    buildFolder(cwd, home, canary);
    before = stateOf(top);
  };
  reset();
  return {
    cwd,
    home,
    reset,
    remove: () => rmSync(top, { recursive: true, force: true }),
    run(lines) {
      const script = lines.map((line) => `timeout -k 1 3 bash --noprofile --norc -c ${quoted(line)}`).join("\n");
      const walls = [
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--proc",
        "/proc",
        "--bind",
        join(top, "outer"),
        join(top, "outer"),
        "--bind",
        home,
        home,
      ];
      const over = [
        "--ro-bind",
        join(aside, "hostname"),
        "/etc/hostname",
        "--ro-bind",
        join(aside, "rm"),
        realpathSync("/usr/bin/rm"),
      ];
      const apart = ["--unshare-net", "--unshare-pid", "--die-with-parent", "--chdir", cwd];
      const { stdout, stderr, error } = spawnSync(
        "bwrap",
        [...walls, ...over, ...apart, "bash", "--noprofile", "--norc"],
        {
          input: `${script}\n`,
          env,
          encoding: "latin1",
          timeout: 5_000 * lines.length + 10_000,
          maxBuffer: 64 << 20,
        },
      );
      if (error) throw error;
      const output = `${stdout}${stderr}`;
      const after = stateOf(top);
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (path) => before.get(path) !== after.get(path),
      );
      return { changed, leaked: leak.test(output), removed: after.has(join(top, "outer/removed")), output };
    },
  };
}

/** A line may print without end: only the beginning is kept. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}' < /dev/null 2>&1 | head -c 1000000`;

export function buildFolder(cwd: string, home: string, secret: string): void {
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  mkdirSync(join(cwd, "src"), { recursive: true });
  mkdirSync(join(cwd, "sub"));
  mkdirSync(join(cwd, "deep"));
  mkdirSync(home);
  writeFileSync(join(home, "secret"), secret);
  writeFileSync(join(cwd, "../outside.txt"), secret);
  write("a.txt", "one:x\ntwo\n");
  write("b.txt", "b\n");
  write("package.json", "{}\n");
  write("README.md", "# r\n");
  write("src/a.ts", "export {};\n");
  write("src/b.ts", "export {};\n");
  write("script", "touch MARK\n");
  write("version", "touch MARK\n");
  chmodSync(join(cwd, "script"), 0o755);
  write(".gitignore", ".env\n*.pem\n");
  git(cwd, "init", "-q", "-b", "main");
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", "one");
  write("a.txt", "one:y\ntwo\n");
  write(".env", secret);
  write("deep/.env", secret);
  write("key.pem", secret);
  symlinkSync(".", join(cwd, "l"));
  symlinkSync("/etc", join(cwd, "etc"));
  symlinkSync("../outside.txt", join(cwd, "link-out"));
  symlinkSync(".env", join(cwd, "link-env"));
  symlinkSync("../..", join(cwd, "sub/up"));
}

function git(cwd: string, ...args: string[]): void {
  const names = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
  const { status, stderr } = spawnSync("git", [...names, ...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
}

/** Every file with its size and time. Git refreshes its index when it looks. */
function stateOf(folder: string, found = new Map<string, string>()): Map<string, string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (path.endsWith("/.git/index") || path.endsWith("/work/.git")) {
      if (name === ".git") stateOf(path, found);
      continue;
    }
    const stats = lstatSync(path);
    if (stats.isDirectory()) stateOf(path, found);
    found.set(path, stats.isDirectory() ? "folder" : `${stats.size} ${stats.mtimeMs}`);
  }
  return found;
}
