import type { BusyMember } from "../../agent/index.ts";
import type { WorkItem } from "../../protocol/index.ts";
import type { AttendedState, TeamAttention } from "./team-attention.ts";

/** Why each of these members is not idle, as the lead should read it. */
export const busyMembers = (
  names: readonly string[],
  state: TeamAttention,
  { tasks, activityOf }: { tasks: readonly WorkItem[]; activityOf: (name: string) => string | undefined },
): readonly BusyMember[] =>
  names.map((name) => ({
    name,
    why: whyBusy(name, state),
    activity: activityOf(name),
    taskId: tasks.find(({ owner, status }) => owner === name && status === "in_progress")?.id,
    hasReported: state.news.some(({ from }) => from === name),
  }));

function whyBusy(name: string, { ending, requests, members }: TeamAttention): BusyMember["why"] {
  if (ending.has(name)) return "asked_to_end";
  if ([...requests.values()].some(({ from }) => from === name)) return "plan";
  return reasons[members.get(name) ?? "starting"];
}

/** An idle member in the list got something that it has not begun. */
const reasons: Readonly<Record<AttendedState, BusyMember["why"]>> = {
  starting: "starts",
  working: "works",
  awaits_job: "works",
  waiting: "waits",
  idle: "has_mail",
  draining: "ends",
  ended: "ends",
};
