import { type Mail, oneLine } from "../../../protocol/index.ts";
import { shutdownApproval } from "./shutdown-reminder.ts";
import { type MessageSender, teammateMessage } from "./teammate-message.ts";

/** A mail as its receiver's model reads it. Kinds that the runtime handles itself are shown only to people. */
export function memberMail(mail: Mail & Pick<MessageSender, "sender">): string {
  return teammateMessage(mail, wordsOf(mail));
}

function wordsOf({ body, from, id }: Mail): string {
  switch (body.kind) {
    case "text":
      return body.file === undefined ? body.text : `${body.text}\n[cut: the whole text is in ${body.file}]`;
    case "idle_notification":
      return idleText(body, from);
    case "task_assignment":
      return assignmentText(body);
    case "shutdown_request":
      return `The lead asks you to end your work${body.reason ? `: ${body.reason}` : "."}\nUncommitted files of your own worktree are committed to your branch when you end. If nothing else would be lost, agree: SendMessage to team-lead with message ${shutdownApproval(body.requestId)}. Otherwise answer with approve false and the reason. If you do not answer in time, you are stopped.`;
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
    case "request_withdrawn":
      return `${from} no longer waits for an answer to its request ${body.requestId}: it was interrupted, or waited too long. Nothing is approved, and an answer has no effect. ${from} can ask again.`;
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
      return `${body.kind} (${id})`;
  }
}

type Assignment = Extract<Mail["body"], { kind: "task_assignment" }>;

function assignmentText({ taskId, subject, description, assignedBy, blockedBy = [], history }: Assignment): string {
  const next =
    blockedBy.length === 0
      ? "Set it to in_progress with TaskUpdate when you begin, and to completed when it is done."
      : `When it was assigned, ${blockedBy.map((id) => `#${id}`).join(", ")} blocked it. You get a message when it is free, and begin then.`;
  return [`Task #${taskId} is yours now, assigned by ${assignedBy}: ${subject}`, description, history, next]
    .filter((part) => part !== undefined && part !== "")
    .join("\n\n");
}

/** Mail of earlier versions does not say whether the checks ran. */
function completionText({ completedStatus, completedChecks }: Report): string {
  if (completedStatus === "blocked" || completedStatus === "failed") return completedStatus;
  if (completedChecks === "passed") return "completed, checks passed";
  return completedChecks === "not_run" ? "completed, not verified" : "completed";
}

type Report = Extract<Mail["body"], { kind: "idle_notification" }>;

/** True for a report of a member that did nothing since its last report and only says that it waits. */
export const isOnlyWaiting = ({ didNothing, result = "", isLeaving, lacksPlan }: Report): boolean =>
  didNothing === true &&
  !isLeaving &&
  !lacksPlan &&
  result.length <= longestWaitText &&
  !result.includes("?") &&
  waitingWords.test(result);

/** True for a report of a member whose background job runs, and that says no more than that it waits for it. */
export const isWaitingForJob = ({ awaitedJobs, completedTaskId, result = "" }: Report): boolean =>
  awaitedJobs !== undefined &&
  completedTaskId === undefined &&
  result.length <= longestWaitText &&
  !result.includes("?") &&
  (waitingWords.test(result) || jobWords.test(result));

const longestWaitText = 400;
const waitingWords =
  /\b(?:wait(?:s|ing)?|stand(?:s|ing)? by|blocked|idle|nothing (?:to do|to report|new|left|more))\b/i;
const jobWords = /\b(?:running|runs|started|in the background|(?:when|once|until|as soon as) (?:it|they|that|the)\b)/i;

const lacksPlanText =
  "It is in plan mode and has not presented a plan that waits for an answer. Its text is not one: it must call ExitPlanMode. Tell it with SendMessage.";

/** A member with a job that it waits for is not idle: the job's end wakes it. */
function availableText({ awaitedJobs = [], leftJobs = [] }: Report, from: string): string {
  const state =
    awaitedJobs.length === 0
      ? `${from} is idle.`
      : `${from} has ended its turn and waits for background ${awaitedJobs.join("; ")}. It continues when that ends.`;
  return leftJobs.length === 0
    ? state
    : `${state} Not waited for, because it runs long: its background ${leftJobs.join("; ")}.`;
}

function idleText(body: Report, from: string): string {
  const open = body.openTaskId === undefined ? [] : [`Task #${body.openTaskId}: still in progress, not completed.`];
  if (isOnlyWaiting(body)) return [`${from} is idle: ${oneLine(body.result ?? "")}`, ...open].join("\n");
  const state = {
    available: body.isLeaving ? `This is the last report of ${from}, which ends now.` : availableText(body, from),
    interrupted: `${from} was interrupted and is idle.`,
    failed: `${from} could not continue${body.failureReason ? `: ${body.failureReason}` : "."}`,
  }[body.idleReason];
  const task = body.completedTaskId === undefined ? [] : [`Task #${body.completedTaskId}: ${completionText(body)}.`];
  const last =
    body.summary === undefined || body.result !== undefined ? [] : [`Last message to another member: ${body.summary}`];
  const said = body.idleReason === "available" && !body.isLeaving ? "Its last answer" : "What it said";
  const result = body.result === undefined ? [] : [`${said}:\n${body.result}`];
  const rest = body.file === undefined ? [] : [`[cut: the whole answer is in ${body.file}]`];
  const evidence = body.evidence === undefined ? [] : [body.evidence];
  const plan = body.lacksPlan ? [lacksPlanText] : [];
  return [state, ...plan, ...task, ...open, ...last, ...result, ...rest, ...evidence].join("\n");
}
