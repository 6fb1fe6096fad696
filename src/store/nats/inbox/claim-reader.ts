import { TroupeError } from "../../../protocol/index.ts";
import type { Bus } from "../connection/bus.ts";
import type { StoredPresence, PresenceMessages } from "../presence/presence-messages.ts";
import type { TeamSubjects } from "../team-subjects.ts";

/**
 * The right to be the only reader of an inbox. It lasts while the process's heartbeats arrive; then another process can
 * take it.
 */
export interface ReaderClaim {
  /** Aborts with an error message when another process has taken the claim. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export async function claimReader(options: {
  readonly member: string;
  readonly bus: Bus;
  readonly presenceMessages: PresenceMessages;
  readonly subjects: TeamSubjects;
}): Promise<ReaderClaim> {
  const { member, presenceMessages, bus } = options;
  const subject = options.subjects.reader(member);
  const word = { owner: presenceMessages.here, process: presenceMessages.process };
  const lost = new AbortController();
  let sequence = 0;
  for (;;) {
    await presenceMessages.refresh();
    const before = presenceMessages.latestOn(subject);
    if (before !== undefined && isHeld(before, presenceMessages)) throw busy(member, before);
    const answer = await presenceMessages.publishAfter(subject, word, before?.sequence ?? 0);
    if (answer === "conflict") continue;
    sequence = answer;
    break;
  }
  const stop = presenceMessages.onMessage((on, sign) => {
    if (on === subject && sign.sequence > sequence) lost.abort(busy(member, sign));
  });
  return {
    lost: lost.signal,
    release: async () => {
      stop();
      // Otherwise the lease runs out.
      if (lost.signal.aborted || !bus.isConnected()) return;
      await presenceMessages.publishAfter(subject, { ...word, isLast: true }, sequence);
    },
  };
}

const isHeld = (sign: StoredPresence, presenceMessages: PresenceMessages): boolean => {
  if (sign.word.isLast) return false;
  const { process, expired } = presenceMessages.livenessOf(sign);
  return process !== "dead" && !expired;
};

function busy(member: string, { word: { owner } }: StoredPresence): TroupeError {
  const message = `The inbox of ${member} is in use by process ${owner.pid} on ${owner.host}. Close it there, or wait until that process has ended.`;
  return new TroupeError("session_busy", message);
}
