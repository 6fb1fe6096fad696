import { expect, test } from "vitest";
import { effectiveMode } from "../../../src/agent/definitions/index.ts";

test.each([
  ["nothing said", { parent: "acceptEdits" }, { mode: "acceptEdits", from: "parent" }],
  ["the setting says inherit", { parent: "acceptEdits", setting: "inherit" }, { mode: "acceptEdits", from: "parent" }],
  ["the setting", { parent: "bypassPermissions", setting: "acceptEdits" }, { mode: "acceptEdits", from: "setting" }],
  [
    "the definition before the setting",
    { parent: "bypassPermissions", definition: "acceptEdits", setting: "plan" },
    { mode: "acceptEdits", from: "definition" },
  ],
  ["the definition", { parent: "default", definition: "plan" }, { mode: "plan", from: "definition" }],
  [
    "a definition that wants more",
    { parent: "plan", definition: "bypassPermissions" },
    { mode: "plan", from: "parent", refused: "bypassPermissions" },
  ],
  [
    "a setting that wants more",
    { parent: "default", setting: "acceptEdits" },
    { mode: "default", from: "parent", refused: "acceptEdits" },
  ],
  ["a call", { parent: "acceptEdits", call: "plan" }, { mode: "plan", from: "call" }],
  [
    "a call that wants more than the definition",
    { parent: "bypassPermissions", definition: "plan", call: "acceptEdits" },
    { mode: "plan", from: "definition" },
  ],
  ["a child of a fork", { parent: "bubble" }, { mode: "bubble", from: "parent" }],
  [
    "a child of a fork that wants more",
    { parent: "bubble", definition: "acceptEdits" },
    { mode: "bubble", from: "parent", refused: "acceptEdits" },
  ],
] as const)("%s", (_what, request, expected) => {
  expect(effectiveMode(request)).toEqual(expected);
});
