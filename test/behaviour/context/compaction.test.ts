import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Ask } from "../../../src/testing.ts";
import { alpha, bash, leading, mate, memberLog, report } from "../../support/team/scripted-team.ts";
import { agent, lead, teamSession, textOf, type TeamSession } from "../../support/team/team-session.ts";

const rule = "Files in lib/ begin with the line // lib.";
const skill = "---\nname: changelog\ndescription: How to write CHANGES.md\n---\nEvery entry ends with the word DONE.\n";
const files = {
  "project/lib/AGENTS.md": rule,
  "project/lib/plain.js": "// lib\n",
  "project/.troupe/skills/changelog/SKILL.md": skill,
};
/** Says nothing of the rule, the skill or the task. */
const summary = "I have looked at the files of the project and begun with the work that was asked for.";
const read = { tool: "Read", input: { file_path: "lib/plain.js" } };
const write = (file_path: string, content: string) => ({ tool: "Write", input: { file_path, content } });
const lastRequest = (team: TeamSession, path: string) => textOf(team.asked(path).at(-1)?.request.messages ?? []);

test("after a compaction the model still has the user's words, the loaded skill and the folder's rule", async () => {
  const words = 'Add lib/array.js. Never use the word "foo", and note it in CHANGES.md.';
  /** Follows only what its request shows. */
  const work = ({ request }: Ask) => {
    const shown = textOf(request.messages);
    return [
      write("lib/array.js", shown.includes(rule) ? "// lib\n" : "broken\n"),
      write(
        "CHANGES.md",
        shown.includes("ends with the word DONE") && shown.includes("CHANGES.md") ? "DONE\n" : "no\n",
      ),
    ];
  };
  const team = await teamSession({
    files,
    answer: (ask) => {
      if (ask.purpose === "compact") return { text: summary };
      if (ask.turn === 1) return { calls: [read, { tool: "Skill", input: { skill: "changelog" } }] };
      return ask.turn === 3 ? { calls: work(ask) } : { text: "ready" };
    },
  });
  await team.ask(words);
  expect(await team.command({ type: "compact" })).toEqual({ ok: true });
  await team.ask("Go on.");
  expect(readFileSync(team.tree.path("project/lib/array.js"), "utf8")).toBe("// lib\n");
  expect(readFileSync(team.tree.path("project/CHANGES.md"), "utf8")).toBe("DONE\n");
  const [compacted] = team.all("context.compacted");
  expect(compacted?.kept).toContain(`The user:\n${words}`);
  expect(compacted?.summary.startsWith(`${summary}\n\n`)).toBe(true);

  expect(await team.command({ type: "compact" })).toEqual({ ok: true });
  await team.ask("And now?");
  const shown = lastRequest(team, "lead");
  for (const kept of [JSON.stringify(words).slice(1, -1), rule, "ends with the word DONE", "Go on."])
    expect(shown).toContain(kept);
});

test("subagent keeps the prompt that started it, and later messages of its parent", async () => {
  const filling = { calls: [bash("head -c 20000 /dev/zero | tr '\\0' y")] };
  const team = await teamSession({
    settings: { compaction: { atTokens: 12_000 } },
    answer: lead(
      [{ calls: [agent("Count the letters, but never the vowels.", { name: "counter" })] }, { text: "done" }],
      (ask) => {
        if (ask.purpose === "compact")
          return { text: `${summary} ${"I counted some letters of the output. ".repeat(6)}` };
        return ask.turn < 5 ? filling : { text: "counted" };
      },
    ),
  });
  await team.ask("go");
  expect(team.all("context.compacted", "lead/counter").length).toBeGreaterThan(0);
  expect(lastRequest(team, "lead/counter")).toContain(
    "The agent that started you:\\nCount the letters, but never the vowels.",
  );
});

test("teammate keeps the mail of its lead, and no mail of other members", async () => {
  const filling = { calls: [bash("head -c 20000 /dev/zero | tr '\\0' y")] };
  const steps = leading(
    [{ calls: [mate("scout", "Find the key, but open no door.")] }, { text: "waiting" }],
    ({ turn }) => (turn < 6 ? filling : { text: "came through" }),
  );
  const team = await alpha({
    settings: { compaction: { atTokens: 12_000 } },
    answer: (ask) =>
      ask.purpose === "compact" ? { text: `${summary} ${"I looked for it in many rooms. ".repeat(6)}` } : steps(ask),
  });
  await team.ask("go");
  await team.until(report(/came through/));
  const [compacted] = (await memberLog(team.tree, "scout")).filter((event) => event.type === "context.compacted");
  expect(compacted?.kept).toContain("Find the key, but open no door.");
});
