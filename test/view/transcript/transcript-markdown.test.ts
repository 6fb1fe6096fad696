import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Event } from "../../../src/protocol/index.ts";
import { emptyView, reduceAll, transcriptMarkdown } from "../../../src/view/index.ts";
import {
  callId,
  enclose,
  helper,
  lead,
  opened,
  prompted,
  spawned,
  usage,
} from "../../support/view/sample-envelopes.ts";

const markdownOf = (events: Parameters<typeof enclose>[0]) => transcriptMarkdown(reduceAll(emptyView, enclose(events)));

const answered = (text: string): Event => ({
  type: "turn.ended",
  turn: 1,
  parts: [{ type: "text", text }],
  stopReason: "end_turn",
  contextTokens: 1,
  durationMs: 1,
});
const call = (title: string, result: string): Event[] => [
  { type: "tool.called", turn: 1, callId: callId("c1"), name: "Bash", input: { command: title }, title },
  {
    type: "tool.settled",
    callId: callId("c1"),
    durationMs: 1,
    outcome: "ok",
    content: [{ type: "text", text: result }],
  },
];

test("a whole session", () => {
  const cost: Event = { type: "cost.recorded", purpose: "answer", model: "a/b", usage, costUsd: 0.125 };
  const patch: Event[] = [
    { type: "tool.called", turn: 1, callId: callId("c2"), name: "Edit", input: {}, title: "Edit a.ts" },
    {
      type: "tool.settled",
      callId: callId("c2"),
      durationMs: 1,
      outcome: "ok",
      content: [],
      display: { kind: "diff", path: "a.ts", patch: "-a\n+b\n" },
      savedTo: "/tmp/whole",
    },
  ];
  const compacted: Event = {
    type: "context.compacted",
    trigger: "asked",
    summary: "it went well",
    keptFromTurn: null,
    tokensBefore: 9,
  };
  expect(
    markdownOf([
      opened(),
      spawned(),
      ...prompted(1, "list\nthe files"),
      ...call("$ ls <b>", "a\n```\nb"),
      ...patch,
      cost,
      answered("Two files:\n\n- a\n- b"),
      { type: "notice.raised", level: "warning", code: "slow", message: "a *slow* disk" },
      compacted,
      { type: "agent.idle", reason: "limit", detail: "20 turns" },
      [helper, spawned("lead/helper", lead)],
      [helper, prompted(2, "help")[0]!],
      { type: "session.closed", reason: "completed" },
    ]),
  ).toMatchSnapshot();
});

test.each([
  ["an answer with HTML", "see </details><script>alert(1)</script>"],
  ["an answer with a comment that never ends", "<!-- "],
  ["an answer with an image", "![x](http://evil/?secret)"],
])("%s is shown as source", (_, text) => {
  expect(markdownOf([opened(), answered(text)])).toContain(`\`\`\`markdown\n${text}\n\`\`\``);
});

test("no result can close its fence, whatever it contains", () => {
  const nasty = fc.array(fc.constantFrom("`", "```", "````\n", "\n", "</details>", "\n\n## Cost", "~~~", " ", "x"), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(nasty, (pieces) => {
      const result = pieces.join("");
      const lines = markdownOf([opened(), ...call("x", result)]).split("\n");
      const from = lines.indexOf("Result") + 2;
      const fence = lines[from]!;
      expect(fence).toMatch(/^`{3,}$/);
      const to = lines.findIndex(
        (line, index) => index > from && /^ {0,3}`{3,}\s*$/.test(line) && line.trim().length >= fence.length,
      );
      expect(lines.slice(from + 1, to).join("\n")).toBe(result.replace(/\n$/, ""));
      expect(lines.slice(to + 1, to + 3)).toEqual(["", "</details>"]);
    }),
  );
});

test("titles, names and paths cannot add markup or control the terminal", () => {
  const text = markdownOf([
    opened(),
    { ...spawned(), agentType: "<img src=x>" } as Event,
    ...prompted(1, "\u001b]52;c;AA\u0007"),
    ...call("</summary>\n# Forged \u202e", "\u001b[2J"),
  ]);
  expect(text).not.toMatch(/[\u001b\u0007\u202e]|<img|^# Forged/m); // oxlint-disable-line no-control-regex
  expect(text).toContain("<summary>&lt;/summary&gt;␊# Forged [U+202E] (ok)</summary>");
});

test("a call that was never settled says so, and images are named, not shown", () => {
  const image: Event = {
    type: "prompt.admitted",
    promptId: "prm_00000009" as never,
    source: "user",
    parts: [{ type: "image", mediaType: "image/png", data: "AAAA" }],
  };
  const text = markdownOf([opened(), image, call("sleep", "")[0]!]);
  expect(text).toContain("(not settled)");
  expect(text).toContain("_Image, image/png, 4 characters of base64._");
});
