import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { useFrontend, useSize } from "../app-context.ts";
import { isShortScreen } from "./live-layout.ts";
import { type Line, paintLine } from "../terminal/terminal-lines.ts";
import type { Style } from "../theme.ts";

/** Draws lines in a frame, or without one on low screens and for screen readers. Wide lines are wrapped, never cut. */
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
  /** How a wide line is handled. */
  readonly wrap: "wrap" | "truncate";
}

/** Draws one element for each line, because Ink truncates a text of several lines as one. */
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

/** Returns the maximum width of a line in a panel. */
export function usePanelWidth(): number {
  const { columns } = useSize();
  return Math.max(10, useIsFramed() ? columns - 4 : columns);
}

/** A low screen has no space for a frame. */
function useIsFramed(): boolean {
  const { theme } = useFrontend();
  const { rows } = useSize();
  return theme.marks.border !== undefined && !isShortScreen(rows);
}
