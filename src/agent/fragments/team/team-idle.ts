import { returnedBy, type WorkItem } from "../../../protocol/index.ts";
import { troupeNotice } from "../notice.ts";
import { taskLine } from "./task-lines.ts";
import { type UnlandedWork, unlandedLines } from "./unlanded-work.ts";

const shown = 20;

/** Wakes a lead whose team is idle while tasks are open or something is new. */
export function teamIdlePrompt({
  openTasks,
  hasNews,
  plans = [],
  unlanded = [],
}: {
  readonly openTasks: readonly WorkItem[];
  /** Reports or notices that the lead has not read come with this one. */
  readonly hasNews: boolean;
  /** Plans that wait for the lead's answer. */
  readonly plans?: readonly OpenPlanFacts[] | undefined;
  /** Work that the lead's branch does not have. */
  readonly unlanded?: readonly UnlandedWork[] | undefined;
}): string {
  const tasks = openTasks.slice(0, shown).map((task) => taskLine(task, openTasks));
  const more = openTasks.length > tasks.length ? [`… and ${openTasks.length - tasks.length} more`] : [];
  return troupeNotice(
    [
      `No teammate is working now.${hasNews ? " What is new is above." : ""}`,
      ...plans.map(openPlanLine),
      ...(unlanded.length > 0
        ? ["This work is not on your branch, and is lost to the user if it stays so:", ...unlandedLines(unlanded)]
        : []),
      ...(openTasks.length > 0
        ? [
            "These tasks are open:",
            ...tasks,
            ...more,
            ...(openTasks.some((task) => returnedBy(task) !== undefined)
              ? ["No member claims a returned task by itself: read why, then change it, give it out or do it."]
              : []),
            "Finish them, give them out, set them to deleted, or repeat your answer with what is left: your next answer is what the user gets.",
          ]
        : [
            "Continue with what is left to do, or give the user the whole answer: your next answer is what the user gets.",
          ]),
    ].join("\n"),
  );
}

/** Wakes a lead for news while some of its teammates still work. */
export const teamNewsPrompt = (busy: readonly BusyMember[]): string =>
  troupeNotice(
    `What is above is new. Not done yet: ${names(busy.map(busyText))}. Act on the news if something can be done now. Otherwise end your turn: you are woken when more is new.`,
  );

/** A member that the lead still hears from, and why. */
export interface BusyMember {
  readonly name: string;
  readonly why: "asked_to_end" | "plan" | "works" | "starts" | "waits" | "ends" | "has_mail";
  /** The background job that it waits for, and for how long. */
  readonly activity?: string | undefined;
  /** The task that it works on. */
  readonly taskId?: number | undefined;
  /** Its report is among the news: it became idle, and then it got something else to do. */
  readonly hasReported: boolean;
}

function busyText({ name, why, activity, taskId, hasReported }: BusyMember): string {
  const since = hasReported ? " since its report" : "";
  switch (why) {
    case "asked_to_end":
      return `${name} (asked to end, has not ended yet)`;
    case "plan":
      return `${name} (waits for your answer to its plan)`;
    case "works":
      if (activity !== undefined) return `${name} (${activity})`;
      return `${name} (works${taskId === undefined ? "" : ` on #${taskId}`}${since})`;
    case "starts":
      return `${name} (starts)`;
    case "waits":
      return `${name} (waits for a permission or an answer)`;
    case "ends":
      return `${name} (is ending)`;
    case "has_mail":
      return `${name} (has got mail or a task${since})`;
  }
}

/** A plan that waits for the lead's answer. */
export interface OpenPlanFacts {
  readonly from: string;
  readonly requestId: string;
}

/** Reminds a lead of plans that it has read and not answered. */
export const openPlansPrompt = (plans: readonly OpenPlanFacts[]): string =>
  troupeNotice([...plans.map(openPlanLine), "Text does not answer a plan."].join("\n"));

const openPlanLine = ({ from, requestId }: OpenPlanFacts) =>
  `${from} still waits for your answer to its plan, and does nothing until then. To approve it: ${planAnswerCall({ from, requestId })}. To turn it down: the same with "approve":false and "feedback".`;

/** The exact call that approves a plan. */
export const planAnswerCall = ({ from, requestId }: OpenPlanFacts): string =>
  `SendMessage with to ${JSON.stringify(from)} and message {"type":"plan_approval_response","request_id":"${requestId}","approve":true}`;

const names = (list: readonly string[]) =>
  list.length <= shown ? list.join(", ") : `${list.slice(0, shown).join(", ")} and ${list.length - shown} more`;
