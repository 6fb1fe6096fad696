import { expect, test } from "vitest";
import { agrees, alpha, inState, leading, mate, say } from "../../support/team/scripted-team.ts";

test("member reads with its next prompt who joined and left, and is not woken for it", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [mate("ann")] },
        { calls: [mate("bob")] },
        { text: "both work" },
        { calls: [say("ann", "look again")] },
        { text: "waiting" },
        { calls: [say("bob", { type: "shutdown_request" })] },
        { text: "waiting" },
        { text: "bob has ended" },
        { calls: [say("ann", "once more")] },
      ],
      (ask) => agrees(ask) ?? { text: `heard: ${ask.said}` },
    ),
  });
  const saidToAnn = () => team.asked("ann@alpha").map(({ said }) => said);
  await team.ask("go");
  await inState(team, "bob", "idle");
  await expect.poll(() => team.session.backgroundRunning()).toEqual([]);
  for (const prompt of ["again", "end bob", "once more", "and now"]) {
    await team.ask(prompt);
    await expect.poll(() => team.session.backgroundRunning()).toEqual([]);
  }
  expect(saidToAnn()).toEqual([
    expect.stringContaining("work"),
    expect.stringContaining("look again"),
    expect.stringContaining("once more"),
  ]);
  // Its first prompt may be from before the other member joined.
  const notices = saidToAnn().flatMap((said) => said.match(/(?<=<troupe-notice>\n).*the team: .*(?=\n<)/g) ?? []);
  expect(notices).toEqual(["Joined the team: bob (general-purpose).", "Left the team: bob."]);
});
