import type { WorktreeListing } from "../../../../src/protocol/index.ts";
import type { RosterEntry } from "../../state/roster.ts";

/** The state of a worktree for a landing: ready, or the reason why not. */
export type WorktreeStatus = "ready" | "conflict" | "dirty" | "working" | "landed" | "empty" | "busy";

export const statusTexts: Readonly<Record<WorktreeStatus, { readonly label: string; readonly title: string }>> = {
  ready: { label: "ready", title: "Lands without a conflict" },
  conflict: { label: "conflict", title: "Has a conflict with the current branch" },
  dirty: { label: "dirty", title: "Has changes that are not committed: they would not land" },
  working: { label: "in work", title: "Its agent works in it" },
  landed: { label: "landed", title: "All of its changes are in the current branch" },
  empty: { label: "no commits", title: "Has no commits to land" },
  busy: { label: "busy", title: "It is being created, landed or removed" },
};

export function worktreeStatus(worktree: WorktreeListing, entry: RosterEntry | undefined): WorktreeStatus {
  const { commits, state, landing, reasons, files } = worktree;
  if (state !== "live" && state !== "kept" && state !== "left") return "busy";
  const isDirty = reasons.some((reason) => /^(staged|unstaged|untracked): /.test(reason));
  if (landing === "landed" || (commits === 0 && reasons.length === 0 && files.length > 0))
    return isDirty ? "dirty" : "landed";
  if (landing === "conflict") return "conflict";
  if (isDirty) return "dirty";
  if (commits === 0) return "empty";
  return entry && ["starting", "working", "tool", "waiting", "asking"].includes(entry.state) ? "working" : "ready";
}
