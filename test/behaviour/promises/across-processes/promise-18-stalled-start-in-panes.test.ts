import { expect, test } from "vitest";
import { isIn, teamWorkplace } from "../../../support/cli/team-workplace.ts";
import { isRunning } from "../../../support/team/scripted-team.ts";

const script = `
// A teammate never gets to its first turn.
if (process.argv.includes("teammate")) await new Promise(() => setInterval(() => undefined, 60_000));
export default (ask) => {
  if (ask.agent !== "lead") return { text: "done" };
  return ask.turn > 1 ? { text: "waiting" } : { calls: [{ tool: "Agent", input: { description: "d", prompt: "look", name: "scout" } }] };
};`;

test("promise 18: teammate in a pane that never starts is ended after the configured time", async () => {
  const place = teamWorkplace(script, { teams: { backend: "tmux" }, watchdog: { startMs: 2000 } });
  const lead = place.lead();
  lead.send({ type: "prompt", content: "go" });
  await lead.until(isIn("scout", "starting"));
  const why = "it was started but did not begin within 2 s";
  await lead.until((event) => event.type === "notice.raised" && event.message.includes(`scout is gone: ${why}`));
  for (const pid of Object.entries(place.pids()).flatMap(([name, each]) => (name === "scout" ? [each] : [])))
    await expect.poll(() => isRunning(pid)).toBe(false);
  expect(await place.members()).toMatchObject([{ name: "scout", ended: { reason: "lost", detail: why } }]);
  lead.end();
  await lead.done;
  await place.nobodyLeft();
});
