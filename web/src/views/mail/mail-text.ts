import type { MailBody } from "../../../../src/protocol/index.ts";

/** A body for people: what it is, what it says, and what else is in it. */
export interface MailText {
  /** Undefined of what somebody wrote: that speaks for itself. */
  readonly title: string | undefined;
  /** Markdown. */
  readonly text: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

export function mailText(body: MailBody): MailText {
  switch (body.kind) {
    case "text":
      return mailTextOf(undefined, body.text);
    case "idle_notification": {
      const { idleReason, isLeaving, result, evidence, summary, completedTaskId, completedStatus, failureReason } =
        body;
      return mailTextOf(isLeaving ? "Has agreed to end" : idleTitles[idleReason], result, [
        ["Why", failureReason],
        ["Task", completedTaskId === undefined ? undefined : `#${completedTaskId} ${completedStatus ?? "resolved"}`],
        ["Last said to a peer", summary],
        ["Evidence", evidence],
      ]);
    }
    case "permission_request":
      return mailTextOf("Asks for permission", body.question, [
        ["Tool", body.tool],
        ["With", json(body.input)],
        ["Why it is asked", body.reason],
      ]);
    case "request_withdrawn":
      return mailTextOf("Waits no longer for an answer");
    case "permission_response": {
      const { answer } = body;
      return mailTextOf(answer.behavior === "allow" ? "Allows it" : "Denies it", answer.message, [
        ["For", answer.behavior === "allow" ? answer.scope : undefined],
      ]);
    }
    case "sandbox_permission_request":
      return mailTextOf("Asks to reach a host", undefined, [["Host", body.host]]);
    case "sandbox_permission_response":
      return mailTextOf(body.allow ? "Allows the host" : "Denies the host");
    case "shutdown_request":
      return mailTextOf("Asks it to end", body.reason);
    case "interrupt_request":
      return mailTextOf("Stops the turn under way");
    case "stop_request":
      return mailTextOf(body.keep ? "Ends it for now" : "Ends it", body.reason);
    case "respawn_request":
      return mailTextOf("Asks to bring a member back", undefined, [["Member", body.name]]);
    case "spawn_request":
      return mailTextOf("Asks for a teammate", body.prompt, [
        ["Name", body.name],
        ["For", body.description],
        ["Type", body.type],
        ["Model", body.model],
        ["Isolation", body.isolation],
      ]);
    case "spawn_response":
      return mailTextOf(body.ok ? "The teammate was started" : "The teammate was not started", body.text);
    case "shutdown_approved":
      return mailTextOf("Agrees to end");
    case "shutdown_rejected":
      return mailTextOf("Does not want to end", body.reason);
    case "plan_approval_request":
      return mailTextOf("Has a plan, and waits for approval", body.plan);
    case "plan_approval_response":
      return mailTextOf(body.approve ? "Approves the plan" : "Does not approve the plan", body.feedback, [
        ["Permission mode", body.permissionMode],
      ]);
    case "task_assignment":
      return mailTextOf("Gives it a task", body.description, [
        ["Task", `#${body.taskId} ${body.subject}`],
        ["Assigned by", body.assignedBy],
      ]);
    case "mode_set_request":
      return mailTextOf("Sets the permission mode", undefined, [["Mode", body.mode]]);
    case "team_permission_update":
      return mailTextOf("Everybody may change this without asking", undefined, [
        ["Path", body.path],
        ["Tool", body.tool],
      ]);
  }
}

const idleTitles = {
  available: "Has nothing to do, and waits for mail",
  interrupted: "Was interrupted, and waits for mail",
  failed: "Could not go on",
} as const;

function mailTextOf(
  title: string | undefined,
  text: string | undefined = "",
  fields: readonly (readonly [string, string | undefined])[] = [],
): MailText {
  return {
    title,
    text,
    fields: fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  };
}

const json = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, undefined, 1) ?? "").slice(0, 20_000);
