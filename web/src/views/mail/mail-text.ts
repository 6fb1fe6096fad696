import type { MailBody } from "../../../../src/protocol/index.ts";

/** A mail body for people: its kind, its text, and its other fields. */
export interface MailText {
  /** Undefined for plain text, which needs no title. */
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
      return mailTextOf(isLeaving ? "Has agreed to shut down" : idleTitles[idleReason], result, [
        ["Why", failureReason],
        ["Task", completedTaskId === undefined ? undefined : `#${completedTaskId} ${completedStatus ?? "resolved"}`],
        ["Last message to a peer", summary],
        ["Evidence", evidence],
      ]);
    }
    case "permission_request":
      return mailTextOf("Asks for permission", body.question, [
        ["Tool", body.tool],
        ["With", json(body.input)],
        ["Reason", body.reason],
      ]);
    case "request_withdrawn":
      return mailTextOf("Withdraws a request");
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
      return mailTextOf("Asks it to shut down", body.reason);
    case "interrupt_request":
      return mailTextOf("Stops the current turn");
    case "stop_request":
      return mailTextOf(body.keep ? "Suspends it" : "Stops it", body.reason);
    case "respawn_request":
      return mailTextOf("Asks to restart a member", undefined, [["Member", body.name]]);
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
      return mailTextOf("Agrees to shut down");
    case "shutdown_rejected":
      return mailTextOf("Refuses to shut down", body.reason);
    case "plan_approval_request":
      return mailTextOf("Presents a plan for approval", body.plan);
    case "plan_approval_response":
      return mailTextOf(body.approve ? "Approves the plan" : "Rejects the plan", body.feedback, [
        ["Permission mode", body.permissionMode],
      ]);
    case "task_assignment":
      return mailTextOf("Assigns a task", body.description, [
        ["Task", `#${body.taskId} ${body.subject}`],
        ["Assigned by", body.assignedBy],
      ]);
    case "mode_set_request":
      return mailTextOf("Sets the permission mode", undefined, [["Mode", body.mode]]);
    case "team_permission_update":
      return mailTextOf("All members may change this without asking", undefined, [
        ["Path", body.path],
        ["Tool", body.tool],
      ]);
  }
}

const idleTitles = {
  available: "Is idle and waits for mail",
  interrupted: "Was interrupted and waits for mail",
  failed: "Could not continue",
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
