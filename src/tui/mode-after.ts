import type { PermissionMode } from "../protocol/index.ts";

/**
 * The next mode of the cycle default, acceptEdits, plan. Leaves out acceptEdits for a teammate whose lead may not edit
 * without a question: a member has no more permissions than its lead.
 */
export function modeAfter(
  mode: PermissionMode = "default",
  lead: PermissionMode = "bypassPermissions",
): "default" | "acceptEdits" | "plan" {
  if (mode === "acceptEdits") return "plan";
  if (mode !== "default") return "default";
  return lead === "acceptEdits" || lead === "bypassPermissions" ? "acceptEdits" : "plan";
}
