import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { maxIdleInMemory } from "../../../src/team/subagents/idle-cache.ts";
import { until } from "../../support/processes/live-processes.ts";
import { agent, lead, resultOf, teamSession, textOf } from "../../support/team/team-session.ts";
import { testRepository } from "../../support/git/test-repository.ts";

const openLogs = () =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(join("/proc/self/fd", fd)).includes("/subagents/");
    } catch {
      return false; // closed after the folder was read
    }
  }).length;

const many = Array.from({ length: 60 }, (_, index) => `a${index}`);

test.runIf(process.platform === "linux")(
  "few logs stay open after many agents have finished; the oldest resumes from its log",
  async () => {
    const team = await teamSession({
      stored: true,
      answer: lead(
        [
          ...many.map((name) => ({ calls: [agent(`my name is ${name}`, { name })] })),
          { calls: [{ tool: "SendMessage", input: { to: "a0", message: "who are you?" } }] },
          { text: "over" },
        ],
        (ask) => ({ text: ask.turn === 1 ? `I am ${ask.said}` : `still ${ask.agent}` }),
      ),
    });
    await team.session.ask("go");
    await team.quiet();
    await until("few logs are open", () => openLogs() <= maxIdleInMemory);
    const again = team.asked("lead/a0").at(-1)?.request;
    expect(textOf(again?.messages ?? [])).toMatch(/my name is a0.*I am my name is a0.*who are you\?/);
    // The same bytes as before, so that the provider's cache matches.
    expect(again?.tools).toEqual(team.asked("lead/a0")[0]?.request.tools);
    expect(again?.system).toEqual(team.asked("lead/a0")[0]?.request.system);
    const told = team.all("prompt.admitted", "lead").filter(({ source }) => source === "background");
    expect(JSON.stringify(told)).toMatch(/still lead\/a0.*2 turns/);
  },
);

test("an agent that left its worktree unchanged gets a new one; one that worked continues in its own", async () => {
  const { repo } = testRepository();
  const fillers = Array.from({ length: maxIdleInMemory + 2 }, (_, index) => agent("nothing", { name: `f${index}` }));
  const bash = (command: string) => ({ tool: "Bash", input: { command } });
  const team = await teamSession({
    cwd: repo,
    stored: true,
    answer: lead(
      [
        {
          calls: [
            agent("look", { name: "looks", isolation: "worktree" }),
            agent("write", { name: "writes", isolation: "worktree" }),
          ],
        },
        { calls: fillers },
        ...["looks", "writes"].map((to) => ({ calls: [{ tool: "SendMessage", input: { to, message: "again" } }] })),
        { text: "over" },
      ],
      (ask) => {
        if (ask.result) return { text: `done: ${ask.result.text}` };
        if (ask.agent === "lead/looks") return { text: "", calls: [bash("ls; pwd")] };
        if (ask.agent === "lead/writes") return { text: "", calls: [bash("echo line >> new.txt; cat new.txt")] };
        return { text: "nothing done" };
      },
    ),
  });
  await team.session.ask("go");
  await team.quiet();
  expect(resultOf(team, 1).text).toMatch(/It changed nothing, and its worktree was removed\./);
  const news = JSON.stringify(team.all("prompt.admitted", "lead").filter(({ source }) => source === "background"));
  expect(news).toMatch(/done: line\\\\nline|done: line\\nline/);
  expect(news).toMatch(/done: a\.txt/);
  expect(news).not.toMatch(/<status>failed/);
});
