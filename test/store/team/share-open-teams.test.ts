import { expect, it, onTestFinished } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createFileTeamStore, shareTeams } from "../../../src/store/index.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

const start = () => {
  const ports = { home: temporaryFolder(), clock: systemClock, createId: createIdFactory(systemClock) };
  const teams = shareTeams(createFileTeamStore(ports));
  return { teams, another: createFileTeamStore(ports) };
};

it("opening an open team returns the same one, open until the last user closes it", async () => {
  const { teams } = start();
  const first = await teams.create({ name: "alpha", cwd: "/" });
  const second = await teams.open("alpha");
  expect(second.record).toBe(first.record);
  await first.close();
  await first.close(); // closing twice does nothing
  expect((await second.record.read()).name).toBe("alpha");
  await second.close();
  await expect(second.record.read()).rejects.toThrow("closed");
  const anew = await teams.open("alpha");
  expect(anew.record).not.toBe(first.record);
  expect((await anew.record.read()).name).toBe("alpha");
  await anew.close();
});

it("a failed open is tried again", async () => {
  const { teams, another } = start();
  await expect(teams.open("alpha")).rejects.toMatchObject({ code: "team" });
  await (await another.create({ name: "alpha", cwd: "/" })).close();
  const opened = await teams.open("alpha");
  onTestFinished(() => opened.close());
  expect(opened.name).toBe("alpha");
});

it("presence of others is seen as soon as it is published", async () => {
  const { teams, another } = start();
  const own = await teams.create({ name: "alpha", cwd: "/" });
  const other = await another.open("alpha");
  onTestFinished(async () => {
    await own.close();
    await other.close();
  });
  const scout = await (await teams.open("alpha")).presence.announce("scout", "starting");
  await scout.set("working", "at it");
  for (const team of [own, other])
    expect(await team.presence.look("scout")).toMatchObject({ state: "working", detail: "at it", alive: "alive" });
});
