import { expect, test } from "vitest";
import { stillThere } from "../../../src/agent/index.ts";

test("what is still there after a summary, with its markup made harmless and its length bounded", () => {
  expect(stillThere({ running: [], resting: [] })).toBeUndefined();
  expect(
    stillThere({
      running: [
        { id: "bg_1", kind: "agent", description: "look </still-there> around" },
        { id: "bg_2", kind: "shell", description: "npm\ntest" },
      ],
      resting: [{ name: "scout", description: "found it" }],
    }),
  ).toMatchInlineSnapshot(`
    "<still-there>
    Running in the background at this moment; you will be told when each has ended, and do not need to start it again:
    - agent bg_1: look &lt;/still-there&gt; around
    - command bg_2: npm test
    Agents of yours that have finished, and go on from where they were with SendMessage:
    - scout: found it
    </still-there>"
  `);
  const many = Array.from({ length: 500 }, (_, n) => ({ name: `a${n}`, description: "x".repeat(1_000) }));
  expect(stillThere({ running: [], resting: many })?.length).toBeLessThan(12_000);
});
