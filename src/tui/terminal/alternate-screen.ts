import type { Size } from "../app-context.ts";
import { changeLine } from "./terminal-diff.ts";

/** The screen that terminals keep beside the one with the scrollback, as `less` uses it: nothing of it stays. */
export interface AlternateScreen {
  open(): void;
  /** All of its lines, from the first on. */
  draw(lines: readonly string[]): void;
  /** What was there before is there again. */
  close(): void;
  isOpen(): boolean;
}

export interface AlternateScreenOptions {
  readonly write: (text: string) => void;
  readonly size: () => Size;
  /** Called before it is shown, and after it is gone. */
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

export function createAlternateScreen({ write, size, onOpen, onClose }: AlternateScreenOptions): AlternateScreen {
  let shown: readonly string[] | undefined;
  let columns = 0;
  return {
    open() {
      if (shown !== undefined) return;
      onOpen();
      [shown, columns] = [[], size().columns];
      write(`${enterAlternateScreen}\x1b[H\x1b[2J`);
    },
    draw(lines) {
      if (shown === undefined) return;
      const { rows, columns: now } = size();
      // Terminals break lines anew when they become narrower.
      const before = now === columns ? shown : [];
      const isCleared = now === columns ? "" : "\x1b[H\x1b[2J";
      const after = Array.from({ length: rows }, (_, row) => lines[row] ?? "");
      const changes = after.map((line, row) => {
        const change = changeLine(before[row] ?? "", line);
        return change === "" ? "" : `\x1b[${row + 1}H${change}`;
      });
      [shown, columns] = [after, now];
      const text = isCleared + changes.join("");
      if (text !== "") write(`\x1b[?2026h${text}\x1b[?2026l`);
    },
    close() {
      if (shown === undefined) return;
      shown = undefined;
      write(leaveAlternateScreen);
      onClose();
    },
    isOpen: () => shown !== undefined,
  };
}

const enterAlternateScreen = "\x1b[?1049h";
export const leaveAlternateScreen = "\x1b[?1049l";
