import { Text } from "ink";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
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
  const since = useSince(isWorking, now);
  const used = useUsed(agent, isWorking);
  // The lead receives and answers a member's permission questions.
  const answererName = useAppState(({ teamContext }) => (teamContext?.isLeader === false ? "the lead's" : "your"));
  if (!agent || !isWorking) return null;
  const { spinner } = theme.marks;
  const sign = spinner[frame % spinner.length] ?? "";
  const facts = [
    ...(theme.isScreenReader ? [] : [formatDuration(now() - since)]),
    ...(used > 0 ? [formatTokens(used)] : []),
    `${keyFor("prompt", "interrupt")} to interrupt`,
  ];
  return (
    <Text wrap="truncate">
      {paintLine(spinnerLine(sign, { agent, answererName, facts, width: columns - 1 }), theme)}
    </Text>
  );
}

interface SpinnerLineInput {
  readonly agent: AgentView;
  readonly answererName: string;
  readonly facts: readonly string[];
  readonly width: number;
}

function spinnerLine(sign: string, { agent, answererName, facts, width }: SpinnerLineInput): Line {
  const { words, isTrouble } = activityText(activityOf(agent), answererName);
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
      const again = `retrying in ${seconds} s (${activity.attempt})`;
      return { words: `${withoutStop(visibleLine(activity.failure.message))}; ${again}`, isTrouble: true };
    }
  }
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

/** Returns the time at which the current work began. */
function useSince(isWorking: boolean, now: () => number): number {
  const [since, setSince] = useState(now);
  const [was, setWas] = useState(isWorking);
  if (was !== isWorking) {
    setWas(isWorking);
    setSince(now());
  }
  return since;
}

/** Returns the tokens used since then. */
function useUsed(agent: AgentView | undefined, isWorking: boolean): number {
  const all = agent ? tokensOf(agent.spending.total) : 0;
  const [before, setBefore] = useState({ all, isWorking, id: agent?.id });
  if (before.isWorking !== isWorking || before.id !== agent?.id) setBefore({ all, isWorking, id: agent?.id });
  return all - before.all;
}
