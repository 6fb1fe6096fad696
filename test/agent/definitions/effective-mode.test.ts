import { expect, test } from "vitest";
import { effectiveMode } from "../../../src/agent/definitions/index.ts";
import type { PermissionMode } from "../../../src/protocol/index.ts";

const strictFirst: readonly PermissionMode[] = ["plan", "dontAsk", "default", "acceptEdits", "bypassPermissions"];
const rank = (mode: PermissionMode) => strictFirst.indexOf(mode);

test("promise 23: whatever definition, setting and call say, a child never has more than its parent", () => {
  const sayings = [undefined, ...strictFirst];
  for (const parent of strictFirst) {
    for (const definition of sayings) {
      for (const setting of [...sayings, "inherit" as const]) {
        for (const call of sayings) {
          const { mode } = effectiveMode({ parent, definition, setting, call });
          expect(rank(mode)).toBeLessThanOrEqual(rank(parent));
          if (definition) expect(rank(mode)).toBeLessThanOrEqual(rank(definition));
        }
      }
    }
  }
});

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
