import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createWorktree,
  finishWorktree,
  listWorktrees,
  pruneWorktrees,
  resumeWorktree,
  type Worktree,
} from "../../../src/team/index.ts";
import { newAgentId, type TestRepository, testRepository } from "../../support/git/test-repository.ts";

interface Row {
  readonly what: string;
  readonly settings?: Parameters<typeof createWorktree>[1]["settings"];
  do(repo: TestRepository, made: Worktree): unknown;
  /** Undefined: nothing is lost, so it is removed. */
  readonly kept?: RegExp;
  readonly rescued?: number;
}

/** The possible contents of a worktree, and what must happen to each. */
const rows: Row[] = [
  { what: "nothing", do: () => undefined },
  {
    what: "a staged change",
    do: (repo, { path }) => {
      writeFileSync(join(path, "a.txt"), "x\n");
      repo.gitIn(path, "add", "a.txt");
    },
    kept: /^staged: a\.txt$/,
  },
  {
    what: "a staged change that was undone in the file",
    do: (repo, { path }) => {
      writeFileSync(join(path, "a.txt"), "x\n");
      repo.gitIn(path, "add", "a.txt");
      writeFileSync(join(path, "a.txt"), "one\n");
    },
    kept: /^staged/,
  },
  {
    what: "an unstaged change",
    do: (_, { path }) => appendFileSync(join(path, "a.txt"), "x"),
    kept: /^unstaged: a\.txt/,
  },
  { what: "a deleted file", do: (_, { path }) => rmSync(join(path, "a.txt")), kept: /^unstaged: a\.txt/ },
  { what: "an untracked file", do: (_, { path }) => writeFileSync(join(path, "new"), ""), kept: /^untracked: new$/ },
  {
    what: "an untracked file that a setting would hide",
    do: (repo, { path }) => {
      repo.git("config", "status.showUntrackedFiles", "no");
      writeFileSync(join(path, "new"), "");
    },
    kept: /^untracked: new$/,
  },
  {
    what: "a nested repository",
    do: (repo, { path }) => {
      mkdirSync(join(path, "inner"));
      repo.gitIn(join(path, "inner"), "init", "-q");
      repo.commit("inner", { x: "x" }, join(path, "inner"));
    },
    kept: /^untracked: inner/,
  },
  { what: "an ignored file", do: (_, { path }) => writeFileSync(join(path, ".env"), "KEY=2"), kept: /^ignored: \.env/ },
  {
    what: "an ignored folder",
    do: (_, { path }) => {
      mkdirSync(join(path, "secrets"));
      writeFileSync(join(path, "secrets/key"), "k");
    },
    kept: /^ignored: secrets/,
  },
  {
    what: "output that programs make again",
    do: (_, { path }) => {
      for (const folder of ["node_modules", "dist"]) mkdirSync(join(path, folder));
      writeFileSync(join(path, "dist/out.js"), "");
    },
  },
  {
    what: "ignored files that the settings call disposable",
    settings: { disposable: ["*.local", "secrets/**"] },
    do: (_, { path }) => {
      mkdirSync(join(path, "secrets"));
      writeFileSync(join(path, "secrets/key"), "k");
      writeFileSync(join(path, "x.local"), "k");
    },
  },
  {
    what: "a copied file, untouched",
    settings: { copy: [".env", "secrets"], link: ["x.local"] },
    do: () => undefined,
  },
  {
    what: "a copied file, edited",
    settings: { copy: [".env"] },
    do: (_, { path }) => appendFileSync(join(path, ".env"), "MORE=1\n"),
    kept: /^ignored: \.env/,
  },
  {
    what: "a new file in a copied folder",
    settings: { copy: ["secrets"] },
    do: (_, { path }) => writeFileSync(join(path, "secrets/new"), "x"),
    kept: /^ignored: secrets/,
  },
  {
    what: "a link that was replaced by a file",
    settings: { link: ["x.local"] },
    do: (_, { path }) => {
      rmSync(join(path, "x.local"));
      writeFileSync(join(path, "x.local"), "mine");
    },
    kept: /^ignored: x\.local/,
  },
  {
    what: "a new commit",
    do: (repo, { path }) => repo.commit("work", { b: "b" }, path),
    kept: /^commits: 1 that are not in its base$/,
  },
  {
    what: "a commit that was reset away",
    do: (repo, { path }) => {
      repo.commit("work", { b: "b" }, path);
      repo.gitIn(path, "reset", "-q", "--hard", "HEAD~1");
    },
    rescued: 1,
  },
  {
    what: "a detached commit",
    do: (repo, { path }) => {
      repo.gitIn(path, "checkout", "-q", "--detach");
      repo.commit("work", { b: "b" }, path);
    },
    kept: /^commits: 1 on no branch$/,
    rescued: 1,
  },
  {
    what: "a detached commit that was left behind",
    do: (repo, { path, branch }) => {
      repo.gitIn(path, "checkout", "-q", "--detach");
      repo.commit("work", { b: "b" }, path);
      repo.gitIn(path, "checkout", "-q", branch);
    },
    rescued: 1,
  },
  {
    what: "commits on another branch, which stays",
    do: (repo, { path, branch }) => {
      repo.gitIn(path, "checkout", "-qb", "other");
      repo.commit("work", { b: "b" }, path);
      repo.gitIn(path, "checkout", "-q", branch);
    },
  },
  {
    what: "a stash",
    do: (repo, { path }) => {
      writeFileSync(join(path, "a.txt"), "x\n");
      repo.gitIn(path, "stash", "-q");
    },
    kept: /^stash: 1 made in it/,
  },
  {
    what: "a stash with its own message, made on no branch",
    do: (repo, { path, branch }) => {
      repo.gitIn(path, "checkout", "-q", "--detach");
      writeFileSync(join(path, "a.txt"), "x\n");
      repo.gitIn(path, "stash", "push", "-qm", "later");
      repo.gitIn(path, "checkout", "-q", branch);
    },
    kept: /^stash: 1 made in it/,
  },
  {
    what: "another worktree's stash",
    do: (repo) => {
      repo.write("a.txt", "x\n");
      repo.git("stash", "-q");
    },
  },
  {
    what: "a file marked assume-unchanged",
    do: (repo, { path }) => {
      repo.gitIn(path, "update-index", "--assume-unchanged", "a.txt");
      writeFileSync(join(path, "a.txt"), "hidden\n");
    },
    kept: /^hidden: .*a\.txt/,
  },
  {
    what: "a merge in the middle",
    do: (repo, { path }) => writeFileSync(join(repo.gitIn(path, "rev-parse", "--absolute-git-dir"), "MERGE_HEAD"), ""),
    kept: /^unfinished: MERGE_HEAD/,
  },
  {
    what: "an index that another process is writing",
    do: (repo, { path }) => writeFileSync(join(repo.gitIn(path, "rev-parse", "--absolute-git-dir"), "index.lock"), ""),
    kept: /^unfinished: index\.lock/,
  },
  { what: "a missing folder", do: (_, { path }) => rmSync(path, { recursive: true }), kept: /^missing: / },
  { what: "a folder that was moved away", do: (_, { path }) => renameSync(path, `${path}.moved`), kept: /^missing: / },
  {
    what: "a lock of another process",
    do: (repo, { path }) => {
      repo.git("worktree", "unlock", path);
      repo.git("worktree", "lock", "--reason", "mine", path);
    },
    kept: /^locked: it was locked by hand \(mine\)/,
  },
  {
    what: "a .git that leads to another repository",
    do: (repo, { path }) => {
      rmSync(join(path, ".git"));
      repo.gitIn(path, "init", "-q");
      repo.gitIn(path, "config", "core.fsmonitor", `touch ${repo.root}/marker`);
    },
    kept: /^unknown: git does not remove it/,
  },
  {
    what: "a process that works in it",
    do: async (_, { path }) => {
      const child: ChildProcess = spawn("sleep", ["600"], { cwd: path, stdio: "ignore" });
      onTestFinished(() => void child.kill("SIGKILL"));
      await once(child, "spawn");
    },
    kept: /^in use: process \d+ works in it$/,
  },
];

describe("fate of a worktree", () => {
  it.each(rows)("with $what", async ({ settings, do: act, kept, rescued = 0 }) => {
    const repo = testRepository();
    repo.write(".env", "KEY=1\n");
    repo.write("x.local", "x\n");
    repo.write("secrets/key", "k\n");
    const made = await createWorktree(repo.place, { agentId: newAgentId(), settings: settings ?? {} });
    await act(repo, made);
    const [listed] = (await listWorktrees(repo.place)).worktrees;
    const finished = await finishWorktree(repo.place, { name: made.name });
    expect(finished.rescued).toHaveLength(rescued);
    for (const ref of finished.rescued) expect(repo.git("log", "-1", "--format=%s", ref)).toBe("work");
    if (kept === undefined) {
      expect(finished.outcome).toBe("removed");
      expect(existsSync(made.path)).toBe(false);
      expect(repo.traces().branches).not.toContain(made.branch);
      return;
    }
    expect(finished).toMatchObject({ outcome: "kept", path: made.path, branch: made.branch });
    expect(finished.outcome === "kept" && finished.reasons.join("\n")).toMatch(new RegExp(kept, "m"));
    expect(repo.traces().branches).toContain(made.branch);
    // Listing, dry prune and prune say the same, and touch nothing.
    if (!kept.test("unknown: git does not remove it"))
      expect(listed?.reasons.join("\n")).toMatch(new RegExp(kept, "m"));
    expect((await pruneWorktrees(repo.place)).worktrees).toMatchObject([{ outcome: "kept" }]);
    expect(repo.traces().branches).toContain(made.branch);
    expect(existsSync(join(repo.root, "marker"))).toBe(false);
  });

  it("commits the uncommitted work of an agent that is over, without hooks, and says so", async () => {
    const repo = testRepository();
    repo.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n");
    chmodSync(join(repo.repo, ".git/hooks/pre-commit"), 0o755);
    const made = await createWorktree(repo.place, { agentId: newAgentId() });
    writeFileSync(join(made.path, "a.txt"), "two\n");
    writeFileSync(join(made.path, "new.txt"), "new\n");
    const finished = await finishWorktree(repo.place, { name: made.name, endedAgent: "w1" });
    expect(finished).toMatchObject({ outcome: "kept", reasons: ["commits: 1 that are not in its base"] });
    expect(repo.git("show", `${made.branch}:a.txt`)).toBe("two");
    expect(repo.git("show", `${made.branch}:new.txt`)).toBe("new");
    expect(repo.git("log", "-1", "--format=%an: %s", made.branch)).toBe(
      "Troupe: chore: keep the uncommitted work of w1",
    );
  });

  it("leaves an unfinished merge of an agent that is over as it is", async () => {
    const repo = testRepository();
    const made = await createWorktree(repo.place, { agentId: newAgentId() });
    repo.commit("here", { "a.txt": "here\n" }, made.path);
    repo.commit("main", { "a.txt": "main\n" });
    expect(() => repo.gitIn(made.path, "merge", "main")).toThrow();
    const finished = await finishWorktree(repo.place, { name: made.name, endedAgent: "w1" });
    expect(finished.outcome === "kept" && finished.reasons.join()).toContain("unfinished: MERGE_HEAD");
    expect(repo.git("log", "-1", "--format=%s", made.branch)).toBe("here");
  });

  it("counts from the commit it was made at, however often it is resumed", async () => {
    const repo = testRepository();
    const made = await createWorktree(repo.place, { agentId: newAgentId() });
    repo.commit("before the resume", { b: "b" }, made.path);
    expect(await finishWorktree(repo.place, { name: made.name })).toMatchObject({ outcome: "kept" });
    const again = await resumeWorktree(repo.place, made.name);
    expect(again).toMatchObject({ path: made.path, branch: made.branch, base: made.base });
    expect(repo.git("worktree", "list", "--porcelain")).toContain("locked agt_");
    expect(await finishWorktree(repo.place, { name: made.name })).toMatchObject({
      outcome: "kept",
      reasons: ["commits: 1 that are not in its base"],
    });
    // The base is not the current main either.
    repo.commit("main moves", { c: "c" });
    repo.git("merge", "-q", made.branch);
    expect(await finishWorktree(repo.place, { name: made.name })).toMatchObject({ outcome: "kept" });
    expect(await resumeWorktree(repo.place, "missing")).toBeUndefined();
  });

  it("never prunes one with a live process, and lists unrecorded ones without touching them", async () => {
    const repo = testRepository();
    const made = await createWorktree(repo.place, { agentId: newAgentId() });
    repo.git("worktree", "add", "-q", "-b", "troupe/agent-foreign0", join(repo.root, "foreign"));
    expect((await pruneWorktrees(repo.place)).worktrees).toMatchObject([{ name: made.name, outcome: "live" }]);
    const { worktrees } = await listWorktrees(repo.place);
    expect(worktrees.map(({ name, state }) => [name, state])).toEqual([
      [made.name, "live"],
      ["foreign", "foreign"],
    ]);
    expect(existsSync(join(repo.root, "foreign"))).toBe(true);
  });

  it("a damaged record is reported, and its worktree stays", async () => {
    const repo = testRepository();
    const made = await createWorktree(repo.place, { agentId: newAgentId() });
    const entries = join(repo.place.home, "worktrees");
    const { readdirSync } = await import("node:fs");
    const project = readdirSync(entries).find((name) => name !== "ports") as string;
    writeFileSync(join(entries, project, "entries", `${made.name}.json`), '{"v":1,');
    const pruned = await pruneWorktrees(repo.place);
    expect(pruned.worktrees).toEqual([]);
    expect(pruned.problems.join()).toContain(`${made.name}.json`);
    expect(existsSync(made.path)).toBe(true);
  });

  it("removes one with unfilled submodules, and keeps one with filled ones", async () => {
    const repo = testRepository();
    const sub = join(repo.root, "sub");
    mkdirSync(sub);
    repo.gitIn(sub, "init", "-q", "-b", "main");
    repo.commit("sub", { s: "s" }, sub);
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub, "lib");
    repo.git("commit", "-qm", "submodule");
    const made = await createWorktree(repo.place, { agentId: newAgentId() });
    expect(made.notices.join()).toContain("Submodules are empty folders");
    expect(await finishWorktree(repo.place, { name: made.name })).toMatchObject({ outcome: "removed" });
    const filled = await createWorktree(repo.place, { agentId: newAgentId() });
    repo.gitIn(filled.path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init");
    repo.commit("in the submodule", { t: "t" }, join(filled.path, "lib"));
    const kept = await finishWorktree(repo.place, { name: filled.name });
    expect(kept.outcome === "kept" && kept.reasons.join("\n")).toMatch(/^submodules: /m);
  });

  it("follows no link when it removes", async () => {
    const repo = testRepository();
    mkdirSync(join(repo.root, "precious"));
    writeFileSync(join(repo.root, "precious/file"), "p");
    const made = await createWorktree(repo.place, { agentId: newAgentId() });
    symlinkSync(join(repo.root, "precious"), join(made.path, "dist"));
    mkdirSync(join(made.path, "node_modules"));
    symlinkSync(join(repo.root, "precious"), join(made.path, "node_modules/p"));
    await finishWorktree(repo.place, { name: made.name });
    expect(existsSync(join(repo.root, "precious/file"))).toBe(true);
  });
});
