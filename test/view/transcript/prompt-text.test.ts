import { expect, test } from "vitest";
import { mailIn, notificationText } from "../../../src/view/index.ts";
import { partsForPeople } from "../../../src/view/transcript/prompt-text.ts";

test("notice of the runtime is shown without the tags for models", () => {
  const task = '<task id="2" from="team-lead" subject="Fix &quot;it&quot;">\nAll of it.\n</task>';
  expect(notificationText(`<troupe-notice>\nThe task below is yours.\n</troupe-notice>\n${task}`)).toBe(
    'Task #2: Fix "it"\nAll of it.',
  );
});

test("notification of a job is shown as its summary and result", () => {
  const note = "<task-notification>\n<summary>npm test</summary>\n<result>3 &lt; 4</result>\n</task-notification>";
  expect(notificationText(note)).toBe("npm test\n3 < 4");
});

test("mail is shown with its sender, without its tag", () => {
  const mail = '<teammate-message teammate_id="scout" color="red">\nDone.\n</teammate-message>';
  expect(mailIn(mail)).toEqual({ from: "scout", words: "Done.", color: "red" });
  expect(mailIn("plain")).toMatchObject({ from: "unknown", words: "plain" });
});

test("prompt in plan mode is shown without the rules for the model", () => {
  const typed = { type: "text" as const, text: "plan it" };
  const rules = { type: "text" as const, text: "<plan-mode>\nPlan mode is on.\n</plan-mode>" };
  expect(partsForPeople([typed, rules])).toEqual([typed]);
  expect(partsForPeople([rules])).toEqual([rules]);
});

test("prompt with attached files is shown as it was typed", () => {
  const typed = { type: "text" as const, text: "look at @a.md" };
  const file = { type: "text" as const, text: '<file path="a.md">\nall of it\n</file>' };
  expect(partsForPeople([typed, file])).toEqual([typed]);
  expect(partsForPeople([file])).toEqual([file]);
});
