import type { Size } from "../app-context.ts";
import { changeLine } from "./terminal-diff.ts";

/** The alternate screen of a terminal, as `less` uses it. Nothing of it stays in the scrollback. */
export interface AlternateScreen {
  open(): void;
  /** Draws all lines, from the first. */
  draw(lines: readonly string[]): void;
  /** Restores the normal screen. */
  close(): void;
  isOpen(): boolean;
}

export interface AlternateScreenOptions {
  readonly write: (text: string) => void;
  readonly size: () => Size;
  /** Called before the screen opens. `onClose` is called after it closes. */
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
      // A narrower terminal rewraps its lines.
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
