import { expect, test } from "vitest";
import { agent, gate, teamSession } from "../../support/team/team-session.ts";

const short = "---\nname: short\ndescription: Does little.\nmaxTurns: 1\n---\nYou are short.\n";
const tell = (message: string) => ({ tool: "SendMessage", input: { to: "bob", message } });

test("agent that stops at its limit reports the message it has not read", async () => {
  const atWork = gate();
  const told = gate();
  const team = await teamSession({
    files: { "home/.troupe/agents/short.md": short },
    answer: async ({ agent: path, turn }) => {
      if (path !== "lead") {
        atWork.open();
        await told.opened;
        return { calls: [{ tool: "Bash", input: { command: "true" } }] };
      }
      if (turn === 1)
        return { calls: [agent("work", { subagent_type: "short", name: "bob", run_in_background: true })] };
      if (turn === 2) {
        await atWork.opened;
        return { calls: [tell("mind the gap"), tell("and the step")] };
      }
      if (turn === 3) told.open();
      return { text: "ok" };
    },
  });
  await team.ask("go");
  await team.quiet();
  expect(team.asked(/bob/)).toHaveLength(1);
  const report = JSON.stringify(team.all("prompt.admitted", "lead").find(({ source }) => source === "background"));
  expect(report).toContain("reached the limit of 1 turn");
  expect(report).toContain("2 messages were not read");
});
