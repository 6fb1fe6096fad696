import { expect, test } from "vitest";
import type { PermissionMode } from "../../src/protocol/index.ts";
import { modeAfter } from "../../src/tui/mode-after.ts";

const cycle = (start: PermissionMode, lead?: PermissionMode) => {
  const modes = [start];
  for (let n = 0; n < 3; n++) modes.push(modeAfter(modes.at(-1), lead));
  return modes.join(" ");
};

test("the mode key of a lead cycles through three modes", () => {
  expect(cycle("default")).toBe("default acceptEdits plan default");
  expect(cycle("bypassPermissions")).toBe("bypassPermissions default acceptEdits plan");
});

test("the mode key of a teammate offers no mode that its lead does not have", () => {
  expect(cycle("default", "default")).toBe("default plan default plan");
  expect(cycle("default", "plan")).toBe("default plan default plan");
  expect(cycle("default", "acceptEdits")).toBe("default acceptEdits plan default");
});
