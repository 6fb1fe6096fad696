import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Conflict,
  createWorktree,
  finishWorktree,
  land,
  pruneWorktrees,
  type ResolveConflict,
} from "../../../src/team/index.ts";
import { newAgentId, type TestRepository, testRepository } from "../../support/git/test-repository.ts";
import { isSoak } from "../../support/setup/soak-rounds.ts";

/** A branch made from `from` with one commit. */
function branch(repo: TestRepository, name: string, files: Record<string, string>, from = "main"): string {
  repo.git("checkout", "-qb", name, from);
  const commit = repo.commit(`work of ${name}`, files);
  repo.git("checkout", "-q", "main");
  return commit;
}

function stage(repo: TestRepository, path: string): void {
  repo.write(path, "staged\n");
  repo.git("add", path);
}

const merge = (repo: TestRepository, ...args: string[]) => repo.git("merge", "-q", "--no-ff", ...args);

const subjects = (repo: TestRepository) => repo.git("log", "--format=%s", "main").split("\n");

describe("land", () => {
  it("moves branch and files in one step, each branch on top of the previous one", async () => {
    const repo = testRepository();
    branch(repo, "one", { "one.txt": "1\n" });
    branch(repo, "two", { "two.txt": "2\n" });
    repo.commit("main moves", { "main.txt": "m\n" });
    const before = repo.git("rev-parse", "main");
    const check = "test -f one.txt && test -f two.txt && test -f main.txt && test ! -e junk && touch junk";
    const report = await land(repo.place, { branches: ["one", "two"], settings: { check } });
    expect(report).toMatchObject({ target: "refs/heads/main", before, refused: [], notices: [] });
    expect(report.landed.map(({ branch, commits }) => [branch, commits])).toEqual([
      ["one", 1],
      ["two", 1],
    ]);
    expect(subjects(repo)).toEqual(["work of two", "work of one", "main moves", "first"]);
    expect(report.after).toBe(repo.git("rev-parse", "main"));
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(readFileSync(join(repo.repo, "two.txt"), "utf8")).toBe("2\n");
    expect(repo.git("log", "-1", "--format=%an", "main")).toBe("T");
    expect(repo.traces()).toMatchObject({ worktrees: 1 });
    expect(existsSync(`${repo.repo}.troupe`)).toBe(false);
    expect(repo.git("reflog", "-1", "--format=%gs", "main")).toBe("troupe land");
  });

  it.each(isSoak ? [1, 2, 3, 4, 5] : [1, 4])(
    "finds the failing one of five, number %i, and lands the others",
    async (bad) => {
      const repo = testRepository();
      for (const n of [1, 2, 3, 4, 5]) branch(repo, `b${n}`, { [`f${n}.txt`]: n === bad ? "bad\n" : "good\n" });
      const check = "if grep -q bad *.txt; then echo 'it is bad'; exit 7; fi";
      const report = await land(repo.place, { branches: ["b1", "b2", "b3", "b4", "b5"], settings: { check } });
      expect(report.landed.map(({ branch }) => branch)).toEqual(
        [1, 2, 3, 4, 5].filter((n) => n !== bad).map((n) => `b${n}`),
      );
      expect(report.refused).toEqual([{ branch: `b${bad}`, reason: "red", how: "exit code 7", tail: "it is bad" }]);
      expect(existsSync(join(repo.repo, `f${bad}.txt`))).toBe(false);
      expect(repo.git("status", "--porcelain")).toBe("");
    },
  );

  it("blames no branch when the target itself fails", async () => {
    const repo = testRepository();
    branch(repo, "one", { "one.txt": "1\n" });
    const before = repo.git("rev-parse", "main");
    await expect(land(repo.place, { branches: ["one"], settings: { check: "exit 1" } })).rejects.toThrow(
      /cannot land: the check already fails on the current branch \(/,
    );
    expect(repo.git("rev-parse", "main")).toBe(before);
    expect(repo.traces().worktrees).toBe(1);
  });

  it("a check that hangs fails", async () => {
    const repo = testRepository();
    branch(repo, "slow", { "slow.txt": "1\n" });
    const check = "if test -f slow.txt; then sleep 600; fi";
    const report = await land(repo.place, { branches: ["slow"], settings: { check, checkTimeoutMs: 1000 } });
    expect(report.refused).toMatchObject([{ branch: "slow", reason: "red", how: "timeout after 1 s" }]);
  });

  it("reports a conflict with its files and the intent of both sides; the others land", async () => {
    const repo = testRepository();
    branch(repo, "theirs", { "a.txt": "theirs\n" });
    branch(repo, "fine", { "fine.txt": "f\n" });
    repo.commit("ours: a new a", { "a.txt": "ours\n" });
    const report = await land(repo.place, { branches: ["theirs", "fine"] });
    expect(report.landed.map(({ branch }) => branch)).toEqual(["fine"]);
    expect(report.refused).toMatchObject([
      {
        branch: "theirs",
        reason: "conflict",
        conflict: {
          files: ["a.txt"],
          ours: [{ message: "ours: a new a" }],
          theirs: [{ message: "work of theirs" }],
        },
      },
    ]);
    expect(readFileSync(join(repo.repo, "a.txt"), "utf8")).toBe("ours\n");
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  it("a branch in conflict with a failing one lands once that is left out", async () => {
    const repo = testRepository();
    branch(repo, "red", { "a.txt": "bad\n" });
    branch(repo, "good", { "a.txt": "good\n" });
    const report = await land(repo.place, { branches: ["red", "good"], settings: { check: "! grep -q bad a.txt" } });
    expect(report.landed.map(({ branch }) => branch)).toEqual(["good"]);
    expect(report.refused).toMatchObject([{ branch: "red", reason: "red" }]);
  });

  describe("with a conflict resolver", () => {
    const conflicting = () => {
      const repo = testRepository();
      repo.git("checkout", "-qb", "theirs");
      repo.commit("theirs 1", { "a.txt": "theirs 1\n" });
      repo.commit("theirs 2", { "a.txt": "theirs 2\n", "new.txt": "n\n" });
      repo.git("checkout", "-q", "main");
      repo.commit("ours", { "a.txt": "ours\n" });
      return repo;
    };

    it("continues with each resolution, conflict by conflict", async () => {
      const repo = conflicting();
      const seen: Conflict[] = [];
      const report = await land(repo.place, {
        branches: ["theirs"],
        resolveConflict: async (conflict) => {
          seen.push(conflict);
          writeFileSync(join(conflict.path, "a.txt"), `both ${seen.length}\n`);
          return "resolved";
        },
      });
      expect(seen.map(({ theirs }) => theirs[0]?.message)).toEqual(["theirs 1", "theirs 2"]);
      expect(report.landed).toMatchObject([{ branch: "theirs", resolved: true }]);
      expect(readFileSync(join(repo.repo, "a.txt"), "utf8")).toBe("both 2\n");
      expect(readFileSync(join(repo.repo, "new.txt"), "utf8")).toBe("n\n");
      expect(subjects(repo)).toEqual(["theirs 2", "theirs 1", "ours", "first"]);
    });

    it.each<[string, ResolveConflict]>([
      ["gives up", async () => ({ unresolved: "both cannot be kept" })],
      ["says resolved and leaves the marks in", async () => "resolved" as const],
    ])("the branch does not land when the resolver %s", async (_what, resolveConflict) => {
      const repo = conflicting();
      const before = repo.git("rev-parse", "main");
      const report = await land(repo.place, { branches: ["theirs"], resolveConflict });
      expect(report).toMatchObject({ before, after: before, landed: [], refused: [{ reason: "conflict" }] });
      expect(repo.git("rev-parse", "main")).toBe(before);
    });

    it("a resolver that fails leaves everything unchanged", async () => {
      const repo = conflicting();
      const before = repo.git("rev-parse", "main");
      const resolveConflict: ResolveConflict = async () => Promise.reject(new Error("no model"));
      await expect(land(repo.place, { branches: ["theirs"], resolveConflict })).rejects.toThrow("no model");
      expect(repo.git("rev-parse", "main")).toBe(before);
      expect(repo.traces().worktrees).toBe(1);
      expect(existsSync(join(repo.place.home, "worktrees"))).toBe(true);
    });
  });

  it("a branch with changes in merges is merged, not rebased", async () => {
    const repo = testRepository();
    repo.git("checkout", "-qb", "merging");
    repo.commit("mine", { "mine.txt": "m\n" });
    repo.git("checkout", "-q", "main");
    repo.commit("main moves", { "main.txt": "m\n" });
    repo.git("checkout", "-q", "merging");
    repo.git("merge", "-q", "--no-commit", "main");
    writeFileSync(join(repo.repo, "mine.txt"), "changed in the merge\n");
    repo.git("commit", "-qam", "merge");
    repo.git("checkout", "-q", "main");
    repo.commit("later", { "later.txt": "l\n" });
    const report = await land(repo.place, { branches: ["merging"] });
    expect(report.landed).toMatchObject([{ branch: "merging" }]);
    expect(readFileSync(join(repo.repo, "mine.txt"), "utf8")).toBe("changed in the merge\n");
    expect(existsSync(join(repo.repo, "later.txt"))).toBe(true);
  });

  it("does nothing on a dry run, and nothing for a branch already landed", async () => {
    const repo = testRepository();
    branch(repo, "one", { "one.txt": "1\n" });
    repo.git("branch", "same");
    repo.write("a.txt", "dirty\n");
    const before = repo.git("rev-parse", "main");
    const report = await land(repo.place, { branches: ["one", "same"], dryRun: true, settings: { check: "exit 1" } });
    expect(report).toMatchObject({ dryRun: true, landed: [{ branch: "one" }] });
    expect(report.refused).toEqual([{ branch: "same", reason: "nothing new" }]);
    expect(repo.git("rev-parse", "main")).toBe(before);
  });

  it.each<[string, (repo: TestRepository) => void, string[], RegExp]>([
    [
      "changes in a file that a branch changes",
      (repo) => repo.write("a.txt", "dirty\n"),
      ["two"],
      /cannot land in .*: uncommitted changes are in files that the landing changes too \(a\.txt\)\. Commit or stash them first\. Nothing was changed\.$/,
    ],
    ["a staged file that a branch adds", (repo) => stage(repo, "one.txt"), ["one"], /uncommitted .*\(one\.txt\)/],
    ["a staged file in the place of a folder", (repo) => stage(repo, "lib"), ["two"], /uncommitted .*\(lib\)/],
    [
      "an untracked file in the way",
      (repo) => repo.write("one.txt", "mine\n"),
      ["one"],
      /untracked files are in the way \(one\.txt\): a branch has files of the same name\. Rename or remove them first: git has no copy of them\./,
    ],
    ["an ignored file in the way", (repo) => repo.write(".env", "mine\n"), ["two"], /untracked .*\(\.env\)/],
    ["an untracked file in the place of a folder", (repo) => repo.write("lib", "l\n"), ["two"], /untracked .*\(lib\)/],
    ["a folder in the place of a file", (repo) => repo.write("one.txt/x", "x"), ["one"], /untracked .*\(one\.txt\/x\)/],
    ["a merge that is not finished", (repo) => merge(repo, "two", "--no-commit"), ["one"], /a merge is not finished/],
    [
      "conflicts that are not resolved",
      (repo) => {
        repo.write("a.txt", "stashed\n");
        repo.git("stash");
        repo.commit("main moves", { "a.txt": "moved\n" });
        expect(() => repo.git("stash", "pop")).toThrow(/CONFLICT|Command failed/);
      },
      ["one"],
      /conflicts are not resolved \(a\.txt\)/,
    ],
    ["a detached head", (repo) => repo.git("checkout", "-q", "--detach"), ["one"], /on no branch/],
    ["an unknown branch", () => undefined, ["onee"], /branch onee does not exist; did you mean one\?/],
    ["the same branch twice", () => undefined, ["one", "one"], /named twice/],
    ["the current branch", () => undefined, ["main"], /is the current branch/],
    ["an option for a branch", () => undefined, ["--all"], /branch --all does not exist/],
  ])("refuses %s, and nothing is changed", async (_what, prepare, branches, message) => {
    const repo = testRepository();
    branch(repo, "one", { "one.txt": "1\n" });
    repo.git("checkout", "-qb", "two");
    repo.write(".env", "e\n");
    repo.git("add", "-f", ".env");
    repo.commit("work of two", { "a.txt": "2\n", "lib/two.txt": "2\n" });
    repo.git("checkout", "-q", "main");
    prepare(repo);
    const before = repo.git("rev-parse", "main");
    const status = repo.git("status", "--porcelain");
    const check = `echo >> ${join(repo.root, "checked")}`;
    const steps: string[] = [];
    const onStep = (step: string) => void steps.push(step);
    await expect(land(repo.place, { branches, settings: { check }, onStep })).rejects.toThrow(message);
    expect(steps, "it is found before the rebase and the check").toEqual([]);
    expect(existsSync(join(repo.root, "checked"))).toBe(false);
    expect(repo.git("rev-parse", "main")).toBe(before);
    expect(repo.git("status", "--porcelain")).toBe(status);
    expect(repo.traces().worktrees).toBe(1);
  });

  it("lands beside other changed, staged, removed and untracked files, which stay as they are", async () => {
    const repo = testRepository();
    repo.commit("more", { "staged.txt": "s\n", "gone.txt": "g\n", "lib/both.txt": "b\n" });
    branch(repo, "one", { "one.txt": "1\n", "lib/one.txt": "1\n" });
    repo.commit("main moves", { "main.txt": "m\n" });
    repo.write("a.txt", "of the user\n");
    stage(repo, "staged.txt");
    stage(repo, "lib/new.txt");
    repo.write("lib/both.txt", "staged\n");
    repo.git("add", "lib/both.txt");
    repo.write("lib/both.txt", "and changed\n");
    rmSync(join(repo.repo, "gone.txt"));
    repo.write("notes.txt", "untracked\n");
    repo.write(".env", "ignored\n");
    const state = () => [repo.git("status", "--porcelain"), repo.git("diff"), repo.git("diff", "--cached")];
    const before = state();
    const report = await land(repo.place, { branches: ["one"], settings: { check: "! grep -q user a.txt" } });
    expect(report.landed).toMatchObject([{ branch: "one" }]);
    expect(report.notices).toEqual([
      "uncommitted files stay as they are, outside this landing: a.txt, gone.txt, lib/both.txt, lib/new.txt, staged.txt and 1 more",
    ]);
    expect(state()).toEqual(before);
    expect(readFileSync(join(repo.repo, "lib/one.txt"), "utf8")).toBe("1\n");
    expect(readFileSync(join(repo.repo, ".env"), "utf8")).toBe("ignored\n");
  });

  const identicalWork = () => {
    const repo = testRepository();
    repo.commit("more", { "gone.txt": "g\n", "other.txt": "o\n" });
    repo.git("checkout", "-qb", "same");
    repo.git("rm", "-q", "gone.txt");
    repo.commit("work of same", { "a.txt": "2\n", "lib/new.txt": "n\n", "staged.txt": "s\n" });
    repo.git("checkout", "-q", "main");
    repo.write("a.txt", "2\n");
    repo.write("lib/new.txt", "n\n");
    repo.write("staged.txt", "s\n");
    repo.git("add", "staged.txt");
    rmSync(join(repo.repo, "gone.txt"));
    return repo;
  };

  it("lands over uncommitted files with the same content, and says that they are committed now", async () => {
    const repo = identicalWork();
    repo.write("notes.txt", "untracked\n");
    const report = await land(repo.place, { branches: ["same"] });
    expect(report.landed).toMatchObject([{ branch: "same" }]);
    expect(report.notices).toEqual([
      "uncommitted files stay as they are, outside this landing: notes.txt",
      "uncommitted files had the landed content already, and are committed with it: a.txt, gone.txt, staged.txt, lib/new.txt",
    ]);
    expect(repo.git("status", "--porcelain")).toBe("?? notes.txt");
    expect(subjects(repo)).toEqual(["work of same", "more", "first"]);
  });

  it.each<[string, (repo: TestRepository) => void, RegExp]>([
    ["one of them differs", (repo) => repo.write("a.txt", "3\n"), /uncommitted changes .*\(a\.txt\)/],
    [
      "the mode differs",
      (repo) => repo.git("update-index", "--chmod=+x", "staged.txt"),
      /uncommitted .*\(staged\.txt\)/,
    ],
    [
      "the index has a third version",
      (repo) => {
        stage(repo, "a.txt");
        repo.write("a.txt", "2\n");
      },
      /uncommitted changes .*\(a\.txt\)/,
    ],
  ])("refuses to land over files with the same content if %s", async (_what, prepare, message) => {
    const repo = identicalWork();
    prepare(repo);
    const status = repo.git("status", "--porcelain");
    await expect(land(repo.place, { branches: ["same"] })).rejects.toThrow(message);
    expect(repo.git("status", "--porcelain")).toBe(status);
  });

  it("a landing over files with the same content that fails leaves the index as it was", async () => {
    const repo = identicalWork();
    const status = repo.git("status", "--porcelain");
    const onStep = (step: string) => {
      if (step === "mark moving") throw new Error("stop here");
    };
    await expect(land(repo.place, { branches: ["same"], onStep })).rejects.toThrow("stop here");
    expect(repo.git("status", "--porcelain")).toBe(status);
  });

  it("a change that the user makes during the check stops the move, and stays", async () => {
    const repo = testRepository();
    branch(repo, "one", { "a.txt": "1\n" });
    const before = repo.git("rev-parse", "main");
    const onStep = (step: string) => (step === "build" ? repo.write("a.txt", "of the user\n") : undefined);
    await expect(land(repo.place, { branches: ["one"], onStep })).rejects.toThrow(/uncommitted changes .*\(a\.txt\)/);
    expect(repo.git("rev-parse", "main")).toBe(before);
    expect(readFileSync(join(repo.repo, "a.txt"), "utf8")).toBe("of the user\n");
  });

  it("restarts when the branch moves during the landing, and two landings wait for each other", async () => {
    const repo = testRepository();
    branch(repo, "one", { "one.txt": "1\n" });
    branch(repo, "two", { "two.txt": "2\n" });
    let moved = false;
    const onStep = (step: string) => {
      if (step !== "move ref" || moved) return;
      moved = true;
      repo.commit("in between", { "between.txt": "b\n" });
    };
    const [first, second] = await Promise.all([
      land(repo.place, { branches: ["one"], onStep }),
      land(repo.place, { branches: ["two"], onStep }),
    ]);
    expect([first.landed, second.landed]).toMatchObject([[{ branch: "one" }], [{ branch: "two" }]]);
    expect(subjects(repo).toSorted()).toEqual(["first", "in between", "work of one", "work of two"]);
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  it("a landed worktree has no more work: prune removes it with its branch", async () => {
    const repo = testRepository();
    const made = await createWorktree(repo.place, { agentId: newAgentId() });
    repo.commit("agent's work", { "work.txt": "w\n" }, made.path);
    expect(await finishWorktree(repo.place, { name: made.name })).toMatchObject({ outcome: "kept" });
    repo.commit("main moves", { "main.txt": "m\n" });
    writeFileSync(join(made.path, "more.txt"), "uncommitted\n");
    const report = await land(repo.place, { branches: [made.branch] });
    expect(report.notices).toEqual([
      `${made.path} has 1 uncommitted change on ${made.branch}, which do not land. Have its agent commit them, then land the branch again`,
    ]);
    expect((await pruneWorktrees(repo.place)).worktrees).toMatchObject([
      { outcome: "kept", reasons: ["untracked: more.txt"] },
    ]);
    repo.gitIn(made.path, "clean", "-fdq");
    expect((await pruneWorktrees(repo.place)).worktrees).toMatchObject([{ outcome: "removed" }]);
    expect(repo.traces()).toEqual({ branches: ["main"], worktrees: 1, rescue: [] });
    expect(existsSync(join(repo.repo, "work.txt"))).toBe(true);
  });

  it("runs no hook, filter, merge driver or editor of the repository", async () => {
    const repo = testRepository();
    const marker = join(repo.root, "marker");
    const evil = `touch ${marker}; cat`;
    branch(repo, "one", { "a.txt": "one\nx\ny\nz\n", ".gitattributes": "* merge=evil filter=evil diff=evil\n" });
    repo.commit("main moves", { "a.txt": "start\none\n", ".gitattributes": "* merge=evil filter=evil diff=evil\n" });
    for (const hook of [
      "pre-rebase",
      "post-checkout",
      "post-rewrite",
      "pre-commit",
      "commit-msg",
      "reference-transaction",
    ]) {
      writeFileSync(join(repo.repo, ".git/hooks", hook), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    }
    for (const key of ["filter.evil.clean", "filter.evil.smudge", "merge.evil.driver", "diff.evil.textconv"]) {
      repo.git("config", key, evil);
    }
    for (const key of ["core.fsmonitor", "core.editor", "sequence.editor", "gpg.program", "diff.external"]) {
      repo.git("config", key, `sh -c '${evil}'`);
    }
    repo.git("config", "commit.gpgSign", "true");
    const report = await land(repo.place, { branches: ["one"] });
    expect(existsSync(marker)).toBe(false);
    expect([...report.landed, ...report.refused]).toHaveLength(1);
    // Plain git does run them here.
    repo.git("status");
    expect(existsSync(marker)).toBe(true);
  });
});
