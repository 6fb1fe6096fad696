import type { Session } from "../session/index.ts";
import type { NextSession, TuiOptions } from "../tui/index.ts";
import { createFaceFacts } from "./face-facts.ts";
import { openPromptSources } from "./prompt-sources.ts";
import type { RunFlags } from "./run-flags.ts";
import { openPreferences } from "./ui-preferences.ts";

export interface FaceOf {
  readonly session: Session;
  readonly flags: Partial<RunFlags>;
  readonly signal: AbortSignal;
  readonly setNext: (next: NextSession | undefined) => void;
}

/** What the terminal UI works with, for one session in the terminal of this process. */
export async function openFace({ session, flags, signal, setNext }: FaceOf): Promise<TuiOptions> {
  return {
    session,
    facts: createFaceFacts({ session, flags, setNext }),
    preferences: await openPreferences(process.env),
    ...openPromptSources(session.cwd, process.env),
    stdin: process.stdin,
    stdout: process.stdout,
    env: process.env,
    signal,
    now: () => Date.now(),
  };
}
