import type { BusyMember } from "../../agent/index.ts";
import type { MemberStatus, WorkItem } from "../../protocol/index.ts";
import type { TeamAttention } from "./team-attention.ts";

/** Why each of these members is not idle, as the lead should read it. */
export const busyMembers = (
  names: readonly string[],
  state: TeamAttention,
  tasks: readonly WorkItem[],
): readonly BusyMember[] =>
  names.map((name) => ({
    name,
    why: whyBusy(name, state),
    taskId: tasks.find(({ owner, status }) => owner === name && status === "in_progress")?.id,
    hasReported: state.news.some(({ from }) => from === name),
  }));

function whyBusy(name: string, { ending, requests, members }: TeamAttention): BusyMember["why"] {
  if (ending.has(name)) return "asked_to_end";
  if ([...requests.values()].some(({ from }) => from === name)) return "plan";
  return reasons[members.get(name) ?? "starting"];
}

/** An idle member in the list got something that it has not begun. */
const reasons: Readonly<Record<MemberStatus["state"], BusyMember["why"]>> = {
  starting: "starts",
  working: "works",
  waiting: "waits",
  idle: "has_mail",
  draining: "ends",
  ended: "ends",
};
