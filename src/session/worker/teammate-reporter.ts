import type { Envelope, StoredEnvelope } from "../../protocol/index.ts";
import type { HeldJob, StoredTeam } from "../../store/index.ts";
import { isLive } from "../../view/index.ts";
import { isReportedLive, joinLiveEvents } from "./job-reporter.ts";

/** Brings what a teammate does to the bus: what is stored for good, the rest for whoever looks on. */
export interface TeammateReporter {
  /** Of its own agent, the moment it is stored. */
  observe(envelope: Envelope): void;
  /** Of everybody in its session, until that is closed: agents under it, and what is for eyes only. */
  follow(envelopes: AsyncIterable<Envelope>): Promise<void>;
  /** Resolves when everything heard so far is on the bus. */
  flushed(): Promise<void>;
}

export function createTeammateReporter(
  { team, name, job }: { readonly team: Pick<StoredTeam, "events">; readonly name: string; readonly job: HeldJob },
  onSettled: () => void,
): TeammateReporter {
  let waiting: StoredEnvelope[] = [];
  let sending: Promise<void> = Promise.resolve();
  let isDue = false;
  let liveEnvelopes: Envelope[] = [];
  let timer: NodeJS.Timeout | undefined;

  const queue = (envelope: StoredEnvelope) => {
    waiting.push(fitToBus(envelope, job.maxBytes));
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

  const queueLive = (envelope: Envelope) => {
    if (!isReportedLive(envelope.event)) return;
    const last = liveEnvelopes.at(-1);
    const event = last?.agent === envelope.agent ? joinLiveEvents(last.event, envelope.event) : undefined;
    if (event && last) liveEnvelopes[liveEnvelopes.length - 1] = { ...last, event };
    else liveEnvelopes.push(envelope);
    timer ??= setTimeout(sendLive, liveIntervalMs);
  };

  const sendLive = () => {
    clearTimeout(timer);
    timer = undefined;
    const now = liveEnvelopes;
    liveEnvelopes = [];
    if (now.length > 0 && !job.lost.aborted) job.publishLive(now);
  };

  let own: Envelope["agent"] | undefined;
  return {
    observe(envelope) {
      own ??= envelope.agent;
      const { event } = envelope;
      if (isLive(event)) return;
      queue({ ...envelope, event });
      if (event.type === "tool.settled") onSettled();
    },
    async follow(envelopes) {
      try {
        for await (const envelope of envelopes) {
          const { event } = envelope;
          if (isLive(event)) queueLive(envelope);
          else if (envelope.agent !== own) queue({ ...envelope, event });
        }
      } finally {
        sendLive();
      }
      await sending;
    },
    flushed: () => sending,
  };
}

const liveIntervalMs = 300;

/** What is too large for a message of the bus is cut: whoever goes on from there has its beginning. */
function fitToBus(envelope: StoredEnvelope, maxBytes: number): StoredEnvelope {
  const maxLength = maxBytes / 4;
  if (JSON.stringify(envelope).length <= maxLength) return envelope;
  const cut = (_: string, value: unknown) =>
    typeof value === "string" && value.length > maxTextLength
      ? `${value.slice(0, maxTextLength)}… (the rest was too large for the bus)`
      : value;
  const event = JSON.parse(JSON.stringify(envelope.event, cut)) as StoredEnvelope["event"];
  const smaller: StoredEnvelope = { ...envelope, event };
  if (JSON.stringify(smaller).length <= maxLength) return smaller;
  const message = `Something of ${JSON.stringify(envelope).length} characters (${event.type}) was too large for the bus.`;
  return { ...envelope, event: { type: "notice.raised", level: "warning", code: "remote", message } };
}

const maxTextLength = 10_000;
