import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Envelope } from "../../../../src/protocol/index.ts";
import { settled, teamWorkplace } from "../../../support/cli/team-workplace.ts";
import { report } from "../../../support/team/scripted-team.ts";

const asks = `
export default (ask) => {
  if (ask.agent === "lead") return ask.turn === 1 ? { calls: [{ tool: "Agent", input: { description: "d", prompt: "look", name: "scout" } }] } : { text: "waiting" };
  return ask.turn === 1 ? { calls: [{ tool: "Bash", input: { command: "touch allowed" } }] } : { text: "came to: " + ask.result?.isError };
};`;

test("promise 21: question pending when the lead is killed is asked again after its resume", async () => {
  const place = teamWorkplace(asks);
  const first = place.lead({ mode: "default" });
  first.send({ type: "prompt", content: "go" });
  const id = await first.session();
  const isAsked = (event: Envelope["event"]) => event.type === "permission.asked" && event.member?.name === "scout";
  const asked = await first.until(isAsked);
  const { scout } = place.pids();
  first.child.kill("SIGKILL");
  await first.done;
  const second = place.lead({ resume: id, mode: "default" });
  const again = await second.until(isAsked);
  if (again.event.type !== "permission.asked" || asked.event.type !== "permission.asked")
    throw new Error("no question");
  expect(again.event.requestId).toBe(asked.event.requestId);
  const reply = { type: "permission.reply", requestId: again.event.requestId };
  second.send({ ...reply, answer: { behavior: "allow" } });
  second.send({ ...reply, answer: { behavior: "deny" }, id: "late" });
  expect((await second.until(settled("late"))).event).toMatchObject({ ok: false });
  await second.until(report(/came to: false/));
  expect(existsSync(join(place.cwd, "allowed"))).toBe(true);
  expect(place.pids()["scout"]).toBe(scout);
  second.end();
  await second.done;
  await place.nobodyLeft();
});
