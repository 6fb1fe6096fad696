import type { AgentColor } from "../../protocol/index.ts";
import { createScreen, type Screen, type Style } from "../screen.ts";

export const stdoutScreen = (): Screen => createScreen(process.stdout, process.env);

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printWarnings(problems: readonly string[]): void {
  for (const problem of problems) process.stderr.write(`troupe: ${problem}\n`);
}

/** The nearest of the eight terminal colors to the member's color. */
export function memberStyle({ paint }: Screen, color: AgentColor | undefined): Style {
  if (color === undefined) return paint.bold;
  return paint[nearestColor[color]];
}

const nearestColor = {
  red: "red",
  blue: "blue",
  green: "green",
  yellow: "yellow",
  purple: "magenta",
  orange: "yellow",
  pink: "magenta",
  cyan: "cyan",
} as const satisfies Record<AgentColor, string>;

/** Aborts at Ctrl-C, so that commands that follow something end cleanly. */
export function abortOnInterrupt(): { readonly signal: AbortSignal; release(): void } {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  const release = () => {
    process.removeListener("SIGINT", onSignal);
    process.removeListener("SIGTERM", onSignal);
  };
  return { signal: stop.signal, release };
}

export const formatMinute = (at: string): string => at.slice(0, 16).replace("T", " ");
