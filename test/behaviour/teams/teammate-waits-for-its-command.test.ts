import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { alpha, mate, statesOf } from "../../support/team/scripted-team.ts";
import { runTeam } from "../../support/team/headless-team.ts";

/** Starts a command that runs until the file `go` exists, then ends its turn. */
const waitsForGo = {
  tool: "Bash",
  input: { command: "until test -e go; do sleep 0.05; done; echo 12 passed", run_in_background: true },
};

test("teammate that ends its turn while its command runs is busy, and the lead hears one result after its end", async () => {
  const wakes: string[] = [];
  const team = await alpha({
    answer: (ask) => {
      if (ask.agent === "lead") {
        if (ask.turn === 1) return { calls: [mate("scout", "run the tests")] };
        wakes.push(ask.said);
        return { text: ask.said.includes("12 passed") ? "all tests pass" : "scout is at work" };
      }
      if (ask.turn === 1) return { calls: [waitsForGo] };
      return {
        text: ask.said.includes("<status>completed</status>") ? "12 passed" : "The tests run. I wait for them.",
      };
    },
  });
  const run = runTeam(team, "go");
  await team.until(
    (event) =>
      event.type === "member.changed" && event.state === "working" && (event.detail ?? "").startsWith("waits for"),
  );
  expect(team.session.backgroundRunning().map(({ description }) => description)).toEqual(["scout"]);
  expect(statesOf(team, "scout")).not.toContain("idle");
  expect(wakes.filter((said) => said.includes("No teammate is working"))).toEqual([]);
  writeFileSync(team.tree.path("project/go"), "");
  const { result } = await run;
  expect(result.result).toBe("all tests pass");
  const idleWakes = wakes.filter((said) => said.includes("No teammate is working"));
  expect(idleWakes).toHaveLength(1);
  expect(idleWakes[0]).toMatch(/scout has ended its turn and waits for background command until test -e go.*, \d+ s\./);
});
