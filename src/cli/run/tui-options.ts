import { relative } from "node:path";
import {
  type Config,
  declineTrust,
  isTrustDeclined,
  loadConfig,
  type Session,
  trustFolder,
} from "../../session/index.ts";
import type { NextSession, TrustFacts, TuiOptions } from "../../tui/index.ts";
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
  const [preferences, loaded] = await Promise.all([openPreferences(process.env), config]);
  const trust = trustFactsOf(loaded);
  return {
    session,
    look: loaded.terminal,
    facts: createFrontendFacts({ session, flags, setNext, trust }),
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

function trustFactsOf({ home, cwd, untrusted: withheld }: Config): TrustFacts | undefined {
  if (withheld.length === 0) return undefined;
  return {
    folder: cwd,
    isNew: !isTrustDeclined(home, { cwd, withheld }),
    requests: withheld.map(({ source, key, value }) => ({ source: relative(cwd, source), key, value })),
    async decide(answer) {
      const decision = { cwd, withheld, now: Date.now() };
      await (answer === "trust" ? trustFolder : declineTrust)(home, decision);
    },
  };
}
