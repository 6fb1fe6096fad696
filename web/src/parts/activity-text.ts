import { visibleLine } from "../../../src/protocol/index.ts";
import { activityOf } from "../../../src/view/index.ts";
import type { RosterEntry } from "../state/roster.ts";
import { stateLabels } from "./agent-name.tsx";

/** The current activity of an agent in one line. */
export function activityText({ agent, member, state }: RosterEntry): string {
  if (agent && (state === "tool" || state === "working" || state === "waiting")) {
    const activity = activityOf(agent);
    switch (activity.kind) {
      case "calls":
        return visibleLine(activity.titles.join(", ").slice(0, 200));
      case "drafting":
        return `writing a call of ${visibleLine(activity.tool)}`;
      case "text":
        return "writes";
      case "waiting":
        return `waiting: ${visibleLine(activity.reason.slice(0, 160))}`;
      case "retrying":
        return `retrying (${visibleLine(activity.failure.kind)})`;
      case "requested":
      case "thinking":
      case "asking":
      case "none":
        return stateLabels[state];
    }
  }
  if (agent?.status.kind === "idle" && agent.status.detail)
    return `${stateLabels[state]}: ${visibleLine(agent.status.detail.slice(0, 160))}`;
  if (member?.detail !== undefined && (state === "ended" || state === "failed" || state === "stopped"))
    return `${stateLabels[state]}: ${visibleLine(member.detail.slice(0, 160))}`;
  // Only its status in the team is known.
  if (!agent && member?.detail) return visibleLine(member.detail.slice(0, 200));
  return stateLabels[state];
}
