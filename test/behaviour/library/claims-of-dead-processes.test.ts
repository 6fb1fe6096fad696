import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTeam, type LibraryTeam, openTeam } from "../../../src/index.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const program = resolve(import.meta.dirname, "../../support/programs/claim-and-wait.mjs");

async function kitchen(): Promise<{ team: LibraryTeam; home: string; cook: ChildProcess }> {
  const home = tempTree({}).path("home");
  const team = await createTeam("kitchen", { home, members: ["cook", "waiter"] });
  onTestFinished(() => team.close());
  await team.tasks.create({ subject: "soup", description: "for table 7" }, { name: "waiter" });
  const cook = spawn(process.execPath, [program, "kitchen", home, "cook"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void cook.kill("SIGKILL"));
  const [said] = (await once(cook.stdout, "data")) as [Buffer];
  expect(said.toString()).toBe("true\n");
  return { team, home, cook };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

test("a claim of a living process stays, and that of a killed one is released", async () => {
  const { team, cook } = await kitchen();
  expect(await team.tasks.claim(1, { name: "waiter" })).toMatchObject({ ok: false, reason: "taken" });
  await kill(cook);
  expect(await team.tasks.claim(1, { name: "waiter" })).toMatchObject({ ok: true, item: { owner: "waiter" } });
});

test("a follower sees the release of a task whose process was killed", async () => {
  const { team, cook } = await kitchen();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const changes = team.tasks.follow(stop.signal)[Symbol.asyncIterator]();
  const next = changes.next();
  await kill(cook);
  expect((await next).value).toMatchObject({ what: "released", why: "its process has ended" });
});

test("a program can keep its claims", async () => {
  const home = tempTree({}).path("home");
  const team = await createTeam("kitchen", { home, members: ["cook"], keepClaims: true });
  await team.tasks.create({ subject: "soup", description: "d" }, { name: "cook" });
  await team.tasks.claim(1, { name: "cook" });
  await team.close();
  await using again = await openTeam("kitchen", { home });
  const owners: unknown[] = [];
  await again.tasks.releaseGone(async ({ holder }) => void owners.push(holder));
  expect(owners).toEqual([undefined]);
});
