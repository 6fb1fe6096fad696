import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { land, pruneWorktrees, recoverWorktrees, recoverInterruptedLanding } from "../../../src/team/index.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { needStrace } from "../../support/processes/required-tools.ts";
import { isSoak } from "../../support/setup/soak-rounds.ts";
import { type TestRepository, testRepository } from "../../support/git/test-repository.ts";

let program: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  program = await buildProgram("worktree-steps-until-killed.ts");
});
afterAll(() => program.remove());

const env = { PATH: process.env["PATH"] ?? "" };

function doUntil(repo: TestRepository, what: string, step: string): void {
  const run = spawnSync(process.execPath, [program.path, repo.repo, repo.place.home, what, step], {
    env,
    encoding: "utf8",
  });
  expect(run.stderr).toBe("");
  expect(run.signal, `it has a step ${step}: ${run.stdout}`).toBe("SIGKILL");
}

/** A folder with a git that is killed together with Troupe, at the n-th write of this command. */
function gitToKill(repo: TestRepository, { command, write }: { command: string; write: number }): string {
  const tracing = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=write", "-e", `inject=write:signal=KILL:when=${write}`];
  const folder = join(repo.root, "bin");
  const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
  mkdirSync(folder);
  const script = `#!/bin/sh\ncase "$*" in *"${command}"*) ;; *) exec ${real} "$@" ;; esac\nstrace ${tracing.join(" ")} ${real} "$@"\ncode=$?\nif [ $code -gt 128 ]; then kill -9 "$TROUPE_PID"; fi\nexit $code\n`;
  writeFileSync(join(folder, "git"), script, { mode: 0o755 });
  return folder;
}

/** Expects that no worktree is left in git, on disk or in our records. */
function expectNothingLeft(repo: TestRepository, branches = ["main"]): void {
  expect(repo.traces()).toEqual({ branches, worktrees: 1, rescue: [] });
  expect(existsSync(`${repo.repo}.troupe`)).toBe(false);
  const admin = join(repo.repo, ".git/worktrees");
  if (existsSync(admin)) expect(readdirSync(admin)).toEqual([]);
  expect(repo.git("fsck", "--strict", "--no-dangling")).toBe("");
}

describe("kill -9 while creating or removing a worktree: the next start undoes or completes it", () => {
  it.each(["record", "add", "checkout", "ports", "put", "set-up", "ready"])(
    "create: killed before %s",
    async (step) => {
      const repo = testRepository();
      repo.write(".env", "KEY=1\n");
      doUntil(repo, "create", step);
      const { worktrees, problems } = await pruneWorktrees(repo.place);
      expect(problems).toEqual([]);
      if (step !== "record") expect(worktrees).toMatchObject([{ outcome: "undone" }]);
      expectNothingLeft(repo);
      expect((await pruneWorktrees(repo.place)).worktrees).toEqual([]);
    },
  );

  it.each(["mark removing", "unlock", "remove", "remove branch", "forget"])(
    "remove: killed before %s",
    async (step) => {
      const repo = testRepository();
      doUntil(repo, "remove", step);
      expect((await pruneWorktrees(repo.place)).worktrees).toMatchObject([{ outcome: "removed" }]);
      expectNothingLeft(repo);
    },
  );

  it.each([
    ["half of its files are gone", (path: string) => rmSync(join(path, "a.txt"))],
    ["its .git is gone", (path: string) => rmSync(join(path, ".git"))],
    ["both", (path: string) => ["a.txt", ".git"].forEach((name) => rmSync(join(path, name)))],
  ])("remove: git killed when %s", async (_what, remove) => {
    const repo = testRepository();
    doUntil(repo, "remove", "remove");
    const [name = ""] = readdirSync(`${repo.repo}.troupe`);
    remove(join(`${repo.repo}.troupe`, name));
    expect((await pruneWorktrees(repo.place)).worktrees).toMatchObject([{ outcome: "removed" }]);
    expectNothingLeft(repo);
  });

  it("removed: a worktree with new changes stays", async () => {
    const repo = testRepository();
    doUntil(repo, "remove", "remove");
    const [name = ""] = readdirSync(`${repo.repo}.troupe`);
    writeFileSync(join(`${repo.repo}.troupe`, name, "late.txt"), "late");
    expect((await pruneWorktrees(repo.place)).worktrees).toMatchObject([
      { outcome: "kept", reasons: ["untracked: late.txt"] },
    ]);
  });

  /** Kills not between our steps but inside git's, at the n-th file that git creates in the repository. */
  it.each(isSoak ? [1, 3, 5, 7, 9, 11, 13, 16] : [3, 7, 13])(
    "create: git and Troupe killed at git's write number %i",
    async (n) => {
      needStrace();
      const repo = testRepository();
      const wrapper = gitToKill(repo, { command: "worktree add", write: n });
      repo.gitIn(repo.repo, "config", "user.name", "T");
      const start = `export TROUPE_PID=$$; exec "$@"`;
      const args = ["-c", start, "sh", process.execPath, program.path, repo.repo, repo.place.home, "create", ""];
      const run = spawnSync("sh", args, { env: { ...env, PATH: `${wrapper}:${env.PATH}` }, encoding: "utf8" });
      const { worktrees } = await pruneWorktrees(repo.place);
      if (run.signal === "SIGKILL") {
        expect(worktrees).toMatchObject([{ outcome: "undone" }]);
        expectNothingLeft(repo);
      } else {
        // Git made fewer writes than that. Untracked files of the set-up are kept.
        expect(run.stdout).toMatch(/^done /);
        expect(n).toBeGreaterThan(5);
        expect(worktrees).toMatchObject([{ outcome: "kept", reasons: ["untracked: junk.txt"] }]);
      }
    },
  );
});

describe("kill -9 while landing branches: the repository is as before or after, never between", () => {
  const twoBranches = () => {
    const repo = testRepository();
    for (const name of ["one", "two"]) {
      repo.git("checkout", "-qb", name, "main");
      repo.commit(`work of ${name}`, { [`${name}.txt`]: `${name}\n`.repeat(100) });
    }
    repo.git("checkout", "-q", "main");
    repo.commit("main moves", { "a.txt": "two\n", "gone.txt": "g\n" });
    return repo;
  };
  const before = ["begin", "tree", "build", "mark moving", "move ref"];
  const after = ["move files", "mark landed", "end"];
  const files = ["one.txt", "two.txt"];

  it.each([...before, ...after])("killed before %s", async (step) => {
    const repo = twoBranches();
    const head = repo.git("rev-parse", "main");
    doUntil(repo, "land", step);
    const settled = await recoverInterruptedLanding(repo.place, { rollBack: false });
    await pruneWorktrees(repo.place);
    const landed = after.includes(step);
    if (step !== "begin") expect(settled?.outcome).toBe(landed ? "finished" : "undone");
    expect(repo.git("rev-parse", "main") === head).toBe(!landed);
    for (const file of files) expect(existsSync(join(repo.repo, file))).toBe(landed);
    expect(repo.git("status", "--porcelain")).toBe("");
    expectNothingLeft(repo, ["main", "one", "two"]);
    expect(await recoverInterruptedLanding(repo.place, { rollBack: false })).toBeUndefined();
    const report = await land(repo.place, { branches: ["one", "two"] });
    expect(report.landed).toHaveLength(landed ? 0 : 2);
  });

  it.each(["move files", "mark landed"])("killed before %s, then undone", async (step) => {
    const repo = twoBranches();
    const head = repo.git("rev-parse", "main");
    doUntil(repo, "land", step);
    expect(await recoverInterruptedLanding(repo.place, { rollBack: true })).toMatchObject({
      outcome: "undone",
      notices: [],
    });
    expect(repo.git("rev-parse", "main")).toBe(head);
    expect(repo.git("status", "--porcelain")).toBe("");
    for (const file of files) expect(existsSync(join(repo.repo, file))).toBe(false);
    expectNothingLeft(repo, ["main", "one", "two"]);
  });

  /** Uncommitted work of every kind in files that no branch changes. Returns its present state. */
  const uncommittedWork = (repo: TestRepository) => {
    repo.write("a.txt", "staged\n");
    repo.git("add", "a.txt");
    repo.write("a.txt", "and changed\n");
    repo.write("new.txt", "new\n");
    repo.git("add", "new.txt");
    rmSync(join(repo.repo, "gone.txt"));
    repo.write("notes.txt", "untracked\n");
    repo.write(".env", "ignored\n");
    return () => [
      repo.git("status", "--porcelain"),
      repo.git("diff"),
      repo.git("diff", "--cached"),
      ...["notes.txt", ".env"].map((path) => readFileSync(join(repo.repo, path), "utf8")),
    ];
  };

  it.each(isSoak ? [...before, ...after] : ["build", "move ref", "move files", "end"])(
    "killed before %s: uncommitted changes stay as they are",
    async (step) => {
      const repo = twoBranches();
      const state = uncommittedWork(repo);
      const work = state();
      doUntil(repo, "land", step);
      await recoverInterruptedLanding(repo.place, { rollBack: false });
      expect(state()).toEqual(work);
      for (const file of files) expect(existsSync(join(repo.repo, file))).toBe(after.includes(step));
      await land(repo.place, { branches: ["one", "two"] });
      expect(state()).toEqual(work);
      for (const file of files) expect(existsSync(join(repo.repo, file))).toBe(true);
    },
  );

  it.each(["move files", "mark landed"])("killed before %s, then undone: uncommitted changes stay", async (step) => {
    const repo = twoBranches();
    const state = uncommittedWork(repo);
    const work = state();
    doUntil(repo, "land", step);
    await recoverInterruptedLanding(repo.place, { rollBack: true });
    expect(state()).toEqual(work);
    for (const file of files) expect(existsSync(join(repo.repo, file))).toBe(false);
  });

  it.each(isSoak ? [1, 2, 3, 4, 5] : [1, 3])(
    "git killed at its write number %i of the files: uncommitted changes stay",
    async (n) => {
      needStrace();
      const repo = twoBranches();
      const state = uncommittedWork(repo);
      const work = state();
      const [git, kill] = [
        gitToKill(repo, { command: "read-tree -m -u", write: n }),
        `export TROUPE_PID=$$; exec "$@"`,
      ];
      const args = ["-c", kill, "sh", process.execPath, program.path, repo.repo, repo.place.home, "land", ""];
      const run = spawnSync("sh", args, { env: { ...env, PATH: `${git}:${env.PATH}` }, encoding: "utf8" });
      if (run.signal !== "SIGKILL") expect(n, "git made fewer writes than that").toBeGreaterThan(2);
      await recoverInterruptedLanding(repo.place, { rollBack: false });
      expect(state()).toEqual(work);
      for (const file of files)
        expect(readFileSync(join(repo.repo, file), "utf8")).toBe(`${file.slice(0, 3)}\n`.repeat(100));
    },
  );

  it("git killed while writing files: some new, one truncated, the index locked", async () => {
    const repo = twoBranches();
    doUntil(repo, "land", "move files");
    writeFileSync(join(repo.repo, "one.txt"), "one\n".repeat(100));
    writeFileSync(join(repo.repo, "two.txt"), "two\n".repeat(40));
    writeFileSync(join(repo.repo, ".git/index.lock"), "half an index");
    expect(await recoverInterruptedLanding(repo.place, { rollBack: false })).toMatchObject({
      outcome: "finished",
      notices: [],
    });
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(readFileSync(join(repo.repo, "two.txt"), "utf8")).toBe("two\n".repeat(100));
    expectNothingLeft(repo, ["main", "one", "two"]);
  });

  it("later changes of the user are kept and reported", async () => {
    const repo = twoBranches();
    doUntil(repo, "land", "move files");
    writeFileSync(join(repo.repo, "one.txt"), "mine\n");
    const settled = await recoverInterruptedLanding(repo.place, { rollBack: false });
    expect(settled?.notices.join()).toContain("one.txt has changed since");
    expect(repo.git("status", "--porcelain")).toBe(" M one.txt");
    expect(readFileSync(join(repo.repo, "one.txt"), "utf8")).toBe("mine\n");
  });

  it("index locked by another git is waited for, not broken", async () => {
    const repo = twoBranches();
    doUntil(repo, "land", "move files");
    const lock = join(repo.repo, ".git/index.lock");
    const { closeSync, openSync } = await import("node:fs");
    const held = openSync(lock, "wx");
    await expect(recoverInterruptedLanding(repo.place, { rollBack: false })).rejects.toThrow(
      /another git holds .*index\.lock/,
    );
    expect(existsSync(lock)).toBe(true);
    closeSync(held);
    rmSync(lock);
    expect(await recoverInterruptedLanding(repo.place, { rollBack: false })).toMatchObject({ outcome: "finished" });
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  it("every start repairs leftovers and reports what it kept", async () => {
    const repo = twoBranches();
    expect(await recoverWorktrees(repo.place)).toEqual([]);
    doUntil(repo, "land", "move files");
    doUntil(repo, "create", "ready");
    doUntil(repo, "remove", "remove");
    const [, removing = ""] = readdirSync(`${repo.repo}.troupe`);
    const kept = await recoverWorktrees(repo.place);
    expect(kept).toEqual(["An interrupted landing is finished."]);
    expect(removing).not.toBe("");
    expect(repo.git("status", "--porcelain")).toBe("");
    expectNothingLeft(repo, ["main", "one", "two"]);
    expect(await recoverWorktrees({ ...repo.place, cwd: repo.root })).toEqual([]);
  });
});
