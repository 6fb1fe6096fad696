import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { buildProgram } from "../../support/processes/build-program.ts";
import { testRepository } from "../../support/git/test-repository.ts";
import { isSoak } from "../../support/setup/soak-rounds.ts";

/** WORKTREE_ROUNDS=10 runs ten rounds. */
const rounds = Number(process.env["WORKTREE_ROUNDS"] ?? 1);
const processes = 4;
const each = isSoak ? 8 : 3;

/** Fetch, gc and prune by an unrelated process, repeated until it is stopped. */
const beside = (repo: string, stop: string) => `
cd ${repo}
while [ ! -e ${stop} ]; do
  git -c protocol.file.allow=always fetch -q origin || true
  git gc -q --prune=now || true
  git worktree prune || true
  git pack-refs --all || true
  sleep 0.05
done`;

it(`${processes * each} concurrent worktrees, with fetch, gc and prune, ${rounds} round(s): none fails or is left`, async () => {
  const repo = testRepository();
  const remote = join(repo.root, "remote.git");
  repo.git("clone", "-q", "--bare", ".", remote);
  repo.git("remote", "add", "origin", remote);
  repo.git("fetch", "-q", "origin");
  const program = await buildProgram("create-many-worktrees.ts");
  const stop = join(repo.root, "stop");
  const noise = spawn("sh", ["-c", beside(repo.repo, stop)], { stdio: "ignore" });
  const children: ChildProcess[] = [];
  onTestFinished(() => {
    for (const child of children) child.kill("SIGKILL");
    noise.kill("SIGKILL");
    program.remove();
  });
  const env = { PATH: process.env["PATH"] ?? "" };
  for (let round = 0; round < rounds; round++) {
    const workers = Array.from({ length: processes }, () => {
      const args = [program.path, repo.repo, repo.place.home, "origin/main", String(each)];
      const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
      children.push(child);
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    });
    const next = async ({ lines }: (typeof workers)[number]) =>
      JSON.parse(String((await lines.next()).value)) as unknown;
    const made = (await Promise.all(workers.map(next))) as { failures: string[]; ports: string[] }[];
    expect(made.flatMap(({ failures }) => failures)).toEqual([]);
    expect(new Set(made.flatMap(({ ports }) => ports)).size, "no two worktrees share a block of ports").toBe(
      processes * each,
    );
    expect(repo.traces().worktrees).toBe(1 + processes * each);
    const exits = workers.map(({ child }) => once(child, "exit"));
    for (const { child } of workers) child.stdin.write("go\n");
    const finished = (await Promise.all(workers.map(next))).flat();
    expect(finished).toEqual(Array.from({ length: processes * each }, () => "removed"));
    await Promise.all(exits);
  }
  const quiet = once(noise, "exit");
  writeFileSync(stop, "");
  await quiet;
  expect(repo.traces()).toEqual({ branches: ["main"], worktrees: 1, rescue: [] });
  expect(existsSync(`${repo.repo}.troupe`)).toBe(false);
  const admin = join(repo.repo, ".git/worktrees");
  if (existsSync(admin)) expect(readdirSync(admin)).toEqual([]);
  expect(repo.git("config", "--local", "--list")).not.toContain("branch.");
  expect(repo.git("fsck", "--strict", "--no-dangling")).toBe("");
}, 600_000);
