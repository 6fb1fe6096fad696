import { expect, test } from "vitest";
import { alpha, bash, leading, mate, report } from "../../support/team/scripted-team.ts";

const line = "npm test; ls";
const agent = (type: string) => ({
  tool: "Agent",
  input: { description: "part", prompt: "do it", subagent_type: type },
});
const refusal =
  /Not run: `npm test` needs permission \(npm is not among the read-only commands\), and no user is (available|connected)[^.]*\. The rest of the line is allowed: run it by itself\. If you cannot do without it, say so in your answer: the user can allow it with --allowedTools "Bash\(npm test\)"\./;

test("promise 37: lead, subagent and teammate read the same refusal, with part, reason, rest and rule", async () => {
  const steps = [
    { calls: [bash(line)] },
    { calls: [agent("general-purpose")] },
    { calls: [mate("scout")] },
    { text: "waiting" },
  ];
  const team = await alpha({
    flags: { permissionMode: "default" },
    more: { asker: "nobody" },
    answer: leading(steps, ({ turn, result }) =>
      turn === 1 ? { calls: [bash(line)] } : { text: `came to: ${result?.text}` },
    ),
  });
  await team.ask("go");
  await team.until(report(/came to: Not run: `npm test` needs permission \(npm is not among the read-only commands\)/));
  const texts = team.envelopes
    .map(({ event }) => event)
    .flatMap((event) =>
      event.type === "tool.settled" ? event.content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
    );
  expect(texts.filter((text) => refusal.test(text)).length).toBeGreaterThanOrEqual(2);
  expect(texts.filter((text) => /another way/.test(text))).toEqual([]);
});

test("promise 37: a type that only reads hears what it may do, and nothing of a plan", async () => {
  const team = await alpha({
    flags: { permissionMode: "acceptEdits" },
    more: { asker: "nobody" },
    answer: leading([{ calls: [agent("reviewer")] }, { text: "done" }], ({ turn, result }) =>
      turn === 1 ? { calls: [bash("npm test")] } : { text: `came to: ${result?.text}` },
    ),
  });
  await team.ask("go");
  const { event } = await team.until((each) => each.type === "tool.settled" && /came to/.test(JSON.stringify(each)));
  const text = JSON.stringify(event);
  expect(text).toContain("`npm test` does more than read (npm is not among the read-only commands)");
  expect(text).toContain("an agent of type reviewer only reads");
  expect(text).not.toMatch(/plan/i);
});
