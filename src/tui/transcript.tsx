import { Text } from "ink";
import { type ReactNode, useMemo } from "react";
import { useAppState, useFace, useSize } from "./app-context.ts";
import { paintLines } from "./terminal-lines.ts";
import { type History, type Viewed, widthFor } from "./transcript-history.ts";
import { liveLines } from "./transcript-live.ts";

export interface LiveTranscriptProps {
  readonly viewed: Viewed;
  readonly history: History;
  readonly rows: number;
}

/** The part of the transcript that still changes. */
export function LiveTranscript({ viewed, history, rows }: LiveTranscriptProps): ReactNode {
  const { theme } = useFace();
  const size = useSize();
  const isCrowded = useAppState(({ tasks, expandedView }) => tasks.size > 0 || expandedView === "tasks");
  const { agent, color } = viewed;
  const [from, expanded, width] = [history.printed(), history.isExpanded(), widthFor(size)];
  // It must never be as high as the screen with all that stands below it.
  const height = Math.max(3, isCrowded ? Math.floor(rows / 4) : rows - 14);
  const text = useMemo(
    () =>
      agent
        ? paintLines(liveLines(agent, from, { width, marks: theme.marks, expanded, agent: color, height }), theme)
        : "",
    [agent, from, width, theme, expanded, color, height],
  );
  return text === "" ? null : <Text>{text}</Text>;
}
