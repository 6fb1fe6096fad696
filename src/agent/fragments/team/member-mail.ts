import type { Mail } from "../../../protocol/index.ts";
import { teammateMessage } from "./teammate-message.ts";

/** A mail as its receiver's model reads it. Kinds that the runtime handles itself are shown only to people. */
export function memberMail(mail: Mail): string {
  return teammateMessage(mail, wordsOf(mail));
}

function wordsOf({ body, from, id }: Mail): string {
  switch (body.kind) {
    case "text":
      return body.file === undefined ? body.text : `${body.text}\n[cut: the whole text is in ${body.file}]`;
    case "idle_notification":
      return idleText(body, from);
    case "task_assignment":
      return `Task #${body.taskId} is yours now, assigned by ${body.assignedBy}: ${body.subject}\n\n${body.description}\n\nSet it to in_progress with TaskUpdate when you begin, and to completed when it is done.`;
    case "shutdown_request":
      return `The lead asks you to end your work${body.reason ? `: ${body.reason}` : "."}\nIf nothing would be lost, agree: SendMessage to team-lead with message {"type":"shutdown_response","request_id":"${body.requestId}","approve":true}. Otherwise answer with approve false and the reason. If you do not answer in time, you are stopped.`;
    case "shutdown_approved":
      return `${from} has agreed to end and has left.`;
    case "shutdown_rejected":
      return `${from} does not want to end yet: ${body.reason}`;
    case "plan_approval_request":
      return `${from} has made a plan and waits for your approval:\n\n${body.plan}\n\nAnswer with SendMessage to ${from}: {"type":"plan_approval_response","request_id":"${body.requestId}","approve":true}, or approve false with feedback.`;
    case "plan_approval_response":
      return body.approve
        ? "Your plan is approved."
        : `Your plan is not approved: ${body.feedback ?? "no reason given"}`;
    case "permission_request":
      return `${from} asks for permission: ${body.question}`;
    case "sandbox_permission_request":
      return `${from} asks for network access to ${body.host}.`;
    case "permission_response":
    case "sandbox_permission_response":
    case "mode_set_request":
    case "team_permission_update":
    case "interrupt_request":
    case "stop_request":
    case "respawn_request":
    case "spawn_request":
    case "spawn_response":
    case "request_withdrawn":
      return `${body.kind} (${id})`;
  }
}

function idleText(body: Extract<Mail["body"], { kind: "idle_notification" }>, from: string): string {
  const state = {
    available: `${from} is done with what it was doing and ${body.isLeaving ? "has agreed to end" : "waits for mail"}.`,
    interrupted: `${from} was interrupted and waits for mail.`,
    failed: `${from} could not continue${body.failureReason ? `: ${body.failureReason}` : "."}`,
  }[body.idleReason];
  const task =
    body.completedTaskId === undefined ? [] : [`Task #${body.completedTaskId}: ${body.completedStatus ?? "resolved"}.`];
  const last = body.summary === undefined ? [] : [`Last message to another member: ${body.summary}`];
  const said = body.idleReason === "available" && !body.isLeaving ? "Its last answer" : "What it said";
  const result = body.result === undefined ? [] : [`${said}:\n${body.result}`];
  const rest = body.file === undefined ? [] : [`[cut: the whole answer is in ${body.file}]`];
  const evidence = body.evidence === undefined ? [] : [body.evidence];
  return [state, ...task, ...last, ...result, ...rest, ...evidence].join("\n");
}
