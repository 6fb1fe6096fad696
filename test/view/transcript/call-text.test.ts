import { expect, test } from "vitest";
import { type CallItem, callNote } from "../../../src/view/index.ts";
import { callId } from "../../support/view/sample-envelopes.ts";

const failed = (name: string, text: string): CallItem => ({
  kind: "call",
  seq: 1,
  at: "",
  turn: 1,
  callId: callId("c1"),
  name,
  title: name,
  input: {},
  state: "failed",
  result: { content: [{ type: "text", text }], durationMs: 1, display: undefined, savedTo: undefined },
  progress: "",
});

test.each([
  ["Bash", "Not run: this line only waits. If you wait for mail, end your turn.", "Not run: this line only waits"],
  ["ExitPlanMode", "You are not in plan mode. Continue with the task.", "You are not in plan mode"],
  [
    "TeamCreate",
    "No team was created: you lead alpha. Use it: start teammates.",
    "No team was created: you lead alpha",
  ],
  ["Bash", "ls: no such file. Really.\n[Exit code 2]", undefined],
  ["mcp__a__b", "It failed. Try again.", undefined],
])("the failure of %s without the advice for the model", (name, text, note) => {
  expect(callNote(failed(name, text))).toBe(note);
});
