import { loadConfig, type Session } from "../../session/index.ts";
import type { NextSession, TuiOptions } from "../../tui/index.ts";
import { createFrontendFacts } from "./create-frontend-facts.ts";
import { followSessionEvents } from "./follow-session-events.ts";
import { openPromptSources } from "./prompt-sources.ts";
import type { RunFlags } from "./run-flags.ts";
import { openPreferences } from "./ui-preferences.ts";

export interface TuiOptionsInput {
  readonly session: Session;
  readonly flags: Partial<RunFlags>;
  readonly signal: AbortSignal;
  readonly setNext: (next: NextSession | undefined) => void;
}

/** Creates the options of the terminal UI for one session in the terminal of this process. */
export async function createTuiOptions({ session, flags, signal, setNext }: TuiOptionsInput): Promise<TuiOptions> {
  const config = loadConfig({ cwd: session.cwd, env: process.env, flags, trust: flags.trust ? "all" : undefined });
  const [preferences, { terminal }] = await Promise.all([openPreferences(process.env), config]);
  return {
    session,
    look: terminal,
    facts: createFrontendFacts({ session, flags, setNext }),
    preferences,
    followMember: (id, until) => followSessionEvents(process.env, id, until),
    ...openPromptSources(session.cwd, process.env),
    stdin: process.stdin,
    stdout: process.stdout,
    env: process.env,
    signal,
    now: () => Date.now(),
  };
}
