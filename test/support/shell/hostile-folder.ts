import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realDisk } from "../../../src/tool/index.ts";
import { judge, type JudgeOptions } from "./judge-command.ts";

/** A repository with secrets, and with links that lead in circles, to secrets and out of it. */
export function hostileFolder() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "troupe-hostile-")));
  const cwd = join(top, "work");
  const git = (...args: string[]) => execFileSync("git", args, { cwd });
  mkdirSync(join(cwd, "sub/deep"), { recursive: true });
  writeFileSync(join(top, "outside.txt"), "outside\n");
  writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");
  writeFileSync(join(cwd, ".env"), "KEY=canary\n");
  writeFileSync(join(cwd, "version"), "touch MARK\n");
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src/a.ts"), "export {};\n");
  writeFileSync(join(cwd, "src/b.ts"), "export {};\n");
  writeFileSync(join(cwd, "sub/s.txt"), "s\n");
  symlinkSync(".", join(cwd, "l"));
  symlinkSync("/etc", join(cwd, "linx"));
  symlinkSync("../outside.txt", join(cwd, "out.txt"));
  symlinkSync("/etc", join(cwd, "sub/sub"));
  git("init", "-q");
  mkdirSync(join(cwd, ".git/hooks"), { recursive: true });
  const verdict = (line: string, options: Omit<JudgeOptions, "cwd" | "roots" | "disk"> = {}) =>
    judge(line, { ...options, cwd, roots: [cwd], disk: realDisk }).behavior;
  return { cwd, verdict, remove: () => rmSync(top, { recursive: true, force: true }) };
}
