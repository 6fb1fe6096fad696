import { join } from "node:path";
import { expect, test } from "vitest";
import { isRunning } from "../../support/team/scripted-team.ts";
import { isIn, teamWorkplace } from "../../support/cli/team-workplace.ts";
import { openTerminal } from "../../support/terminal/open-terminal.ts";

const script = `
export default (ask) => {
  if (ask.agent === "lead") return ask.turn > 1 ? { text: "waiting" } : { calls: [{ tool: "Agent", input: { description: "d", prompt: "look", name: "scout" } }] };
  return { text: ask.agent + (ask.said.includes("and now?") ? " has heard the second" : " has heard the first") };
};`;

test("resuming a teammate's session in a terminal opens that teammate with its team and mail", async () => {
  const place = teamWorkplace(script);
  const env = { TMUX_TMPDIR: join(place.home, "tmux") };
  const lead = place.lead();
  lead.send({ type: "prompt", content: "go" });
  await lead.until(isIn("scout", "idle"));
  lead.end();
  await lead.done;
  await place.nobodyLeft();
  const scout = (await place.members())[0]?.sessionId ?? "";
  const refused = await place.run(["-p", "hi", "--resume", scout], { env });
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain("it belongs to teammate scout of team alpha");

  const { see, press } = openTerminal(place, ["--resume", scout], { columns: 110, rows: 30, env });
  await see("scout@alpha has heard the first");
  const { presence } = await place.files();
  await expect.poll(async () => (await presence.look("scout"))?.state).toBe("idle");
  expect((await place.run(["team", "send", "alpha", "scout", "and", "now?"], { env })).code).toBe(0);
  await see("scout@alpha has heard the second");
  const pid = place.pids()["scout"] ?? 0;
  press("C-d");
  await expect.poll(() => isRunning(pid)).toBe(false);
  expect(await place.members()).toMatchObject([{ name: "scout" }]);
  expect((await place.members())[0]?.ended).toBeUndefined();
});
