import { Text } from "ink";
import { type ReactNode, useMemo } from "react";
import { useFrontend, useSize } from "../app-context.ts";
import { paintLines } from "../terminal/terminal-lines.ts";
import { type History, type Viewed, widthFor } from "./transcript-history.ts";
import { liveLines } from "./transcript-live.ts";

export interface LiveTranscriptProps {
  readonly viewed: Viewed;
  readonly history: History;
  /** Maximum number of lines. Together with the parts below it must stay lower than the screen. */
  readonly height: number;
}

/** The part of the transcript that still changes. */
export function LiveTranscript({ viewed, history, height }: LiveTranscriptProps): ReactNode {
  const { theme } = useFrontend();
  const size = useSize();
  const { agent, color } = viewed;
  const from = viewed.isRemote ? 0 : history.printed();
  const [expanded, width] = [history.isExpanded(), widthFor(size)];
  const text = useMemo(
    () =>
      agent
        ? paintLines(
            liveLines(agent, from, { width, marks: theme.marks, cwd: agent.cwd, expanded, agent: color, height }),
            theme,
          )
        : "",
    [agent, from, width, theme, expanded, color, height],
  );
  return text === "" ? null : <Text>{text}</Text>;
}
