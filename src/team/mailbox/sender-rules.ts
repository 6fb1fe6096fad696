import { type MailKind, teamLead, teamUser } from "../../protocol/index.ts";

/** Why mail of this kind from this sender must not be acted on. Undefined if it is allowed. */
export function senderRefusalReason(from: string, kind: MailKind): string | undefined {
  if (allowedSenders[kind] === "anybody" || from === teamLead || from === teamUser) return undefined;
  return `only the lead may send a ${kind.replaceAll("_", " ")}, but it is from ${from}`;
}

/** Only the lead, or the user through the lead, may decide, end members or change permissions. */
const allowedSenders: Readonly<Record<MailKind, "anybody" | "lead">> = {
  text: "anybody",
  idle_notification: "anybody",
  permission_request: "anybody",
  permission_response: "lead",
  request_withdrawn: "anybody",
  sandbox_permission_request: "anybody",
  sandbox_permission_response: "lead",
  shutdown_request: "lead",
  interrupt_request: "lead",
  stop_request: "lead",
  respawn_request: "lead",
  spawn_request: "anybody",
  spawn_response: "lead",
  shutdown_approved: "anybody",
  shutdown_rejected: "anybody",
  plan_approval_request: "anybody",
  plan_approval_response: "lead",
  task_assignment: "anybody",
  mode_set_request: "lead",
  team_permission_update: "lead",
};
