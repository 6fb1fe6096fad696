import { expect, test } from "vitest";
import { questionText } from "../../../src/view/index.ts";

test.each([
  ["Bash", "Allow $ ls?", "", ""],
  ["Bash", "Allow $ ls? It runs outside the sandbox.", "", "It runs outside the sandbox."],
  ["Bash", "Allow $ ls? It runs inside the sandbox.?", "", ""],
  ["Write", "The hook has doubts. Allow a.txt?", "The hook has doubts.", ""],
  ["AskUserQuestion", "Allow users to sign up?", "Allow users to sign up?", ""],
])("text beyond the request of %s: %s", (tool, question, description, place) => {
  expect(questionText({ tool, question })).toEqual({ description, place });
});
