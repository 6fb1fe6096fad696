import { TroupeError } from "../../protocol/index.ts";
import type { Bus } from "./bus.ts";
import type { Sign, Signs } from "./signs.ts";
import type { TeamSubjects } from "./subjects.ts";

/** That this process alone reads an inbox. It holds as long as its beats are heard, and is taken over after that. */
export interface ReaderClaim {
  /** Aborts, with what to tell, when another has taken it over. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export async function claimReader(options: {
  readonly member: string;
  readonly bus: Bus;
  readonly signs: Signs;
  readonly subjects: TeamSubjects;
}): Promise<ReaderClaim> {
  const { member, signs, bus } = options;
  const subject = options.subjects.reader(member);
  const word = { owner: signs.here, process: signs.process };
  const lost = new AbortController();
  let sequence = 0;
  for (;;) {
    await signs.refresh();
    const before = signs.lastOn(subject);
    if (before !== undefined && isHeld(before, signs)) throw busy(member, before);
    const said = await signs.say(subject, word, before?.sequence ?? 0);
    if (said === "conflict") continue;
    sequence = said;
    break;
  }
  const stop = signs.onWord((on, sign) => {
    if (on === subject && sign.sequence > sequence) lost.abort(busy(member, sign));
  });
  return {
    lost: lost.signal,
    release: async () => {
      stop();
      // Otherwise its lease runs out.
      if (lost.signal.aborted || !bus.isConnected()) return;
      await signs.say(subject, { ...word, isLast: true }, sequence);
    },
  };
}

const isHeld = (sign: Sign, signs: Signs): boolean => {
  if (sign.word.isLast) return false;
  const { process, expired } = signs.judge(sign);
  return process !== "dead" && !expired;
};

function busy(member: string, { word: { owner } }: Sign): TroupeError {
  const message = `The inbox of ${member} is in use by process ${owner.pid} on ${owner.host}. Close it there, or wait until it has ended.`;
  return new TroupeError("session_busy", message);
}
