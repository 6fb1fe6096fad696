import { runHeadless } from "../../../src/headless/index.ts";
import { systemClock } from "../../../src/platform/index.ts";
import type { RunResult } from "../../../src/headless/run-result.ts";
import type { Command } from "../../../src/protocol/index.ts";
import type { TeamSession } from "./team-session.ts";

/** Runs one prompt as `troupe -p` does. */
export async function runTeam(
  { session }: TeamSession,
  prompt: string,
  output: "json" | "stream-json" = "json",
): Promise<{ readonly result: RunResult; readonly lines: readonly string[]; readonly errors: string }> {
  let out = "";
  let errors = "";
  const result = await runHeadless({
    session,
    output,
    progress: "none",
    commands: (async function* (): AsyncGenerator<Command> {
      yield { type: "prompt", content: prompt };
    })(),
    write: (text) => void (out += text),
    writeError: (text) => void (errors += text),
    signal: new AbortController().signal,
    backgroundWaitMs: 1_000,
    clock: systemClock,
  });
  return { result, lines: out.trimEnd().split("\n"), errors };
}
