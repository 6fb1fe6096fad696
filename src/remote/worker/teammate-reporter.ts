import type { Envelope, StoredEnvelope } from "../../protocol/index.ts";
import type { HeldJob } from "../jobs/work-bus.ts";
import type { StoredTeam } from "../../store/index.ts";
import { isLive } from "../../view/index.ts";
import { isReportedLive, joinLiveEvents } from "./job-reporter.ts";

/** Sends the events of a teammate to the bus: stored events permanently, live events for viewers only. */
export interface TeammateReporter {
  /** Receives its own agent's events as soon as they are stored. */
  observe(envelope: Envelope): void;
  /** Receives all events of its session until it closes: those of subagents, and live events. */
  follow(envelopes: AsyncIterable<Envelope>): Promise<void>;
  /** Resolves when all received events are on the bus. */
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
    // `flushed` and `follow` report a failure.
    sending.catch(() => undefined);
  };

  const send = async () => {
    isDue = false;
    const now = waiting;
    waiting = [];
    // After the job is lost, its reports no longer count.
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

/** Cuts events that are too large for a bus message. A resumed run gets only their beginning. */
function fitToBus(envelope: StoredEnvelope, maxBytes: number): StoredEnvelope {
  const maxLength = maxBytes / 4;
  if (JSON.stringify(envelope).length <= maxLength) return envelope;
  const cut = (_: string, value: unknown) =>
    typeof value === "string" && value.length > maxTextLength
      ? `${value.slice(0, maxTextLength)}… (the rest is too large for the bus)`
      : value;
  const event = JSON.parse(JSON.stringify(envelope.event, cut)) as StoredEnvelope["event"];
  const smaller: StoredEnvelope = { ...envelope, event };
  if (JSON.stringify(smaller).length <= maxLength) return smaller;
  const message = `An event of ${JSON.stringify(envelope).length} characters (${event.type}) is too large for the bus.`;
  return { ...envelope, event: { type: "notice.raised", level: "warning", code: "remote", message } };
}

const maxTextLength = 10_000;
