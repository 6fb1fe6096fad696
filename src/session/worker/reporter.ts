import type { PermissionQuestion } from "../../agent/index.ts";
import { type AgentId, type Envelope, type PromptId, StoredEvent } from "../../protocol/index.ts";
import type { HeldJob } from "../../store/index.ts";

/** Tells whoever wants the job what its agent does. */
export interface Reporter {
  /** Until the session is closed and everything is told. */
  follow(envelopes: AsyncIterable<Envelope>): Promise<void>;
  /** The next prompt that the session admits is known to the other side under this id. */
  expect(promptId: PromptId): void;
  question(question: PermissionQuestion): Promise<void>;
}

export function createReporter(job: HeldJob, { onSettled }: { onSettled(): void }): Reporter {
  const { generation } = job.state;
  const expected: PromptId[] = [];
  /** What a prompt is called here, and what there. */
  const names = new Map<PromptId, PromptId>();
  let number = 0;
  let waiting: StoredEvent[] = [];
  let sending: Promise<void> = Promise.resolve();

  const flush = () => {
    sending = sending.then(async () => {
      while (waiting.length > 0 && !job.lost.aborted) {
        const events = takeBatch(waiting, job.maxBytes);
        waiting = waiting.slice(events.length);
        await job.report({
          kind: "events",
          generation,
          number: ++number,
          events: events.map((event) => fitting(event, job.maxBytes)),
        });
      }
    });
    // Whoever waits for the end hears of it.
    sending.catch(() => undefined);
    return sending;
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
      for await (const { agent, event: any } of envelopes) {
        own ??= agent;
        const stored = StoredEvent.safeParse(any);
        if (!stored.success) continue;
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
    async question(question) {
      await flush();
      await job.report({ kind: "question", generation, number: ++number, question });
    },
  };
}

/** As many as a message takes; at least one. */
function takeBatch(events: readonly StoredEvent[], maxBytes: number): StoredEvent[] {
  let bytes = 0;
  const batch: StoredEvent[] = [];
  for (const event of events) {
    bytes += sizeOf(event) + 1;
    if (batch.length > 0 && bytes > maxBytes / 2) break;
    batch.push(event);
  }
  return batch;
}

function fitting(event: StoredEvent, maxBytes: number): StoredEvent {
  const size = sizeOf(event);
  if (size <= maxBytes / 2) return event;
  const message = `Something of ${size} bytes (${event.type}) is too large for the bus, and stays in the log of the worker.`;
  return { type: "notice.raised", level: "warning", code: "remote", message };
}

const sizeOf = (event: StoredEvent): number => Buffer.byteLength(JSON.stringify(event));
