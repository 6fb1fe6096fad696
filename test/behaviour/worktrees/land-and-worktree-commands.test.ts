import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";
import { until } from "../../support/processes/live-processes.ts";

function repository(): Workplace & { git(...args: string[]): string } {
  const place = workplace();
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", place.cwd, ...identity, ...args], { encoding: "utf8" }).trim();
  git("init", "-q", "-b", "main");
  place.write("a.txt", "one\n");
  git("add", ".");
  git("commit", "-qm", "first");
  for (const name of ["good", "bad", "clash"]) {
    git("checkout", "-qb", name, "main");
    place.write(name === "clash" ? "a.txt" : `${name}.txt`, `${name}\n`);
    git("add", ".");
    git("commit", "-qm", `work of ${name}`);
  }
  git("checkout", "-q", "main");
  place.write("a.txt", "two\n");
  git("commit", "-qam", "a is two now");
  return { ...place, git };
}

it("troupe land: lands good branches and says why the others are not landed", async () => {
  const { run, git, cwd } = repository();
  const dry = await run(["land", "good", "clash", "--dry-run"]);
  expect(dry.stdout).toMatch(/✓ good: would land on main/);
  expect(dry.stdout).toMatch(/✗ clash: not landed, conflict in a\.txt/);
  const check = "! test -f bad.txt || { echo no bad here; false; }";
  const landed = await run(["land", "good", "bad", "clash", "--check", check]);
  expect(landed.stderr).toBe("");
  expect(landed.code).toBe(1);
  expect(landed.stdout).toMatch(/✓ good: landed on main \(1 commit\)/);
  expect(landed.stdout).toMatch(/✗ bad: not landed, the check fails with it \(exit code 1\)\n {2}no bad here/);
  expect(landed.stdout).toMatch(/target: \w+ a is two now\n {2}branch: \w+ work of clash/);
  expect(git("log", "--format=%s")).toBe("work of good\na is two now\nfirst");
  expect(existsSync(join(cwd, "good.txt"))).toBe(true);
  const again = await run(["land", "good", "--json"]);
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({ landed: [], refused: [{ branch: "good", reason: "nothing new" }] });
  expect((await run(["land", "--continue"])).stdout).toBe("there is no interrupted landing\n");
});

it("troupe land and troupe worktree: bad input prints one line and exits with code 2", async () => {
  const { run, write } = repository();
  const said = async (...args: string[]) => {
    const { code, stderr, stdout } = await run(args);
    expect([code, stdout]).toEqual([2, ""]);
    return stderr;
  };
  expect(await said("land")).toMatch(/no branches given\./);
  expect(await said("land", "goood")).toMatch(/branch goood does not exist; did you mean good\?/);
  expect(await said("land", "--abort", "good")).toMatch(/take no branch/);
  expect(await said("land", "--agent")).toMatch(/no branches given\./);
  expect(await said("land", "--agent", "Explore")).toMatch(/no branches given\./);
  expect(await said("land", "--agent", "goood")).toMatch(/branch goood does not exist; did you mean good\?/);
  write("good.txt", "mine\n");
  expect(await said("land", "good")).toMatch(/untracked files are in the way \(good\.txt\).* Rename or remove them/);
  const outside = workplace();
  expect((await outside.run(["worktree", "list"])).stderr).toMatch(/is not in a git repository/);
});

it("troupe worktree list and prune", async () => {
  const { run, git, cwd } = repository();
  expect((await run(["worktree"])).stdout).toBe("there are no worktrees of agents\n");
  git("worktree", "add", "-q", "-b", "troupe/agent-other", join(cwd, "../other"));
  expect((await run(["worktree", "list"])).stdout).toMatch(/^troupe\/agent-other {2}foreign\n/);
  const listed = await run(["worktree", "list", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject({ state: "foreign", branch: "troupe/agent-other" });
  expect((await run(["worktree", "prune", "--dry-run"])).stdout).toBe("there are no worktrees of agents\n");
});

it("troupe land: killed during a check, then continued", async () => {
  const { start, run, git, cwd, home } = repository();
  const started = join(home, "started");
  const landing = start(["land", "good", "bad", "--check", `echo $$ > ${started}; exec sleep 600`], { input: "" });
  await until("the check runs", () => existsSync(started) && readFileSync(started, "utf8") !== "");
  const pid = Number(readFileSync(started, "utf8"));
  landing.child.kill("SIGKILL");
  await landing.done;
  await until("the check has ended with it", () => !existsSync(`/proc/${pid}`));
  expect(git("log", "-1", "--format=%s")).toBe("a is two now");
  const went = await run(["land", "--continue", "--check", "true"]);
  expect([went.code, went.stderr]).toEqual([0, ""]);
  expect(went.stdout).toMatch(/✓ good: landed.*✓ bad: landed/s);
  expect(git("log", "-3", "--format=%s")).toBe("work of bad\nwork of good\na is two now");
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
  expect(existsSync(`${cwd}.troupe`)).toBe(false);
});
