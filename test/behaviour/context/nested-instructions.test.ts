import { expect, test } from "vitest";
import type { Message } from "../../../src/protocol/index.ts";
import { agent, lead, teamSession, type TeamSession } from "../../support/team/team-session.ts";

const rule = "Files in lib/ begin with the line // lib.";
const files = { "project/lib/AGENTS.md": rule, "project/lib/plain.js": "// lib\n" };
const read = { tool: "Read", input: { file_path: "lib/plain.js" } };
const write = { tool: "Write", input: { file_path: "lib/array.js", content: "x\n" } };

/** The results of calls that have the rule. */
const resultsWithRule = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) =>
    parts.filter((part) => part.type === "tool_result" && JSON.stringify(part.content).includes(rule)),
  );
const lastRequest = (team: TeamSession, path: string | RegExp) => team.asked(path).at(-1)?.request.messages ?? [];

test("every agent that touches a folder receives its instructions, once", async () => {
  const team = await teamSession({
    files,
    answer: lead(
      [
        { calls: [read] },
        { calls: [agent("first", { name: "first" })] },
        { calls: [agent("second", { name: "second" })] },
        { text: "done" },
      ],
      ({ turn }) => (turn <= 2 ? { calls: [read] } : { text: "read" }),
    ),
  });
  await team.ask("go");
  for (const path of ["lead", "lead/first", "lead/second"])
    expect(resultsWithRule(lastRequest(team, path)), path).toHaveLength(1);
});

test("agent that only writes a new file receives the rule with the result, and has to check the file", async () => {
  const team = await teamSession({
    files,
    answer: lead([{ calls: [agent("write", { name: "writer" })] }, { text: "done" }], ({ turn }) =>
      turn === 1 ? { calls: [write] } : { text: "written" },
    ),
  });
  await team.ask("go");
  const [told] = resultsWithRule(lastRequest(team, "lead/writer"));
  expect(JSON.stringify(told)).toContain(`Check ${team.tree.path("project/lib/array.js")} against them now.`);
});

test("fork does not receive again the instructions of its parent", async () => {
  const team = await teamSession({
    files,
    flags: { forks: true },
    answer: lead(
      [
        { calls: [read] },
        { calls: [{ tool: "Agent", input: { description: "d", prompt: "Read it again." } }] },
        { text: "done" },
      ],
      ({ turn }) => (turn === 1 ? { calls: [read] } : { text: "read" }),
    ),
  });
  await team.ask("go");
  await team.quiet();
  expect(resultsWithRule(lastRequest(team, /^lead\/./))).toHaveLength(1);
});

test("agent receives the instructions again after its conversation was compacted", async () => {
  const team = await teamSession({
    files,
    answer: (ask) => {
      if (ask.purpose === "compact") return { text: "We have read lib/plain.js, which was fine." };
      return ask.turn === 1 || ask.turn === 3 ? { calls: [read] } : { text: "read" };
    },
  });
  await team.ask("read");
  expect(await team.command({ type: "compact" })).toEqual({ ok: true });
  await team.ask("read again");
  expect(resultsWithRule(lastRequest(team, "lead"))).toHaveLength(1);
});
