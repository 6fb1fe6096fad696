import { expect, test } from "vitest";
import { lead, teamSession } from "../../support/team/team-session.ts";

const described = async (forks: boolean, coordinator = false) => {
  const team = await teamSession({ flags: { forks, coordinator }, answer: lead([{ text: "over" }], () => undefined) });
  await team.ask("go");
  return team.asked("lead")[0]?.request.tools.find(({ name }) => name === "Agent")?.description ?? "";
};

test("with forks, the Agent tool says what a fork knows before what other agents do not", async () => {
  const words = await described(true);
  expect(words.indexOf("it knows this whole conversation")).toBeGreaterThan(0);
  expect(words.indexOf("With a subagent_type it has not seen this conversation")).toBeGreaterThan(
    words.indexOf("it knows this whole conversation"),
  );
});

test("without forks, it does not mention them", async () => {
  const words = await described(false);
  expect(words).toContain("It has not seen this conversation");
  expect(words).not.toContain("fork");
});

test("for a coordinator it is a tool that starts workers", async () => {
  const [words = "", listing = ""] = (await described(true, true)).split("\n\nTypes:\n");
  expect(words).toMatchSnapshot();
  expect(listing).toContain("- worker: Carries out one part");
});
