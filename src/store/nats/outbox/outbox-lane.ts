import type { Clock } from "../../../platform/index.ts";
import { messageOf, TroupeError } from "../../../protocol/index.ts";
import { publish } from "../connection/bus-request.ts";
import type { Bus } from "../connection/bus.ts";
import type { OutboxFile, Outgoing } from "./outbox-file.ts";

/** The records of one file for one receiver, in order. */
export interface Lane {
  readonly to: string;
  readonly file: OutboxFile;
  readonly queue: Pending[];
  pumping: Promise<void> | undefined;
}

/** A record that is not acknowledged yet. */
export interface Pending extends Outgoing {
  readonly json: string;
  readonly stored: Promise<number>;
  readonly done: (sequence: number) => void;
  readonly fail: (error: unknown) => void;
  /** After a crash the number of a record on disk is known and never reused. */
  isOnDisk: boolean;
  /** The sender no longer waits, but was promised that it goes out. */
  isPromised: boolean;
  /** Marks a record that is sent again after a loss, so that the server does not drop it as a duplicate. */
  readonly again?: string;
}

export interface LaneSenderOptions {
  readonly bus: Bus;
  readonly stream: string;
  readonly subjectOf: (to: string) => string;
  readonly clock: Clock;
  readonly closed: AbortSignal;
  /** Resolves when everything that goes out before the lane has gone out. */
  readonly ready: (lane: Lane) => Promise<void>;
  readonly onSent: (lane: Lane, batch: readonly Pending[], stored: StoredBatch) => void;
  /** The team no longer exists, or the outbox is closed: nothing goes out any more. */
  readonly onEnd: (error: unknown) => void;
  readonly notify: (text: string) => void;
}

/** The message in the stream that carries a batch. */
export interface StoredBatch {
  readonly sequence: number;
  readonly id: string;
}

/** Returns a function that sends the waiting records of a lane, in order, until none is left. */
export function createLaneSender(options: LaneSenderOptions): (lane: Lane) => Promise<void> {
  const { bus, stream, clock, closed } = options;

  const pump = (lane: Lane): Promise<void> => (lane.pumping ??= Promise.resolve().then(() => run(lane)));

  const run = async (lane: Lane) => {
    try {
      await options.ready(lane);
      while (lane.queue.length > 0 && !closed.aborted) {
        const batch = nextBatch(lane.queue, bus.maxPayload() / 2);
        // A record that is not on disk yet is sent after its write.
        if (batch.length === 0) return;
        await sendOrReport(lane, batch);
      }
    } finally {
      // Reset in the same step as the last check of the queue, so that a later record starts a new run.
      lane.pumping = undefined;
    }
  };

  const sendOrReport = async (lane: Lane, batch: readonly Pending[]) => {
    try {
      await sendBatch(lane, batch);
    } catch (error) {
      // The sender does not get an acknowledgement and may send again. Later records are not delayed.
      for (const each of batch) each.fail(error);
      if (closed.aborted || isTeamGone(error)) {
        options.onEnd(error);
        for (const each of lane.queue.splice(0)) each.fail(error);
        return;
      }
      takeOut(lane, batch);
      reportRefused(lane, batch, error);
      await lane.file.acknowledged(lane.to, batch.at(-1)?.n ?? 0);
    }
  };

  const sendBatch = async (lane: Lane, batch: readonly Pending[]) => {
    const first = batch[0]?.n ?? 0;
    const lastOne = batch.at(-1)?.n ?? 0;
    const payload = `{"o":${JSON.stringify(lane.file.id)},"n":${first},"records":[${batch.map(({ json }) => json).join(",")}]}`;
    const id = `${lane.file.id}.${options.subjectOf(lane.to)}.${first}-${lastOne}${batch[0]?.again ?? ""}`;
    const subject = options.subjectOf(lane.to);
    const patience = { clock, waitMs: Number.POSITIVE_INFINITY, signal: closed };
    const ack = await publish(bus, { stream, subject, payload, id }, patience);
    if (ack === "conflict") throw new Error("the bus refused a message for its position, but the message has none");
    takeOut(lane, batch);
    options.onSent(lane, batch, { sequence: ack.seq, id });
    for (const each of batch) each.done(ack.seq);
    await lane.file.acknowledged(lane.to, lastOne);
  };

  /** Other records may have been queued before it. */
  const takeOut = (lane: Lane, batch: readonly Pending[]) => {
    const [first] = batch;
    if (first) lane.queue.splice(lane.queue.indexOf(first), batch.length);
  };

  /** Warns people about records that were accepted for sending but will not arrive. */
  const reportRefused = (lane: Lane, batch: readonly Pending[], error: unknown) => {
    const count = batch.filter(({ isPromised }) => isPromised).length;
    if (count === 0) return;
    const what = count === 1 ? "A message" : `${count} messages`;
    options.notify(`${what} to ${lane.to} that waited on this disk will not arrive: ${messageOf(error)}`);
  };

  return pump;
}

export function pending({ to, n, record }: Outgoing): Pending {
  let done: (sequence: number) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const stored = new Promise<number>((resolve, reject) => {
    done = resolve;
    fail = reject;
  });
  stored.catch(() => undefined);
  return { to, n, record, json: JSON.stringify(record), stored, done, fail, isOnDisk: false, isPromised: false };
}

export const pendingFromFile = (each: Outgoing): Pending => ({ ...pending(each), isOnDisk: true, isPromised: true });

/** Waiting records go out as one message with one answer, so that their order cannot change. */
function nextBatch(queue: readonly Pending[], maxBytes: number): Pending[] {
  const batch: Pending[] = [];
  let bytes = 0;
  for (const each of queue) {
    if (!each.isOnDisk) break;
    bytes += each.json.length * 2;
    if (batch.length > 0 && (bytes > maxBytes || batch.length >= maxInBatch || each.again !== batch[0]?.again)) break;
    // Numbers within a message are consecutive.
    if (batch.length > 0 && each.n !== (batch.at(-1)?.n ?? 0) + 1) break;
    batch.push(each);
  }
  return batch;
}

const isTeamGone = (error: unknown) => TroupeError.is(error) && error.message.includes("no longer on the bus");
const maxInBatch = 200;
