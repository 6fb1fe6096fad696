import { expect, test } from "vitest";
import { agent, lead, resultOf, teamSession } from "../../support/team/team-session.ts";
import { mailOf, noticesOf } from "../../support/mail/session-mailbox.ts";
import { alpha, bash, inState, leading, mate, report } from "../../support/team/scripted-team.ts";

test("promise 30: result lists what was done for it, so that a report without evidence is visible", async () => {
  const team = await teamSession({
    answer: lead(
      [{ calls: [agent("a", { name: "honest" }), agent("b", { name: "boaster" })] }, { text: "over" }],
      (ask) =>
        ask.agent === "lead/honest" && ask.turn === 1
          ? {
              calls: [
                { tool: "Write", input: { file_path: "a.txt", content: "x\n" } },
                { tool: "Bash", input: { command: "cat a.txt; exit 4" } },
              ],
            }
          : { text: "All tests pass." },
    ),
  });
  await team.ask("go");
  const honest = resultOf(team, 1).text;
  expect(honest).toMatch(/2 tool calls/);
  expect(honest).toMatch(/a\.txt/);
  expect(honest).toMatch(/exit 4/);
  const boaster = resultOf(team, 2).text;
  expect(boaster).toMatch(/All tests pass\.[\s\S]*(no tool calls|0 tool calls|nothing)/i);
});

test("promise 30: teammate's report lists what was done since its last report", async () => {
  const team = await alpha({
    answer: leading([{ calls: [mate("honest"), mate("boaster")] }, { text: "waiting" }], ({ agent: who, turn }) => {
      if (who === "honest@alpha" && turn === 1)
        return { calls: [{ tool: "Write", input: { file_path: "a.txt", content: "x\n" } }, bash("cat a.txt; exit 4")] };
      return { text: "All tests pass." };
    }),
  });
  await team.ask("go");
  const heard = async (from: string, words: string) => {
    const { event } = await team.until(report(new RegExp(`teammate_id=..${from}..[^]*${words}`)));
    return event.type === "prompt.admitted" && event.parts[0]?.type === "text" ? event.parts[0].text : "";
  };
  const honest = await heard("honest", "All tests pass");
  expect(honest).toMatch(
    /Its last answer:\nAll tests pass\.\nWhat was really done, by the log:\n- 2 turns, 2 tool calls/,
  );
  expect(honest).toMatch(/changed: `a\.txt`/);
  expect(honest).toMatch(/ran, newest first: `cat a\.txt; exit 4` \(exit 4 of its last command, /);
  expect(await heard("boaster", "All tests pass")).toMatch(
    /1 turn, [\d.]+ s, \d+ tokens?, \$[\d.]+\. No tool calls: whatever the report says, no file was read or changed/,
  );

  // In the next run of both; the earlier work was reported before.
  await inState(team, "honest", "idle");
  await team.close();
  const again = await alpha({
    tree: team.tree,
    resume: team.session.id,
    answer: leading([{ text: "heard" }], ({ turn }) =>
      turn === 3 ? { calls: [bash("exit 5")] } : { text: "Still green." },
    ),
  });
  await again.command({ type: "mail.send", to: "honest", text: "and now?" });
  await again.until(report(/Still green/));
  const [, , last] = await noticesOf(await mailOf(team.tree));
  expect(last?.evidence).toMatch(
    /^What was really done since its last report, by the log:\n- 2 turns, 1 tool call \(Bash 1\)/,
  );
  expect(last?.evidence).toMatch(/`exit 5` \(exit 5, /);
  expect(last?.evidence).not.toContain("a.txt");
});
