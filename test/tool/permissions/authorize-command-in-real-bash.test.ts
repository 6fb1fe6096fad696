import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixedLines } from "../../support/shell/fixed-lines.ts";

/**
 * Runs the fixed lines in real bash, in a sandbox where denied or doubtful commands leave a mark. It shows that refused
 * commands would have run, and that allowed ones change nothing.
 */
const top = realpathSync(mkdtempSync(join(tmpdir(), "troupe-live-")));
const template = join(top, "template");
const mark = "#!/bin/sh\n: > /tmp/w/marker\n";

beforeAll(() => {
  mkdirSync(join(template, "src"), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(template, name), text);
  const program = (name: string) => (write(name, mark), chmodSync(join(template, name), 0o755));
  write("a.txt", "one x\ntwo\n");
  write("a", "b\nb\na\n");
  write("y", "y".repeat(400_000));
  write("src/b.ts", "curl \n");
  git("init", "-q");
  git("add", "a.txt", "a");
  git("commit", "-qm", "one");
  write("a.txt", "one x\nchanged\n");
  git("commit", "-qam", "two");
  write("a.txt", "one x\nchanged again\n");
  mkdirSync(join(template, "bin"));
  for (const name of ["bin/x", "ls", "e", "env.sh", "mark"]) program(name);
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

describe("in real bash", () => {
  const live = fixedLines.filter((each) => each.live);
  it.each(live.map(({ line, verdict }) => [verdict, line] as const))("verdict %s is right: %j", (_, line) => {
    const { folder, output } = run(line);
    expect({ line, output, ran: evidence(line, folder, output) }).toEqual({ line, output, ran: true });
  });
  const allowed = fixedLines.filter(({ verdict, line }) => verdict === "allow" && !line.startsWith("npm"));
  it.each(allowed.map(({ line }) => line))("changes nothing: %j", (line) => {
    const { folder } = run(line);
    expect(readdirSync(folder).sort()).toEqual(readdirSync(template).sort());
    expect(readFileSync(join(folder, ".git/config"))).toEqual(readFileSync(join(template, ".git/config")));
  });
});

let count = 0;

function run(line: string): { folder: string; output: string } {
  const folder = join(top, `w-${++count}`);
  cpSync(template, folder, { recursive: true });
  const over = ["rm", "id"].flatMap((name) => ["--ro-bind", join(template, "mark"), realpathSync(`/usr/bin/${name}`)]);
  const sandbox = [
    "--ro-bind",
    "/",
    "/",
    "--tmpfs",
    "/tmp",
    "--bind",
    folder,
    "/tmp/w",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
  ];
  const apart = ["--unshare-net", "--unshare-pid", "--die-with-parent", "--chdir", "/tmp/w", ...over];
  const { stdout, stderr, error } = spawnSync(
    "bwrap",
    // Background processes would end with the shell before they leave their mark.
    [...sandbox, ...apart, "bash", "--noprofile", "--norc", "-c", line.startsWith("coproc") ? `${line}\nwait` : line],
    {
      env: { PATH: "/tmp/w/bin:/usr/bin:/bin", HOME: "/tmp/w", GIT_PAGER: "cat", ...identity },
      encoding: "utf8",
      timeout: 240_000,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  if (error) throw error;
  return { folder, output: `${stdout}${stderr}` };
}

/** Tells whether the line left a mark or printed one. */
function evidence(line: string, folder: string, output: string): boolean {
  if (line.startsWith("env -S")) return output.includes("a.txt");
  if (line.startsWith("cd .git")) return readFileSync(join(folder, ".git/config"), "utf8") === "x\n";
  const left = line.includes("out.txt")
    ? "out.txt"
    : /\brm\b|id\b|r\\m|x72m|"m|=x|PATH=|BASH_ENV|env\.sh/.test(line)
      ? "marker"
      : "f";
  return (
    existsSync(join(folder, left)) ||
    (left === "marker" && line.includes("--output=f") && existsSync(join(folder, "f")))
  );
}

const identity = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

function git(...args: string[]): void {
  const { status, stderr } = spawnSync("git", args, {
    cwd: template,
    env: { ...process.env, ...identity },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
}
