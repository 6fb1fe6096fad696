import type { Clock } from "../../../platform/index.ts";
import type { Bus } from "../connection/bus.ts";
import type { Lane, Pending, StoredBatch } from "./outbox-lane.ts";

/** Keeps sent records for a while: a server that loses power may lose what it has acknowledged. */
export interface SentRecords {
  retain(lane: Lane, batch: readonly Pending[], stored: StoredBatch): void;
  /** Returns the records that the stream has lost, and forgets them. */
  takeLost(): Promise<SentRecord[]>;
}

export interface SentRecord extends StoredBatch {
  readonly lane: Lane;
  readonly each: Pending;
  readonly at: number;
}

export function createSentRecords(options: {
  readonly bus: Bus;
  readonly stream: string;
  readonly clock: Clock;
}): SentRecords {
  const { bus, stream, clock } = options;
  let retained: SentRecord[] = [];

  /**
   * A loss affects the end of the stream: everything before an existing message exists too. Compacted records are sent
   * again without effect.
   */
  const lostOf = async (sent: readonly SentRecord[]): Promise<SentRecord[]> => {
    for (let index = sent.length - 1; index >= 0; index--) {
      const { sequence, id } = sent[index] as SentRecord;
      if (index < sent.length - 1 && sent[index + 1]?.sequence === sequence) continue;
      const there = await bus.jsm.streams.getMessage(stream, { seq: sequence });
      if (there?.header.get("Nats-Msg-Id") === id) return sent.slice(index + 1);
    }
    return [...sent];
  };

  return {
    retain(lane, batch, stored) {
      const at = clock.monotonic();
      for (const each of batch) retained.push({ lane, each, at, ...stored });
      if (retained.length > maxRetained) retained = retained.slice(-maxRetained / 2);
      while (retained[0] !== undefined && at - retained[0].at > retainMs) retained.shift();
    },
    async takeLost() {
      const lost = await lostOf(retained);
      retained = retained.filter((each) => !lost.includes(each));
      return lost;
    },
  };
}

const maxRetained = 1000;
const retainMs = 180_000;
