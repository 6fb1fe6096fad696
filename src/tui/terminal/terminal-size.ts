import type { Frontend, Size } from "../app-context.ts";

export interface TerminalSize {
  readonly store: Frontend["size"];
  stop(): void;
}

/** Watches the size of the terminal. Calls `onWidth` when lines must be wrapped again. */
export function watchTerminalSize(
  stdout: Pick<NodeJS.WriteStream, "columns" | "rows" | "on" | "off">,
  onWidth: () => void,
): TerminalSize {
  const listeners = new Set<() => void>();
  let size = sizeOf(stdout);
  const resized = () => {
    const before = size;
    const next = sizeOf(stdout);
    if (next.columns === before.columns && next.rows === before.rows) return;
    size = next;
    if (next.columns !== before.columns) onWidth();
    for (const listener of Array.from(listeners)) listener();
  };
  stdout.on("resize", resized);
  return {
    store: {
      getState: () => size,
      subscribe(listener) {
        const own = () => listener();
        listeners.add(own);
        return () => void listeners.delete(own);
      },
    },
    stop: () => void stdout.off("resize", resized),
  };
}

/** Some terminals report no size for a moment while they start. */
const sizeOf = ({ columns, rows }: Pick<NodeJS.WriteStream, "columns" | "rows">): Size => ({
  columns: columns || 80,
  rows: rows || 24,
});
