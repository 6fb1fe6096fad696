import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Creates a repository with one commit by Ada. Returns a function that runs git there. */
export function makeRepository(cwd: string): (...args: string[]) => string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  writeFileSync(join(cwd, "a.txt"), "a\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  return git;
}
