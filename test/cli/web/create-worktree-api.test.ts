import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorktreeApi } from "../../../src/cli/web/create-worktree-api.ts";
import { createWorktree } from "../../../src/team/index.ts";
import { newAgentId, testRepository } from "../../support/git/test-repository.ts";
import { memorySessionDirectory, sessionId } from "../../support/dashboard/memory-session-directory.ts";

const session = sessionId(1);

async function desk() {
  const repository = testRepository();
  const sessionDirectory = memorySessionDirectory();
  sessionDirectory.add({ id: session, cwd: repository.repo });
  const env = { ...repository.place.env, TROUPE_HOME: repository.place.home };
  const worktree = await createWorktree(repository.place, { agentId: newAgentId() });
  const made = createWorktreeApi({ sessionDirectory: sessionDirectory, env, signal: new AbortController().signal });
  return { repository, worktree, desk: made };
}

test("lists worktrees with their contents, and their changes as a diff", async () => {
  const { repository, worktree, desk: it } = await desk();
  repository.commit("work", { "a.txt": "two\n" }, worktree.path);
  writeFileSync(join(worktree.path, "new.txt"), "a\nb");
  writeFileSync(join(worktree.path, "picture"), Buffer.from([0, 1, 2]));
  symlinkSync("/etc/passwd", join(worktree.path, "link"));
  const [listed] = await it.list(session);
  expect(listed).toMatchObject({ path: worktree.path, branch: worktree.branch, state: "live", commits: 1 });
  expect(listed?.files).toEqual(
    expect.arrayContaining([
      { path: "a.txt", added: 1, removed: 1 },
      { path: "new.txt", added: 2, removed: 0 },
      { path: "picture", added: null, removed: null },
    ]),
  );
  const diff = await it.diff(session, listed?.name ?? "");
  expect(diff).toContain("-one\n+two\n");
  expect(diff).toContain("+++ b/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n");
  expect(diff).toContain("b/picture\nnew file\nBinary file\n");
  expect(diff).toContain("b/link\nnew file\na link, not followed\n");
  expect(diff).not.toContain("root:");
});

test("a worktree whose folder is gone does not hide the others", async () => {
  const { repository, worktree, desk: it } = await desk();
  const other = await createWorktree(repository.place, { agentId: newAgentId() });
  writeFileSync(join(other.path, "new.txt"), "a\n");
  rmSync(worktree.path, { recursive: true });
  const listed = await it.list(session);
  expect(listed.find(({ path }) => path === worktree.path)?.reasons).toEqual(
    expect.arrayContaining([expect.stringContaining("missing: its folder"), expect.stringContaining("unreadable: ")]),
  );
  expect(listed.find(({ path }) => path === other.path)?.files).toEqual([{ path: "new.txt", added: 1, removed: 0 }]);
});

test("lands branches of agents and no others", async () => {
  const { repository, worktree, desk: it } = await desk();
  repository.commit("work", { "new.txt": "new\n" }, worktree.path);
  repository.git("branch", "other");
  await expect(it.land(session, ["other"])).rejects.toMatchObject({ code: "git" });
  await expect(it.land(session, [worktree.branch, "--upload-pack=x"])).rejects.toMatchObject({ code: "git" });
  const report = await it.land(session, [worktree.branch]);
  expect(report).toMatchObject({ target: "main", landed: [{ branch: worktree.branch, commits: 1 }], refused: [] });
  expect(repository.git("log", "-1", "--format=%s", "main")).toBe("work");
});

test("a failed landing gives the reason and what to do", async () => {
  const { repository, worktree, desk: it } = await desk();
  repository.commit("theirs", { "a.txt": "theirs\n" }, worktree.path);
  repository.commit("ours", { "a.txt": "ours\n" });
  const report = await it.land(session, [worktree.branch]);
  expect(report.landed).toEqual([]);
  expect(report.refused).toMatchObject([{ branch: worktree.branch, reason: "conflict" }]);
  expect(report.refused[0]?.message).toMatch(/conflict in a\.txt\. Ask its agent to rebase/);
});

test("knows only worktrees of the session's repository, by name", async () => {
  const { worktree, desk: it } = await desk();
  for (const name of ["../..", worktree.path, "/etc", "none"])
    await expect(it.diff(session, name)).rejects.toMatchObject({ code: "git" });
  await expect(it.list(sessionId(2))).rejects.toMatchObject({ code: "session_not_found" });
});
