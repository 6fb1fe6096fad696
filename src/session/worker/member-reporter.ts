import type { Envelope, StoredEnvelope } from "../../protocol/index.ts";
import type { HeldJob, StoredTeam } from "../../store/index.ts";
import { isLive } from "../../view/index.ts";
import { isShown, joinShown } from "./reporter.ts";

/** Brings what a teammate does to the bus: what is stored for good, the rest for whoever looks on. */
export interface MemberReporter {
  /** Of its own agent, the moment it is stored. */
  heard(envelope: Envelope): void;
  /** Of everybody in its session, until that is closed: agents under it, and what is for eyes only. */
  follow(envelopes: AsyncIterable<Envelope>): Promise<void>;
  /** Resolves when everything heard so far is on the bus. */
  told(): Promise<void>;
}

export function createMemberReporter(
  { team, name, job }: { readonly team: Pick<StoredTeam, "events">; readonly name: string; readonly job: HeldJob },
  onSettled: () => void,
): MemberReporter {
  let waiting: StoredEnvelope[] = [];
  let sending: Promise<void> = Promise.resolve();
  let isDue = false;
  let shown: Envelope[] = [];
  let later: NodeJS.Timeout | undefined;

  const tell = (envelope: StoredEnvelope) => {
    waiting.push(fitting(envelope, job.maxBytes));
    if (isDue) return;
    isDue = true;
    sending = sending.then(send);
    // Whoever waits for it hears of it.
    sending.catch(() => undefined);
  };

  const send = async () => {
    isDue = false;
    const now = waiting;
    waiting = [];
    // Nothing that is said after another has it counts.
    if (!job.lost.aborted) await team.events?.append(name, now);
  };

  const show = (envelope: Envelope) => {
    if (!isShown(envelope.event)) return;
    const last = shown.at(-1);
    const event = last?.agent === envelope.agent ? joinShown(last.event, envelope.event) : undefined;
    if (event && last) shown[shown.length - 1] = { ...last, event };
    else shown.push(envelope);
    later ??= setTimeout(showNow, showMs);
  };

  const showNow = () => {
    clearTimeout(later);
    later = undefined;
    const now = shown;
    shown = [];
    if (now.length > 0 && !job.lost.aborted) job.publishLive(now);
  };

  let own: Envelope["agent"] | undefined;
  return {
    heard(envelope) {
      own ??= envelope.agent;
      const { event } = envelope;
      if (isLive(event)) return;
      tell({ ...envelope, event });
      if (event.type === "tool.settled") onSettled();
    },
    async follow(envelopes) {
      try {
        for await (const envelope of envelopes) {
          const { event } = envelope;
          if (isLive(event)) show(envelope);
          else if (envelope.agent !== own) tell({ ...envelope, event });
        }
      } finally {
        showNow();
      }
      await sending;
    },
    told: () => sending,
  };
}

const showMs = 300;

/** What is too large for a message of the bus is cut: whoever goes on from there has its beginning. */
function fitting(envelope: StoredEnvelope, maxBytes: number): StoredEnvelope {
  const most = maxBytes / 4;
  if (JSON.stringify(envelope).length <= most) return envelope;
  const cut = (_: string, value: unknown) =>
    typeof value === "string" && value.length > cutAt
      ? `${value.slice(0, cutAt)}… (the rest was too large for the bus)`
      : value;
  const event = JSON.parse(JSON.stringify(envelope.event, cut)) as StoredEnvelope["event"];
  const smaller: StoredEnvelope = { ...envelope, event };
  if (JSON.stringify(smaller).length <= most) return smaller;
  const message = `Something of ${JSON.stringify(envelope).length} characters (${event.type}) was too large for the bus.`;
  return { ...envelope, event: { type: "notice.raised", level: "warning", code: "remote", message } };
}

const cutAt = 10_000;
