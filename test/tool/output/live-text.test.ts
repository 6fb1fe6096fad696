import { expect, test } from "vitest";
import { createLiveText } from "../../../src/tool/output/live-text.ts";
import { lead, teamSession } from "../../support/team/team-session.ts";

const key = "correct-horse-battery";

const shown = (chunks: readonly string[], limit = 4096) => {
  const pieces: string[] = [];
  const whenShown: (() => void)[] = [];
  const live = createLiveText(
    (text) => {
      pieces.push(text);
      for (const go of whenShown.splice(0)) go();
    },
    { secrets: [key], everyMs: 1, limit },
  );
  const next = () => new Promise<void>((resolve) => whenShown.push(resolve));
  return { pieces, live, next, addAll: () => chunks.forEach((chunk) => live.add(Buffer.from(chunk))) };
};

test("a known secret split across two pieces is in neither of them", async () => {
  const { pieces, live, next } = shown([]);
  live.add(Buffer.from("before\nthe key is correct-hor"));
  await next();
  live.add(Buffer.from("se-battery\nafter"));
  await next();
  live.flush();
  expect(pieces[0]).toBe("before\n");
  expect(pieces.join("")).toMatch(/^before\nthe key is \[redacted: .*\]\nafter$/);
});

test("cutting a piece to its length leaves no half of a secret", () => {
  const { pieces, live, addAll } = shown([`${key}\n`, "0123456789\n"], 20);
  addAll();
  live.flush();
  expect(pieces).toHaveLength(1);
  expect(pieces.join("")).not.toContain("battery");
});

test("known keys of a session are in no event of a command, live or stored", async () => {
  const command = `printf 'it is correct-horse'; printf -- '-battery\\n'; cat k.txt`;
  const team = await teamSession({
    env: { ANTHROPIC_API_KEY: key },
    files: { "project/k.txt": `${key}\n` },
    answer: lead(
      [
        {
          calls: [
            { tool: "Bash", input: { command } },
            { tool: "Bash", input: { command: "cat k.txt", run_in_background: true } },
          ],
        },
      ],
      () => ({ text: "" }),
    ),
  });
  await team.ask("go");
  await team.quiet();
  const outputs = team.envelopes.filter(({ event }) =>
    ["tool.progress", "background.output", "tool.settled"].includes(event.type),
  );
  expect(outputs.map(({ event }) => event.type)).toEqual(
    expect.arrayContaining(["tool.progress", "background.output", "tool.settled"]),
  );
  expect(JSON.stringify(outputs)).not.toContain("horse");
});
