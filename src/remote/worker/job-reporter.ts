import type { Amount, PermissionQuestion } from "../../agent/index.ts";
import {
  type AgentId,
  type Envelope,
  type Event,
  LiveEvent,
  type PromptId,
  StoredEvent,
} from "../../protocol/index.ts";
import type { HeldJob } from "../jobs/work-bus.ts";

/** Reports an agent's activity to the session that submitted the job. */
export interface JobReporter {
  /** Resolves when the session is closed and everything is reported. */
  follow(envelopes: AsyncIterable<Envelope>): Promise<void>;
  /** The submitter knows the next prompt that the session admits under this id. */
  expect(promptId: PromptId): void;
  question(question: PermissionQuestion): Promise<void>;
  /** Requests budget. Resolves with the number of the request. */
  budget(wanted: { readonly keeps: Amount; readonly needs: Amount }): Promise<number>;
}

export function createJobReporter(job: HeldJob, { onSettled }: { onSettled(): void }): JobReporter {
  const { generation } = job.state;
  const expected: PromptId[] = [];
  /** Maps local prompt ids to those of the submitter. */
  const names = new Map<PromptId, PromptId>();
  let number = 0;
  let waiting: Event[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const mine = waiting;
    sending = sending.then(async () => {
      while (mine.length > 0 && !job.lost.aborted) {
        const events = takeBatch(mine, job.maxBytes);
        mine.splice(0, events.length);
        await job.report({
          kind: "events",
          generation,
          number: ++number,
          events: events.map((event) => fitToBus(event, job.maxBytes)),
        });
      }
    });
    // The caller that waits for the end gets the error.
    sending.catch(() => undefined);
    return sending;
  };

  /**
   * Sends reports in order, because a report with a lower number than the last one is ignored. Pending events go first.
   * Later events wait, because the submitter may answer a question at once.
   */
  const inOrder = async (report: () => Promise<void>): Promise<void> => {
    void flush();
    waiting = [];
    sending = sending.then(report);
    sending.catch(() => undefined);
    await sending;
  };

  /** Merges deltas and sends them at intervals, because the bus stores every message. */
  const queueLive = (event: LiveEvent) => {
    if (!isReportedLive(event)) return;
    const last = waiting.at(-1);
    const joined = last && joinLiveEvents(last, event);
    if (joined) waiting[waiting.length - 1] = joined;
    else waiting.push(event);
    timer ??= setTimeout(() => void flush(), liveIntervalMs);
  };

  const told = (event: StoredEvent): StoredEvent | undefined => {
    switch (event.type) {
      // The submitter has recorded these events itself.
      case "session.opened":
      case "session.closed":
      case "agent.spawned":
        return undefined;
      case "prompt.admitted": {
        const known = event.source === "user" ? expected.shift() : undefined;
        if (known === undefined) return event;
        names.set(event.promptId, known);
        return undefined;
      }
      case "prompt.promoted":
        return { ...event, promptId: names.get(event.promptId) ?? event.promptId };
      default:
        return event;
    }
  };

  return {
    async follow(envelopes) {
      let own: AgentId | undefined;
      for await (const { agent, event: said } of envelopes) {
        own ??= agent;
        const stored = StoredEvent.safeParse(said);
        if (!stored.success) {
          if (agent === own) queueLive(LiveEvent.parse(said));
          continue;
        }
        // For subagents, only costs are reported.
        const event =
          agent === own ? told(stored.data) : stored.data.type === "cost.recorded" ? stored.data : undefined;
        if (!event) continue;
        waiting.push(event);
        void flush();
        if (event.type === "tool.settled") onSettled();
      }
      await flush();
    },
    expect: (promptId) => void expected.push(promptId),
    question: (question) => inOrder(() => job.report({ kind: "question", generation, number: ++number, question })),
    async budget(wanted) {
      let mine = 0;
      await inOrder(() => {
        mine = ++number;
        return job.report({ kind: "budget", generation, number: mine, ...wanted });
      });
      return mine;
    },
  };
}

const liveIntervalMs = 1000;
const liveTypes = new Set<Event["type"]>([
  "text.delta",
  "thinking.delta",
  "tool.progress",
  "turn.waiting",
  "turn.retried",
]);

export const isReportedLive = ({ type }: Event): boolean => liveTypes.has(type);

/** Merges two live events if the second continues the first. */
export function joinLiveEvents(first: Event, next: Event): Event | undefined {
  if (first.type === "tool.progress" && next.type === "tool.progress" && first.callId === next.callId)
    return { ...first, text: first.text + next.text };
  if (first.type === "text.delta" && next.type === "text.delta") return { ...first, text: first.text + next.text };
  if (first.type === "thinking.delta" && next.type === "thinking.delta")
    return { ...first, text: first.text + next.text };
  return undefined;
}

/** Returns as many events as fit into a message, but at least one. */
function takeBatch(events: readonly Event[], maxBytes: number): Event[] {
  let bytes = 0;
  const batch: Event[] = [];
  for (const event of events) {
    bytes += sizeOf(event) + 1;
    if (batch.length > 0 && bytes > maxBytes / 2) break;
    batch.push(event);
  }
  return batch;
}

function fitToBus(event: Event, maxBytes: number): Event {
  const size = sizeOf(event);
  if (size <= maxBytes / 2) return event;
  const message = `An event of ${size} bytes (${event.type}) is too large for the bus. It is only in the worker's log.`;
  return { type: "notice.raised", level: "warning", code: "remote", message };
}

const sizeOf = (event: Event): number => Buffer.byteLength(JSON.stringify(event));
