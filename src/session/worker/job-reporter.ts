import type { Amount, PermissionQuestion } from "../../agent/index.ts";
import {
  type AgentId,
  type Envelope,
  type Event,
  LiveEvent,
  type PromptId,
  StoredEvent,
} from "../../protocol/index.ts";
import type { HeldJob } from "../../store/index.ts";

/** Tells whoever wants the job what its agent does. */
export interface JobReporter {
  /** Until the session is closed and everything is told. */
  follow(envelopes: AsyncIterable<Envelope>): Promise<void>;
  /** The next prompt that the session admits is known to the other side under this id. */
  expect(promptId: PromptId): void;
  question(question: PermissionQuestion): Promise<void>;
  /** Asks for money and tokens. Resolves with the number of the question. */
  budget(wanted: { readonly keeps: Amount; readonly needs: Amount }): Promise<number>;
}

export function createJobReporter(job: HeldJob, { onSettled }: { onSettled(): void }): JobReporter {
  const { generation } = job.state;
  const expected: PromptId[] = [];
  /** What a prompt is called here, and what there. */
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
    // Whoever waits for the end hears of it.
    sending.catch(() => undefined);
    return sending;
  };

  /**
   * One after another: what comes after something that was said later is not heard. And before all that happens from now
   * on: whoever hears of a question may answer at once.
   */
  const inOrder = async (report: () => Promise<void>): Promise<void> => {
    void flush();
    waiting = [];
    sending = sending.then(report);
    sending.catch(() => undefined);
    await sending;
  };

  /** What is written bit by bit goes together, once in a while: nobody reads faster, and the bus keeps it all. */
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
      // The other side has said these itself.
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
        // Of what agents under it do only the price is told.
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

/** One in the place of two, where the second goes on with the first. */
export function joinLiveEvents(first: Event, next: Event): Event | undefined {
  if (first.type === "tool.progress" && next.type === "tool.progress" && first.callId === next.callId)
    return { ...first, text: first.text + next.text };
  if (first.type === "text.delta" && next.type === "text.delta") return { ...first, text: first.text + next.text };
  if (first.type === "thinking.delta" && next.type === "thinking.delta")
    return { ...first, text: first.text + next.text };
  return undefined;
}

/** As many as a message takes; at least one. */
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
  const message = `Something of ${size} bytes (${event.type}) is too large for the bus, and stays in the log of the worker.`;
  return { type: "notice.raised", level: "warning", code: "remote", message };
}

const sizeOf = (event: Event): number => Buffer.byteLength(JSON.stringify(event));
