import { existsSync } from "node:fs";
import { findExecutable } from "../../platform/index.ts";
import type { ToolContext } from "../define-tool.ts";

export interface RipgrepResult {
  readonly lines: readonly string[];
  /** True if there were more lines, which were not read. */
  readonly more: boolean;
  /** ripgrep's error output; there may be lines as well. */
  readonly trouble: string | undefined;
}

export const noRipgrep =
  "cannot search: ripgrep is not installed. Install it as `rg` (or the package @vscode/ripgrep), or search with the programs grep and find.";

/** Runs ripgrep and returns at most `limit` lines, then stops it. Returns undefined if ripgrep is not installed. */
export async function runRipgrep(
  args: readonly string[],
  context: Pick<ToolContext, "cwd" | "env" | "signal" | "processes">,
  { limit, separator = "\n" }: { limit: number; separator?: "\n" | "\0" },
): Promise<RipgrepResult | undefined> {
  const command = await ripgrepPath(context.env["PATH"]);
  if (command === undefined) return undefined;
  const enough = new AbortController();
  const lines: string[] = [];
  let pending = "";
  let trouble = "";
  const decoder = new TextDecoder("utf-8");
  const result = await context.processes.run({
    command,
    args: ["--no-config", ...args],
    cwd: context.cwd,
    env: { ...context.env },
    signal: AbortSignal.any([context.signal, enough.signal]),
    graceMs: 100,
    timeoutMs: 60_000,
    startsNothing: true,
    onOutput(chunk, stream) {
      if (stream === "stderr") trouble = (trouble + chunk.toString("utf8")).slice(0, 2000);
      if (stream !== "stdout" || lines.length > limit) return;
      const pieces = (pending + decoder.decode(chunk, { stream: true })).split(separator);
      pending = (pieces.pop() ?? "").slice(0, 1_000_000);
      for (const piece of pieces) if (lines.length <= limit) lines.push(piece);
      if (lines.length > limit) enough.abort();
    },
  });
  context.signal.throwIfAborted();
  if (pending !== "") lines.push(pending);
  const failed = result.startFailure ?? (result.timedOut ? "The search took longer than 60 seconds." : undefined);
  const said = result.exitCode === 2 ? trouble.trim() || "ripgrep failed" : undefined;
  return { lines: lines.slice(0, limit), more: lines.length > limit, trouble: failed ?? said };
}

/** Returns the bundled ripgrep, or else the system's. */
async function ripgrepPath(searchPath: string | undefined): Promise<string | undefined> {
  const shipped = await import("@vscode/ripgrep").then(
    (module) => module.rgPath,
    // An optional dependency: not installed, or not built for this system.
    () => undefined,
  );
  if (shipped !== undefined && existsSync(shipped)) return shipped;
  return findExecutable("rg", searchPath);
}
