import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { respawn, stop } from "../../../src/cli/team/stop-and-respawn.ts";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createTeam } from "../../../src/team/index.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

test("failed respawn from the shell leaves the member ended", async () => {
  const tree = tempTree({ "home/.troupe/settings.json": {}, "empty/.keep": "" });
  const home = tree.path("home/.troupe");
  const place = { home, clock: systemClock, createId: createIdFactory(systemClock), cwd: tree.root };
  vi.stubEnv("HOME", tree.path("home"));
  vi.stubEnv("TROUPE_HOME", home);
  const team = await createTeam("crew", { ...place, members: ["scout"] });
  onTestFinished(() => team.close());
  await expect(stop("crew", "team-lead", {})).rejects.toThrow(
    "cannot stop or respawn the lead of crew: it starts and ends with its session.",
  );
  await expect(stop("crew", "scot", {})).rejects.toThrow('crew has no member "scot"; members: scout.');
  await team.record.end("scout", { reason: "killed" });
  await expect(respawn("crew", "scout", {})).rejects.toThrow("Cannot respawn scout: it is an external member.");
  await team.record.change("scout", { backendType: "in-process" });
  vi.stubEnv("PATH", tree.path("empty")); // no tmux
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(respawn("crew", "scout", {})).rejects.toThrow(/tmux/);
  const { members } = await team.record.read();
  expect(members.find(({ name }) => name === "scout")?.ended).toBeDefined();
});

test("member stopped from the shell ends only after its tasks are released", async () => {
  const tree = tempTree({ "home/.troupe/settings.json": {} });
  const home = tree.path("home/.troupe");
  vi.stubEnv("HOME", tree.path("home"));
  vi.stubEnv("TROUPE_HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const place = { home, clock: systemClock, createId: createIdFactory(systemClock), cwd: tree.root };
  const team = await createTeam("crew", { ...place, members: ["scout"] });
  onTestFinished(() => team.close());
  await team.tasks.create({ subject: "paint", description: "" }, { name: "team-lead" });
  await team.tasks.claim(1, { name: "scout" });
  const list = tree.path("home/.troupe/teams/crew/tasks.jsonl");
  renameSync(list, `${list}.away`);
  mkdirSync(list);
  await expect(stop("crew", "scout", {})).rejects.toThrow("tasks.jsonl");
  rmdirSync(list);
  renameSync(`${list}.away`, list);
  const ended = async () => (await team.record.read()).members.find(({ name }) => name === "scout")?.ended;
  expect(await ended()).toBeUndefined();
  expect(await stop("crew", "scout", {})).toBe(0);
  expect(await ended()).toMatchObject({ reason: "killed" });
  expect(await team.tasks.get(1)).toMatchObject({ status: "pending" });
});
