import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { useFrontend, useSize } from "../app-context.ts";
import { isShortScreen } from "./live-layout.ts";
import { type Line, paintLine } from "../terminal/terminal-lines.ts";
import type { Style } from "../theme.ts";

/** Lines in a frame, or without one where frames are noise. A line that is too wide is broken: nothing is ever cut off. */
export function Panel({ lines, border }: { readonly lines: readonly Line[]; readonly border?: Style }): ReactNode {
  const { theme } = useFrontend();
  const { columns } = useSize();
  const isFramed = useIsFramed();
  const text = <Lines lines={lines} wrap="wrap" />;
  if (!isFramed) return <Box width={columns}>{text}</Box>;
  const { color } = theme.props(border ?? { role: "border" });
  return (
    <Box borderStyle="round" {...(color !== undefined && { borderColor: color })} paddingX={1} width={columns}>
      {text}
    </Box>
  );
}

export interface LinesProps {
  readonly lines: readonly Line[];
  /** What becomes of a line that is too wide. */
  readonly wrap: "wrap" | "truncate";
}

/** One element for each: Ink takes a text of several lines for one when it has to cut it. */
export function Lines({ lines, wrap }: LinesProps): ReactNode {
  const { theme } = useFrontend();
  return (
    <Box flexDirection="column">
      {lines.map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a line is where it is
        <Text key={index} wrap={wrap}>
          {paintLine(line, theme) || " "}
        </Text>
      ))}
    </Box>
  );
}

/** How wide a line in a panel can be. */
export function usePanelWidth(): number {
  const { columns } = useSize();
  return Math.max(10, useIsFramed() ? columns - 4 : columns);
}

/** A low screen has no room for a frame. */
function useIsFramed(): boolean {
  const { theme } = useFrontend();
  const { rows } = useSize();
  return theme.marks.border !== undefined && !isShortScreen(rows);
}
