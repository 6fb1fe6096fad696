import { expect, test } from "vitest";
import { effectiveMode } from "../../../src/agent/definitions/index.ts";
import type { PermissionMode } from "../../../src/protocol/index.ts";
import { followedMode } from "../../../src/session/permissions/followed-mode.ts";

const own: Readonly<Record<string, PermissionMode>> = { reader: "plan", careful: "default" };
const modeOf = (type: string | undefined, parent: PermissionMode) =>
  effectiveMode({ parent, definition: own[type ?? ""] }).mode;
const follow = (member: { mode?: PermissionMode; agentType?: string }, before: PermissionMode, now: PermissionMode) =>
  followedMode(member, { before, now, modeOf });

test("teammate follows a lead that is resumed in a wider mode, up to its own definition", () => {
  expect(follow({ mode: "default", agentType: "fixer" }, "default", "acceptEdits")).toBe("acceptEdits");
  expect(follow({ mode: "default", agentType: "careful" }, "default", "acceptEdits")).toBeUndefined();
  expect(follow({ mode: "plan", agentType: "reader" }, "default", "acceptEdits")).toBeUndefined();
});

test("teammate with another mode than its lead had keeps it", () => {
  expect(follow({ mode: "default", agentType: "fixer" }, "acceptEdits", "bypassPermissions")).toBeUndefined();
  expect(follow({ mode: "acceptEdits", agentType: "fixer" }, "acceptEdits", "default")).toBeUndefined();
  expect(follow({ mode: "default", agentType: "fixer" }, "default", "plan")).toBeUndefined();
});
