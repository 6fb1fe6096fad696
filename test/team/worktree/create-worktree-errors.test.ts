import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorktree, finishWorktree, listWorktrees, pruneWorktrees } from "../../../src/team/index.ts";
import { clockWithoutWaits } from "../../support/clock/clock-without-waits.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { needUserNamespaces } from "../../support/processes/required-tools.ts";
import { newAgentId, repositoryAt, type TestRepository, testRepository } from "../../support/git/test-repository.ts";

const at = (repo: TestRepository, cwd: string) => ({ ...repo.place, cwd });
const agentId = newAgentId();
/** The short name, and the long one that is used if the short one is taken. */
const names = [`agent-${agentId.slice(-4)}`, `agent-${agentId.slice(-12)}`];

describe("failed creation has an error code and leaves nothing half made", () => {
  it.each<[string, (repo: TestRepository) => string, RegExp, string?]>([
    ["outside a repository", ({ root }) => root, /is not in a git repository.*git init/],
    ["in a folder that does not exist", ({ root }) => join(root, "none"), /does not exist|cannot be used/],
    [
      "in a bare repository",
      ({ root, git }) => {
        git("clone", "-q", "--bare", ".", join(root, "bare"));
        return join(root, "bare");
      },
      /bare repository.*no working tree/,
    ],
    ["inside the git folder", ({ repo }) => join(repo, ".git"), /no working tree/],
    [
      "without a commit",
      ({ root, gitIn }) => {
        mkdirSync(join(root, "new"));
        gitIn(join(root, "new"), "init", "-q");
        return join(root, "new");
      },
      /has no commit yet/,
    ],
    [
      "where the path exists",
      ({ repo }) => {
        for (const name of names) mkdirSync(join(`${repo}.troupe`, name), { recursive: true });
        return repo;
      },
      /already exists\. Remove it, or choose another name\./,
    ],
    [
      "where the branch is checked out in another worktree",
      ({ repo, root, git }) => {
        for (const name of names)
          git("worktree", "add", "-q", "-b", `troupe/${name}`, join(root, "other-folder", name));
        return repo;
      },
      /already exists, checked out in .*other-folder/,
    ],
    [
      "where a branch named troupe is in the way",
      ({ repo, git }) => {
        git("branch", "troupe");
        return repo;
      },
      /cannot create the branch .*: a branch named troupe exists\. Rename it/,
    ],
    [
      "where .git claims another repository",
      ({ root, gitIn, repo }) => {
        const forged = join(root, "forged");
        mkdirSync(forged);
        gitIn(forged, "init", "-q");
        writeFileSync(join(forged, ".git/commondir"), join(repo, ".git"));
        writeFileSync(join(forged, ".git/gitdir"), join(forged, ".git"));
        return forged;
      },
      /claims to belong to the repository/,
    ],
    ["named .git", ({ repo }) => repo, /cannot be the name of a worktree/, ".git"],
    ["named .GIT", ({ repo }) => repo, /cannot be the name of a worktree/, ".GIT"],
    ["named git~1", ({ repo }) => repo, /cannot be the name of a worktree/, "git~1"],
    ["named .git with a space", ({ repo }) => repo, /cannot be the name of a worktree/, " .git "],
  ])("%s", async (_what, prepare, message, name) => {
    const repo = testRepository();
    const cwd = prepare(repo);
    const before = repo.traces();
    const request = { agentId, ...(name !== undefined && { name }) };
    await expect(createWorktree(at(repo, cwd), request)).rejects.toThrow(message);
    expect(repo.traces()).toEqual(before);
  });

  it("a base that is not a commit", async () => {
    const repo = testRepository();
    await expect(createWorktree(repo.place, { agentId, base: "--help" })).rejects.toThrow(/--help is not a commit of/);
    await expect(createWorktree(repo.place, { agentId, base: "HEAD:a.txt" })).rejects.toThrow(/is not a commit of/);
  });

  it("a sparse path or a file outside the project", async () => {
    const repo = testRepository();
    await expect(createWorktree(repo.place, { agentId, settings: { copy: ["../x"] } })).rejects.toThrow(
      /not a path inside/,
    );
    await expect(createWorktree(repo.place, { agentId, settings: { link: [".git/config"] } })).rejects.toThrow(
      /not a path/,
    );
    expect(repo.traces()).toEqual({ branches: ["main"], worktrees: 1, rescue: [] });
  });

  it("a full disk", async () => {
    needUserNamespaces();
    const repo = testRepository();
    repo.commit("large", { "large.bin": "x".repeat(300_000) });
    const program = await buildProgram("create-worktree.ts");
    onTestFinished(() => program.remove());
    const small = join(repo.root, "small");
    mkdirSync(small);
    const script = 'mount -t tmpfs -o size=64k none "$1" && "$2" "$3" "$4" "$5" "$1/trees"; ls "$1/trees"';
    const args = ["-Urm", "sh", "-c", script, "sh", small, process.execPath, program.path, repo.repo, repo.place.home];
    const run = spawnSync("unshare", args, { encoding: "utf8", env: { PATH: process.env["PATH"] ?? "" } });
    expect(run.stdout).toMatch(/^git: cannot make the worktree .*(No space left|unable to write).*\n$/);
    expect(repo.traces()).toEqual({ branches: ["main"], worktrees: 1, rescue: [] });
    expect((await listWorktrees(repo.place)).worktrees).toEqual([]);
    repo.git("fsck", "--strict");
  });

  it("a folder without write permission", async () => {
    needUserNamespaces();
    const repo = testRepository();
    const program = await buildProgram("create-worktree.ts");
    onTestFinished(() => program.remove());
    const script = 'mount -t tmpfs none "$1" && mount -o remount,ro "$1" && exec "$2" "$3" "$4" "$5" "$1/trees"';
    const closed = join(repo.root, "closed");
    mkdirSync(closed);
    const args = ["-Urm", "sh", "-c", script, "sh", closed, process.execPath, program.path, repo.repo, repo.place.home];
    const run = spawnSync("unshare", args, { encoding: "utf8", env: { PATH: process.env["PATH"] ?? "" } });
    expect(run.stdout).toMatch(/^storage: Cannot create the folder .*read-only/);
    expect(repo.traces()).toEqual({ branches: ["main"], worktrees: 1, rescue: [] });
  });
});

describe("supported repositories", () => {
  it("in a shallow clone, with a notice", async () => {
    const repo = testRepository();
    repo.commit("second", { b: "b" });
    execFileSync("git", ["clone", "-q", "--depth=1", `file://${repo.repo}`, join(repo.root, "shallow")]);
    const place = at(repo, join(repo.root, "shallow"));
    const made = await createWorktree(place, { agentId });
    expect(made.notices.join()).toContain("shallow clone");
    expect(await finishWorktree(place, { name: made.name })).toMatchObject({ outcome: "removed" });
  });

  it("from another worktree, through a link, from a folder deep inside", async () => {
    const repo = testRepository();
    repo.git("worktree", "add", "-q", "-b", "side", join(repo.root, "side"));
    mkdirSync(join(repo.root, "side/deep/er"), { recursive: true });
    symlinkSync(join(repo.root, "side/deep"), join(repo.root, "link"));
    const made = await createWorktree(at(repo, join(repo.root, "link/er")), { agentId });
    expect(made.path).toBe(join(`${repo.repo}.troupe`, made.name));
    expect((await listWorktrees(repo.place)).worktrees).toMatchObject([{ name: made.name }]);
    expect(await finishWorktree(repo.place, { name: made.name })).toMatchObject({ outcome: "removed" });
  });

  it("of a bare repository, from one of its worktrees; of a submodule", async () => {
    const repo = testRepository();
    const bare = join(repo.root, "bare.git");
    repo.git("clone", "-q", "--bare", ".", bare);
    repo.gitIn(bare, "worktree", "add", "-q", join(repo.root, "of-bare"), "main");
    const place = at(repo, join(repo.root, "of-bare"));
    const made = await createWorktree(place, { agentId });
    expect(made.path).toContain(repo.place.home);
    expect(await finishWorktree(place, { name: made.name })).toMatchObject({ outcome: "removed" });
  });
});

describe("locks held or left by another git", () => {
  it("waits for a lock that is released", async () => {
    const repo = testRepository();
    mkdirSync(join(repo.repo, ".git/refs/heads/troupe"), { recursive: true });
    const lock = join(repo.repo, `.git/refs/heads/troupe/${names[0]}.lock`);
    writeFileSync(lock, "");
    // The git that meets the lock waits three seconds; by then it is gone.
    const freed = setTimeout(() => rmSync(lock), 500);
    onTestFinished(() => clearTimeout(freed));
    const made = await createWorktree(repo.place, { agentId });
    expect(await finishWorktree(repo.place, { name: made.name })).toMatchObject({ outcome: "removed" });
  });

  it("reports a lock that stays, leaves it alone, and leaves nothing else", async () => {
    const repo = testRepository();
    const lock = join(repo.repo, ".git/config.lock");
    const held = openSync(lock, "wx");
    onTestFinished(() => closeSync(held));
    // Only a sparse worktree writes to the config.
    const place = { ...repo.place, clock: clockWithoutWaits() };
    await expect(createWorktree(place, { agentId, settings: { sparse: ["x"] } })).rejects.toThrow(
      /could not lock config file.*Another git runs in this repository, or one was killed there\./,
    );
    expect(existsSync(lock)).toBe(true);
    expect(repo.traces()).toEqual({ branches: ["main"], worktrees: 1, rescue: [] });
    const made = await createWorktree(repo.place, { agentId });
    writeFileSync(join(repo.repo, ".git/index.lock"), "");
    expect(await finishWorktree(repo.place, { name: made.name })).toMatchObject({ outcome: "removed" });
    expect(existsSync(join(repo.repo, ".git/index.lock"))).toBe(true);
  });
});

describe("hostile repository", () => {
  it("runs nothing when worktrees are made, listed, finished and pruned", async () => {
    const repo = testRepository();
    const marker = join(repo.root, "marker");
    const evil = join(repo.root, "evil.sh");
    writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${marker}\ncat\n`);
    chmodSync(evil, 0o755);
    repo.commit("attributes", { ".gitattributes": "* filter=evil diff=evil merge=evil\n", "b.txt": "b\n" });
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc", "post-commit"]) {
      writeFileSync(join(repo.repo, ".git/hooks", hook), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    }
    const keys = ["core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "gpg.program"];
    for (const name of ["diff.external", "diff.evil.textconv", "diff.evil.command", "merge.evil.driver"])
      keys.push(name);
    for (const name of ["clean", "smudge", "process"]) keys.push(`filter.evil.${name}`);
    for (const key of keys) repo.git("config", key, evil);
    for (const alias of ["status", "worktree", "rev-parse", "ls-files"])
      repo.git("config", `alias.${alias}`, `!${evil}`);
    repo.git("config", "filter.evil.required", "true");
    repo.git("config", "core.hooksPath", join(repo.repo, ".git/hooks"));
    repo.git("config", "gc.auto", "1");
    rmSync(marker, { force: true });
    const made = await createWorktree(repo.place, { agentId });
    await listWorktrees(repo.place);
    writeFileSync(join(made.path, "b.txt"), "changed\n");
    expect(await finishWorktree(repo.place, { name: made.name })).toMatchObject({
      outcome: "kept",
      reasons: ["unstaged: b.txt"],
    });
    await pruneWorktrees(repo.place);
    writeFileSync(join(made.path, "b.txt"), "b\n");
    expect((await pruneWorktrees(repo.place)).worktrees).toMatchObject([{ outcome: "removed" }]);
    expect(existsSync(marker)).toBe(false);
    spawnSync("git", ["-C", repo.repo, "status"]);
    expect(existsSync(marker), "and git as anybody starts it does run something").toBe(true);
  });

  it("is not misled by a .git that is a link, nor by a bare repository inside", async () => {
    const repo = testRepository();
    const linked = join(repo.root, "linked");
    mkdirSync(linked);
    symlinkSync(join(repo.repo, ".git"), join(linked, ".git"));
    const made = await createWorktree(at(repo, linked), { agentId });
    expect(made.path.startsWith(`${repo.repo}.troupe`)).toBe(true);
    await finishWorktree(repo.place, { name: made.name });
    const nested = join(repo.repo, "nested");
    execFileSync("git", ["init", "-q", "--bare", nested]);
    await expect(createWorktree(at(repo, nested), { agentId })).rejects.toThrow(/bare repository/);
    expect(existsSync(`${repo.repo}.troupe`)).toBe(false);
    expect(repositoryAt(repo.root, repo.repo).traces().worktrees).toBe(1);
  });
});
