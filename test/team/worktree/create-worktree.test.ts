import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorktree, finishWorktree, listWorktrees } from "../../../src/team/index.ts";
import { newAgentId, testRepository } from "../../support/git/test-repository.ts";

describe("createWorktree", () => {
  it("makes a locked worktree on a new branch, next to the repository", async () => {
    const { repo, place, git, write } = testRepository();
    const agentId = newAgentId();
    write("a.txt", "changed\n");
    const made = await createWorktree(place, { agentId });
    expect(made).toMatchObject({
      path: `${repo}.troupe/agent-${agentId.slice(-4)}`,
      branch: `troupe/agent-${agentId.slice(-4)}`,
      base: git("rev-parse", "HEAD"),
      env: { TROUPE_WORKTREE: made.path, TROUPE_PORT_BASE: "20000", TROUPE_PORTS: "10" },
      notices: [`1 uncommitted change of ${repo} is not in the worktree: it starts from the last commit.`],
    });
    expect(readFileSync(join(made.path, "a.txt"), "utf8")).toBe("one\n");
    expect(git("worktree", "list", "--porcelain")).toContain(`locked ${agentId}`);
    expect(git("status", "--porcelain")).toBe(" M a.txt");
    expect(git("config", "--local", "--list")).not.toContain("branch.");
    const { worktrees } = await listWorktrees(place);
    expect(worktrees).toMatchObject([
      { state: "live", branch: made.branch, changedFiles: [], commits: 0, reasons: [] },
    ]);
    expect(await finishWorktree(place, { name: made.name })).toEqual({ outcome: "removed", rescued: [] });
    expect(existsSync(`${repo}.troupe`)).toBe(false);
  });

  it("gives each live worktree separate ports, and a freed block to the next", async () => {
    const { place, traces } = testRepository();
    const made = await Promise.all([1, 2, 3].map(() => createWorktree(place, { agentId: newAgentId() })));
    const bases = made.map(({ env }) => Number(env["TROUPE_PORT_BASE"])).sort((a, b) => a - b);
    expect(bases).toEqual([20_000, 20_010, 20_020]);
    for (const { name } of made) await finishWorktree(place, { name });
    const next = await createWorktree(place, { agentId: newAgentId(), settings: { ports: 5 } });
    expect(next.env).toMatchObject({ TROUPE_PORT_BASE: "20000", TROUPE_PORTS: "5" });
    await finishWorktree(place, { name: next.name });
    const without = await createWorktree(place, { agentId: newAgentId(), settings: { ports: 0 } });
    expect(Object.keys(without.env)).toEqual(["TROUPE_WORKTREE"]);
    await finishWorktree(place, { name: without.name });
    expect(traces()).toEqual({ branches: ["main"], worktrees: 1, rescue: [] });
  });

  it("links and copies ignored files, and removing the worktree leaves the originals", async () => {
    const { repo, place, write, gitIn } = testRepository();
    write(".env", "KEY=1\n");
    write("sub/x.local", "x\n");
    write("secrets/deep/key", "k\n");
    write("node_modules/left/index.js", "module.exports = 1;\n");
    write("node_modules/.bin/tool", "#!/bin/sh\n");
    const settings = { link: ["node_modules", ".env"], copy: ["**/*.local", "secrets", "a.txt", "nothing"] };
    const made = await createWorktree(place, { agentId: newAgentId(), settings });
    expect(made.notices).toEqual([
      "worktree.copy: a.txt matches no ignored file or folder",
      "worktree.copy: nothing matches no ignored file or folder",
    ]);
    expect(readlinkSync(join(made.path, ".env"))).toBe(join(repo, ".env"));
    expect(lstatSync(join(made.path, "node_modules")).isDirectory()).toBe(true);
    expect(readFileSync(join(made.path, "node_modules/left/index.js"), "utf8")).toContain("exports");
    expect(lstatSync(join(made.path, "sub/x.local")).isFile()).toBe(true);
    expect(readFileSync(join(made.path, "secrets/deep/key"), "utf8")).toBe("k\n");
    expect(gitIn(made.path, "status", "--porcelain")).toBe("");
    expect(await finishWorktree(place, { name: made.name })).toMatchObject({ outcome: "removed" });
    expect(existsSync(join(repo, "node_modules/left/index.js"))).toBe(true);
    expect(existsSync(join(repo, ".env"))).toBe(true);
  });

  it("runs the setup command in it; ignored files that it makes are not work", async () => {
    const { place } = testRepository();
    const setup = 'echo "$TROUPE_PORT_BASE $PWD" > .env && mkdir dist && touch dist/x';
    const made = await createWorktree(place, { agentId: newAgentId(), settings: { setup } });
    expect(readFileSync(join(made.path, ".env"), "utf8")).toBe(`${made.env["TROUPE_PORT_BASE"]} ${made.path}\n`);
    expect(made.notices).toEqual([]);
    expect(await finishWorktree(place, { name: made.name })).toMatchObject({ outcome: "removed" });
    const changing = await createWorktree(place, { agentId: newAgentId(), settings: { setup: "echo x >> a.txt" } });
    expect(changing.notices.join()).toContain("will be kept");
    expect(await finishWorktree(place, { name: changing.name })).toMatchObject({ outcome: "kept" });
  });

  it.each([
    ["fails", "echo not today >&2; touch x; echo y >> a.txt; exit 3", /exit code 3.*not today/s],
    ["hangs", "sleep 600", /timeout after 1 s/],
    ["removes the worktree", 'rm -rf "$PWD"', /./],
  ])("leaves nothing when the setup command %s", async (_what, setup, message) => {
    const { repo, place, traces } = testRepository();
    const settings = { setup, setupTimeoutMs: 1000 };
    await expect(createWorktree(place, { agentId: newAgentId(), settings })).rejects.toThrow(message);
    expect(traces()).toEqual({ branches: ["main"], worktrees: 1, rescue: [] });
    expect(existsSync(`${repo}.troupe`)).toBe(false);
    expect((await listWorktrees(place)).worktrees).toEqual([]);
    expect(readFileSync(join(place.home, "worktrees/ports/blocks.json"), "utf8")).toBe('{"blocks":[]}\n');
  });

  it("leaves nothing when aborted", async () => {
    const { place, traces } = testRepository();
    const leaving = new AbortController();
    const onStep = (step: string) => (step === "set-up" ? leaving.abort(new Error("left")) : undefined);
    const settings = { setup: "sleep 600" };
    const making = createWorktree({ ...place, signal: leaving.signal }, { agentId: newAgentId(), settings, onStep });
    await expect(making).rejects.toThrow("left");
    expect(traces()).toEqual({ branches: ["main"], worktrees: 1, rescue: [] });
  });

  it("checks out only the sparse paths in the settings", async () => {
    const { place, commit } = testRepository();
    commit("more", { "big/x.txt": "x", "small/y.txt": "y" });
    const made = await createWorktree(place, { agentId: newAgentId(), settings: { sparse: ["small"] } });
    expect(readdirSync(made.path).sort()).toEqual([".git", ".gitignore", "a.txt", "small"]);
    expect(await finishWorktree(place, { name: made.name })).toMatchObject({ outcome: "removed" });
  });

  it("starts from the given base without tracking it", async () => {
    const { place, git, commit } = testRepository();
    const first = git("rev-parse", "HEAD");
    commit("second", { "b.txt": "b\n" });
    git("update-ref", "refs/remotes/origin/main", first);
    const made = await createWorktree(place, { agentId: newAgentId(), base: "origin/main", name: "Über alles/x" });
    expect(made).toMatchObject({ base: first, name: expect.stringMatching(/^u-ber-alles-x~\w{16}$/) as unknown });
    expect(existsSync(join(made.path, "b.txt"))).toBe(false);
    await finishWorktree(place, { name: made.name });
  });

  it("follows no link of the repository out of the worktree", async () => {
    const { root, repo, place, write, git, traces } = testRepository();
    write("conf/x.local", "x\n");
    const settings = { copy: ["conf/x.local"] };
    git("checkout", "-qb", "evil");
    const made = await createWorktree(place, { agentId: newAgentId(), settings });
    await finishWorktree(place, { name: made.name });
    symlinkSync(root, join(repo, "lnk"));
    git("add", "lnk");
    git("commit", "-qm", "link");
    const blob = git("ls-tree", "HEAD", "lnk").split(/\s/)[2] as string;
    git("update-index", "--add", "--cacheinfo", `120000,${blob},conf`);
    git("commit", "-qm", "conf is a link there");
    await expect(createWorktree(place, { agentId: newAgentId(), settings })).rejects.toThrow(
      /link out of the worktree/,
    );
    expect(existsSync(join(root, "x.local"))).toBe(false);
    expect(traces().worktrees).toBe(1);
  });
});
