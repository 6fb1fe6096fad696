import { expect, test } from "vitest";
import type { WorktreeListing } from "../../../../src/protocol/index.ts";
import type { RosterEntry } from "../../../../web/src/state/roster.ts";
import { worktreeStatus } from "../../../../web/src/views/worktrees/worktree-status.ts";

const listing: WorktreeListing = {
  name: "a",
  path: "/a",
  branch: "troupe/a",
  state: "live",
  commits: 1,
  files: [{ path: "a", added: 1, removed: 0 }],
  reasons: ["commits: 1 that are not in its base"],
  landing: "ready",
};
const working = { state: "tool" } as RosterEntry;

test.each([
  [listing, undefined, "ready"],
  [listing, working, "working"],
  [{ ...listing, landing: "conflict" }, working, "conflict"],
  [{ ...listing, reasons: ["untracked: x"] }, undefined, "dirty"],
  [{ ...listing, landing: "landed" }, undefined, "landed"],
  [{ ...listing, commits: 0, landing: undefined }, undefined, "empty"],
  [{ ...listing, state: "landing" }, undefined, "busy"],
] as const)("worktree %#", (worktree, entry, status) => {
  expect(worktreeStatus(worktree as WorktreeListing, entry)).toBe(status);
});
