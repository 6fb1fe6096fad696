import { type MailBody, visibleLine } from "../../../src/protocol/index.ts";

/** What a mail is, in a few words: for where there is no room for what it says. */
export const mailKindText = (kind: string): string =>
  Object.hasOwn(labels, kind) ? labels[kind as MailBody["kind"]] : visibleLine(kind.replaceAll("_", " "));

const labels: Readonly<Record<MailBody["kind"], string>> = {
  text: "A message",
  idle_notification: "Has nothing to do",
  permission_request: "Asks for permission",
  request_withdrawn: "Waits no longer for an answer",
  permission_response: "Answers what was asked",
  sandbox_permission_request: "Asks to reach a host",
  sandbox_permission_response: "Answers what was asked",
  shutdown_request: "Asks it to end",
  shutdown_approved: "Agrees to end",
  shutdown_rejected: "Does not want to end",
  interrupt_request: "Stops the turn under way",
  stop_request: "Ends it",
  respawn_request: "Asks to bring a member back",
  spawn_request: "Asks for a teammate",
  spawn_response: "Says what became of the teammate",
  plan_approval_request: "Has a plan",
  plan_approval_response: "Answers the plan",
  task_assignment: "Gives it a task",
  mode_set_request: "Sets the permission mode",
  team_permission_update: "Says what everybody may change",
};

/** The beginning of a text on one line. */
export const oneLine = (text: string): string =>
  visibleLine(text.slice(0, 400).replaceAll(/\s+/g, " ").trim()).slice(0, 160);
