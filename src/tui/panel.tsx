import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { useFace, useSize } from "./app-context.ts";
import { type Line, paintLines } from "./terminal-lines.ts";
import type { Style } from "./theme.ts";

/** Lines in a frame, or without one where frames are noise. */
export function Panel({ lines, border }: { readonly lines: readonly Line[]; readonly border?: Style }): ReactNode {
  const { theme } = useFace();
  const { columns } = useSize();
  const text = <Text wrap="truncate">{paintLines(lines, theme)}</Text>;
  if (theme.marks.border === undefined) return <Box width={columns}>{text}</Box>;
  const { color } = theme.props(border ?? { role: "border" });
  return (
    <Box
      borderStyle={theme.marks.border}
      {...(color !== undefined && { borderColor: color })}
      paddingX={1}
      width={columns}
    >
      {text}
    </Box>
  );
}

/** How wide a line in a panel can be. */
export function usePanelWidth(): number {
  const { theme } = useFace();
  const { columns } = useSize();
  return Math.max(10, theme.marks.border === undefined ? columns : columns - 4);
}
