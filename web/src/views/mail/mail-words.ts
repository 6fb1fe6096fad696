import type { MailBody } from "../../../../src/protocol/index.ts";

/** A body for people: what it is, what it says, and what else is in it. */
export interface MailWords {
  /** Undefined of what somebody wrote: that speaks for itself. */
  readonly title: string | undefined;
  /** Markdown. */
  readonly text: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

export function mailWords(body: MailBody): MailWords {
  switch (body.kind) {
    case "text":
      return words(undefined, body.text);
    case "idle_notification": {
      const { idleReason, isLeaving, result, evidence, summary, completedTaskId, completedStatus, failureReason } =
        body;
      return words(isLeaving ? "Has agreed to end" : idleTitles[idleReason], result, [
        ["Why", failureReason],
        ["Task", completedTaskId === undefined ? undefined : `#${completedTaskId} ${completedStatus ?? "resolved"}`],
        ["Last said to a peer", summary],
        ["Evidence", evidence],
      ]);
    }
    case "permission_request":
      return words("Asks for permission", body.question, [
        ["Tool", body.tool],
        ["With", json(body.input)],
        ["Why it is asked", body.reason],
      ]);
    case "request_withdrawn":
      return words("Waits no longer for an answer");
    case "permission_response": {
      const { answer } = body;
      return words(answer.behavior === "allow" ? "Allows it" : "Denies it", answer.message, [
        ["For", answer.behavior === "allow" ? answer.scope : undefined],
      ]);
    }
    case "sandbox_permission_request":
      return words("Asks to reach a host", undefined, [["Host", body.host]]);
    case "sandbox_permission_response":
      return words(body.allow ? "Allows the host" : "Denies the host");
    case "shutdown_request":
      return words("Asks it to end", body.reason);
    case "interrupt_request":
      return words("Stops the turn under way");
    case "stop_request":
      return words(body.keep ? "Ends it for now" : "Ends it", body.reason);
    case "respawn_request":
      return words("Asks to bring a member back", undefined, [["Member", body.name]]);
    case "spawn_request":
      return words("Asks for a teammate", body.prompt, [
        ["Name", body.name],
        ["For", body.description],
        ["Type", body.type],
        ["Model", body.model],
        ["Isolation", body.isolation],
      ]);
    case "spawn_response":
      return words(body.ok ? "The teammate was started" : "The teammate was not started", body.text);
    case "shutdown_approved":
      return words("Agrees to end");
    case "shutdown_rejected":
      return words("Does not want to end", body.reason);
    case "plan_approval_request":
      return words("Has a plan, and waits for approval", body.plan);
    case "plan_approval_response":
      return words(body.approve ? "Approves the plan" : "Does not approve the plan", body.feedback, [
        ["Permission mode", body.permissionMode],
      ]);
    case "task_assignment":
      return words("Gives it a task", body.description, [
        ["Task", `#${body.taskId} ${body.subject}`],
        ["Assigned by", body.assignedBy],
      ]);
    case "mode_set_request":
      return words("Sets the permission mode", undefined, [["Mode", body.mode]]);
    case "team_permission_update":
      return words("Everybody may change this without asking", undefined, [
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

function words(
  title: string | undefined,
  text: string | undefined = "",
  fields: readonly (readonly [string, string | undefined])[] = [],
): MailWords {
  return {
    title,
    text,
    fields: fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  };
}

const json = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, undefined, 1) ?? "").slice(0, 20_000);
