import { type MailBody, visibleLine } from "../../../src/protocol/index.ts";

/** The kind of a mail in a few words, for places without room for its text. */
export const mailKindText = (kind: string): string =>
  Object.hasOwn(labels, kind) ? labels[kind as MailBody["kind"]] : visibleLine(kind.replaceAll("_", " "));

const labels: Readonly<Record<MailBody["kind"], string>> = {
  text: "A message",
  idle_notification: "Is idle",
  permission_request: "Asks for permission",
  request_withdrawn: "Withdraws a request",
  permission_response: "Answers a request",
  sandbox_permission_request: "Asks to reach a host",
  sandbox_permission_response: "Answers a request",
  shutdown_request: "Asks it to shut down",
  shutdown_approved: "Agrees to shut down",
  shutdown_rejected: "Refuses to shut down",
  interrupt_request: "Stops the current turn",
  stop_request: "Stops it",
  respawn_request: "Asks to restart a member",
  spawn_request: "Asks for a teammate",
  spawn_response: "Reports the start of a teammate",
  plan_approval_request: "Presents a plan",
  plan_approval_response: "Answers the plan",
  task_assignment: "Assigns a task",
  mode_set_request: "Sets the permission mode",
  team_permission_update: "Extends the permissions of all members",
};

/** Returns the beginning of a text as one line. */
export const oneLine = (text: string): string =>
  visibleLine(text.slice(0, 400).replaceAll(/\s+/g, " ").trim()).slice(0, 160);
