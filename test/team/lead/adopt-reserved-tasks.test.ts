import { expect, test } from "vitest";
import { heldBackend, ledTeam, wishFor } from "../../support/team/led-team.ts";

const lead = { name: "team-lead" };

test("a member gets the tasks that were reserved for its name in another case", async () => {
  const { team, stored } = await ledTeam({ backend: heldBackend({}) });
  await stored.tasks.create({ subject: "test it", description: "", owner: "tester" }, lead);
  await stored.tasks.create({ subject: "read it", description: "", owner: "reader" }, lead);
  const { notices } = await team.spawn(wishFor("Tester", "call_1"));
  expect(notices).toEqual(["Task #1 was reserved for tester and is Tester's now."]);
  expect((await stored.tasks.list()).map(({ owner }) => owner)).toEqual(["Tester", "reader"]);
  await team.stop("Tester", { now: true });
});

test("the lead's commands find a member whatever the case of its name", async () => {
  const backend = heldBackend({});
  const { team, stored } = await ledTeam({ backend });
  await team.spawn(wishFor("Tester", "call_1"));
  await team.setMode("tester", "plan");
  expect(stored.record.current().members.find(({ name }) => name === "Tester")?.mode).toBe("plan");
  await team.stop("TESTER", { now: true });
  expect(backend.there).toEqual(new Set());
});
