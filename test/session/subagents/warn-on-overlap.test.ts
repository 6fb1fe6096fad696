import { expect, test } from "vitest";
import { agent, lead, teamSession, textOf } from "../../support/team/team-session.ts";

test("two working agents change one file: the second, the lead and the user get a notice", async () => {
  const team = await teamSession({
    answer: lead(
      [{ calls: [agent("work", { name: "a" }), agent("work", { name: "b" })] }, { text: "over" }],
      async (ask) => {
        const path = `${team.cwd}/shared.txt`;
        const write = { tool: "Write", input: { file_path: path, content: `by ${ask.agent}\n` } };
        if (ask.agent === "lead/a") {
          if (ask.turn === 1) return { calls: [write] };
          await team.until((event) => event.type === "notice.raised" && event.code === "overlap");
          return { text: "a is done" };
        }
        if (ask.turn > 1) return { text: "b is done" };
        await team.until((event) => event.type === "tool.settled");
        return { calls: [{ tool: "Read", input: { file_path: path } }, write] };
      },
    ),
  });
  await team.ask("go");
  const told = (path: string) => textOf(team.asked(path).at(-1)?.request.messages ?? []);
  expect(told("lead/b")).toMatch(/lead\/a, working at the same time, has also changed/);
  expect(told("lead/a")).not.toContain("at the same time");
  const lead1 = team.all("prompt.admitted", "lead").filter(({ source }) => source === "hook");
  expect(JSON.stringify(lead1)).toMatch(/lead\/b has changed .*shared\.txt.*which lead\/a/);
  expect(team.all("notice.raised").filter(({ code }) => code === "overlap")).toHaveLength(1);
});
