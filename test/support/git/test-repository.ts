import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { AgentId } from "../../../src/protocol/index.ts";
import type { RepositoryContext } from "../../../src/team/index.ts";
import { onFileFinished } from "../setup/on-file-finished.ts";

export interface TestRepository {
  readonly root: string;
  readonly repo: string;
  readonly place: RepositoryContext;
  git(...args: string[]): string;
  gitIn(folder: string, ...args: string[]): string;
  write(path: string, text: string): void;
  commit(message: string, files: Readonly<Record<string, string>>, folder?: string): string;
  /** Branches, worktrees as git lists them, and folders beside the repository, to check that nothing is left. */
  traces(): { branches: string[]; worktrees: number; rescue: string[] };
}

export const newAgentId = () => createIdFactory(systemClock)<AgentId>("agt");

/** A real repository with one commit, and a home for Troupe's records. */
export function testRepository(): TestRepository {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-team-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const repo = join(root, "repo");
  cpSync(firstRepository(), repo, { recursive: true });
  const made = repositoryAt(root, repo);
  // The index identifies files by their inode and times, and the copies have other ones.
  made.git("update-index", "-q", "--refresh");
  return made;
}

let first: string | undefined;

/** The initial state of every repository, created once per test file and copied. */
function firstRepository(): string {
  if (first !== undefined) return first;
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-first-")));
  onFileFinished(() => {
    first = undefined;
    rmSync(root, { recursive: true, force: true });
  });
  const repo = join(root, "repo");
  mkdirSync(repo);
  const made = repositoryAt(root, repo);
  made.git("init", "-q", "-b", "main");
  made.git("config", "user.name", "T");
  made.git("config", "user.email", "t@example.com");
  made.commit("first", { "a.txt": "one\n", ".gitignore": "node_modules/\n.env\n*.local\ndist/\nsecrets/\n" });
  first = repo;
  return repo;
}

export function repositoryAt(root: string, repo: string): TestRepository {
  const env = { PATH: process.env["PATH"] ?? "", HOME: root };
  const gitIn = (folder: string, ...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    }).trimEnd();
  const git = (...args: string[]) => gitIn(repo, ...args);
  const lines = (text: string) => text.split("\n").filter(Boolean);
  return {
    root,
    repo,
    git,
    gitIn,
    place: {
      cwd: repo,
      home: join(root, "home"),
      userHome: root,
      env,
      clock: systemClock,
      createId: createIdFactory(systemClock),
    },
    write: (path, text) => put(join(repo, path), text),
    commit(message, files, folder = repo) {
      for (const [path, text] of Object.entries(files)) put(join(folder, path), text);
      gitIn(folder, "add", "--", ...Object.keys(files));
      gitIn(folder, "commit", "-qm", message);
      return gitIn(folder, "rev-parse", "HEAD");
    },
    traces: () => ({
      branches: lines(git("for-each-ref", "--format=%(refname:short)", "refs/heads")),
      worktrees: lines(git("worktree", "list", "--porcelain")).filter((line) => line.startsWith("worktree ")).length,
      rescue: lines(git("for-each-ref", "--format=%(refname)", "refs/troupe")),
    }),
  };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
