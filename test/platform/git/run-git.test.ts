import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitBranch, gitState, repositoryFolder, runGit } from "../../../src/platform/index.ts";

const env = { PATH: process.env["PATH"] ?? "" };
let folder: string;
let repo: string;
const git = (...args: string[]) =>
  execFileSync("git", ["-C", repo, "-c", "user.name=T", "-c", "user.email=t@example.com", ...args], { stdio: "pipe" });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "troupe-git-"));
  repo = join(folder, "repo");
  mkdirSync(repo);
  git("init", "-q", "-b", "main");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("gitState", () => {
  it("returns branch, changes and commits", async () => {
    expect(await gitState(repo, env)).toEqual({ branch: "main", status: [], moreChanges: 0, commits: [] });
    writeFileSync(join(repo, "a.txt"), "one\n");
    git("add", ".");
    git("commit", "-qm", "first");
    git("commit", "-qm", "second", "--allow-empty");
    git("checkout", "-qb", "feature/x");
    writeFileSync(join(repo, "a.txt"), "two\n");
    for (let i = 0; i < 45; i++) writeFileSync(join(repo, `new${i}.txt`), "");
    expect(await gitState(repo, env)).toMatchObject({
      branch: "feature/x",
      moreChanges: 6,
      status: expect.arrayContaining([" M a.txt", "?? new0.txt"]),
      commits: [expect.stringMatching(/^\w+ second$/), expect.stringMatching(/^\w+ first$/)],
    });
    expect(await gitBranch(repo, env)).toEqual({ branch: "feature/x" });
    git("checkout", "-q", "--detach");
    expect(await gitState(repo, env)).toMatchObject({ branch: undefined });
    expect(await gitBranch(repo, env)).toEqual({ branch: undefined });
  });

  it("tells no repository from a repository that cannot be inspected", async () => {
    for (const look of [gitState, gitBranch]) {
      expect(await look(folder, env)).toBe("no repository");
      expect(await look(join(folder, "none"), env)).toBe("no repository");
      expect(await look(repo, { PATH: folder })).toBeUndefined();
    }
    mkdirSync(join(repo, "a/b"), { recursive: true });
    expect(repositoryFolder(join(repo, "a/b"))).toBe(realpathSync(repo));
    expect(repositoryFolder(folder)).toBeUndefined();
  });

  it("runs nothing that a hostile repository configures", async () => {
    const marker = join(folder, "marker");
    const evil = join(folder, "evil.sh");
    writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${marker}\ncat\n`);
    chmodSync(evil, 0o755);
    writeFileSync(join(repo, "a.txt"), "one\n");
    writeFileSync(join(repo, ".gitattributes"), "* filter=evil diff=evil\n");
    git("add", ".");
    git("commit", "-qm", "first");
    for (const name of ["post-index-change", "reference-transaction"]) {
      writeFileSync(join(repo, ".git/hooks", name), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    }
    const keys = [
      "core.fsmonitor",
      "core.pager",
      "pager.status",
      "pager.log",
      "diff.external",
      "diff.evil.textconv",
      "diff.evil.command",
      "gpg.program",
      "filter.evil.clean",
      "filter.evil.smudge",
      "filter.evil.process",
      "alias.status",
      "core.sshCommand",
    ];
    for (const key of keys) git("config", key, key.startsWith("alias") ? `!${evil}` : evil);
    git("config", "log.showSignature", "true");
    git("config", "filter.evil.required", "true");
    writeFileSync(join(repo, "a.txt"), "two\n");
    rmSync(marker, { force: true });
    expect(await gitState(repo, env)).toMatchObject({ status: [" M a.txt"] });
    const diff = await runGit(["diff", "--no-ext-diff", "--no-textconv", "HEAD"], {
      cwd: repo,
      env,
      settings: { "filter.evil.clean": "", "filter.evil.process": "", "filter.evil.required": "false" },
    });
    expect(diff.stdout).toContain("+two");
    expect(existsSync(marker)).toBe(false);
  });

  it("does not enter a bare repository inside the folder", async () => {
    const bare = join(folder, "bare");
    execFileSync("git", ["init", "-q", "--bare", bare]);
    expect((await runGit(["log"], { cwd: bare, env })).ok).toBe(false);
    expect(await gitState(bare, env)).toBe("no repository");
  });
});

describe("runGit", () => {
  it("returns failure as data and bounds its output", async () => {
    expect(await runGit(["nonsense"], { cwd: repo, env })).toMatchObject({ ok: false, exitCode: 1, stdout: "" });
    writeFileSync(join(repo, "a.txt"), "x".repeat(10_000));
    git("add", ".");
    const shown = await runGit(["show", ":a.txt"], { cwd: repo, env, limitBytes: 100 });
    expect(shown).toMatchObject({ ok: true, stdout: "x".repeat(100) });
    expect(await runGit(["status"], { cwd: repo, env, signal: AbortSignal.abort() })).toMatchObject({ ok: false });
  });
});
