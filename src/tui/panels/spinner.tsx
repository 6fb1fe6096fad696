import { Text } from "ink";
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from "react";
import { withoutStop } from "../../protocol/index.ts";
import { type Activity, activityOf, type AgentView, tokensOf, visibleLine } from "../../view/index.ts";
import { useAppState, useFrontend, useSize } from "../app-context.ts";
import { keyFor } from "../key-table.ts";
import { formatDuration, formatTokens } from "../format-counts.ts";
import { paintLine, span, type Line } from "../terminal/terminal-lines.ts";
import { cutTo, widthOf } from "../terminal/terminal-width.ts";

/** Shows the current activity of the agent in view, its duration and its tokens. Shows nothing while it is idle. */
export function Spinner({ agent }: { readonly agent: AgentView | undefined }): ReactNode {
  const { theme, now } = useFrontend();
  const { columns } = useSize();
  const isWorking = agent?.status.kind === "running" || agent?.status.kind === "waiting";
  const frame = useFrame(isWorking && !theme.isScreenReader);
  // The lead receives and answers a member's permission questions.
  const answererName = useAppState(({ teamContext }) => (teamContext?.isLeader === false ? "the lead's" : "your"));
  const activity = useCountdown(agent ? activityOf(agent) : { kind: "none" }, now);
  if (!agent || !isWorking) return null;
  const { work } = agent;
  const used = work ? tokensOf(agent.spending.total) - work.tokensBefore : 0;
  const { spinner } = theme.marks;
  const sign = spinner[frame % spinner.length] ?? "";
  const facts = [
    ...(theme.isScreenReader ? [] : [formatDuration(work ? Math.max(0, now() - Date.parse(work.since)) : 0)]),
    ...(used > 0 ? [formatTokens(used)] : []),
    `${keyFor("prompt", "interrupt")} to interrupt`,
  ];
  return (
    <Text wrap="truncate">
      {paintLine(spinnerLine(sign, { activity, answererName, facts, width: columns - 1 }), theme)}
    </Text>
  );
}

interface SpinnerLineInput {
  readonly activity: Activity;
  readonly answererName: string;
  readonly facts: readonly string[];
  readonly width: number;
}

function spinnerLine(sign: string, { activity, answererName, facts, width }: SpinnerLineInput): Line {
  const { words, isTrouble } = activityText(activity, answererName);
  const start = sign === "" ? "" : `${sign} `;
  const fit = [facts, facts.slice(0, -1), facts.slice(0, 1), []].find(
    (some) => width - widthOf(start) - widthOf(` (${some.join(" · ")})`) >= Math.min(14, widthOf(words)),
  );
  const end = fit === undefined || fit.length === 0 ? "" : ` (${fit.join(" · ")})`;
  return [
    span(start, { role: "accent" }),
    span(
      cutTo(words, Math.max(4, width - widthOf(start) - widthOf(end))),
      isTrouble ? { role: "warning" } : { role: "accent" },
    ),
    span(end, { dim: true }),
  ];
}

function activityText(
  activity: Activity,
  answererName: string,
): { readonly words: string; readonly isTrouble: boolean } {
  const fine = (words: string) => ({ words, isTrouble: false });
  switch (activity.kind) {
    case "none":
      return fine("Working …");
    case "requested":
      return fine("Waiting for the model …");
    case "thinking":
      return fine("Thinking …");
    case "text":
      return fine("Writing …");
    case "drafting":
      return fine(`Preparing ${visibleLine(activity.tool)} …`);
    case "calls": {
      const [first = "", ...others] = activity.titles;
      const more = others.length === 0 ? "" : ` and ${others.length} more`;
      return fine(`${visibleLine(first.split("\n", 1)[0] ?? "")}${more} …`);
    }
    case "asking":
      return { words: `Waiting for ${answererName} answer`, isTrouble: true };
    case "waiting":
      return { words: `Waiting: ${visibleLine(activity.reason)}`, isTrouble: true };
    case "retrying": {
      const seconds = Math.ceil(activity.delayMs / 1000);
      const again = seconds > 0 ? `Trying again in ${seconds} s` : "Trying again";
      const words = `${again} (attempt ${activity.attempt}) · ${withoutStop(visibleLine(activity.failure.message))}`;
      return { words, isTrouble: true };
    }
  }
}

/** Counts the delay of a retry down from the time at which it was first seen. */
function useCountdown(activity: Activity, now: () => number): Activity {
  const seen = useRef<{ readonly activity: Activity; readonly at: number }>(undefined);
  if (activity.kind !== "retrying") return activity;
  if (seen.current?.activity !== activity) seen.current = { activity, at: now() };
  return { ...activity, delayMs: Math.max(0, activity.delayMs - (now() - seen.current.at)) };
}

const frameMs = 125;

/** Advances with the drawn frames, and requests frames when there are none. */
function useFrame(isMoving: boolean): number {
  const { frames, now } = useFrontend();
  useEffect(() => {
    if (!isMoving) return undefined;
    const timer = setInterval(() => frames.request?.(), frameMs);
    return () => clearInterval(timer);
  }, [frames, isMoving]);
  return useSyncExternalStore(frames.subscribe, () => (isMoving ? Math.floor(now() / frameMs) : 0));
}
