import { setMaxListeners } from "node:events";
import type { Clock, CreateId } from "../../../platform/index.ts";
import { messageOf, TroupeError } from "../../../protocol/index.ts";
import { publish } from "../connection/bus-request.ts";
import type { Bus } from "../connection/bus.ts";
import { noAnswerError } from "../connection/bus-errors.ts";
import { openLeftOutboxes, openOutboxFile, type OutboxFile, type Outgoing } from "./outbox-file.ts";

/**
 * Sends records to inboxes: first to this machine's disk, then to the stream, in order for each receiver, with retries
 * until the stream has them. Records of a dead process go out before new ones.
 */
export interface Outbox {
  /**
   * Resolves with the sequence number when the stream has the record. Rejects with `storage` after a timeout, but
   * continues to send.
   */
  send(to: string, record: unknown): Promise<number>;
  /** The same, but while the bus is unreachable it resolves once the record is on this disk. */
  leave(to: string, record: unknown): Promise<void>;
  /** The number of unacknowledged records. */
  waiting(): number;
  /** Returns the notices for people since the last call. */
  takeNotices(): readonly string[];
  close(): Promise<void>;
}

export interface OutboxOptions {
  readonly folder: string;
  readonly bus: Bus;
  readonly stream: string;
  readonly subjectOf: (to: string) => string;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly waitMs: number;
}

export function openOutbox(options: OutboxOptions): Outbox {
  const { bus, stream, clock, waitMs } = options;
  const closed = new AbortController();
  // One listener for each member that is written to at the same time.
  setMaxListeners(0, closed.signal);
  const notices: string[] = [];
  const lanes = new Map<string, Lane>();
  const left: Lane[] = [];
  let retained: Sent[] = [];
  let own: Promise<OutboxFile> | undefined;
  let isFailed: TroupeError | undefined;

  /** Runs at once: mail of a dead process must not wait for the next write. */
  const taking = openLeftOutboxes(options.folder, options).then((files) => {
    for (const file of files) {
      const lanesOfFile = new Map<string, Lane>();
      for (const each of file.left) laneOf(lanesOfFile, each.to, file).queue.push(pendingFromFile(each));
      left.push(...lanesOfFile.values());
      const done = Promise.allSettled([...lanesOfFile.values()].map(pump));
      closing.push(done.then(() => file.close()));
    }
  });
  const closing: Promise<unknown>[] = [];
  taking.catch((error: unknown) => notices.push(`cannot send what a previous process left: ${messageOf(error)}`));

  const laneOf = (among: Map<string, Lane>, to: string, file: OutboxFile): Lane => {
    const known = among.get(to);
    if (known !== undefined) return known;
    const lane: Lane = { to, file, queue: [], pumping: undefined };
    among.set(to, lane);
    return lane;
  };

  /** Records already in the file go out first. */
  const openOwn = async (): Promise<OutboxFile> => {
    await taking.catch(() => undefined);
    const file = await openOutboxFile(options.folder, options);
    for (const each of file.left) laneOf(lanes, each.to, file).queue.push(pendingFromFile(each));
    for (const lane of lanes.values()) pump(lane).catch(() => undefined);
    return file;
  };

  const put = async (to: string, record: unknown): Promise<Pending> => {
    if (closed.signal.aborted) throw new Error("the outbox is closed");
    if (isFailed !== undefined) throw isFailed;
    own ??= openOwn().catch((error: unknown) => {
      // The next call tries again.
      own = undefined;
      throw error;
    });
    const file = await own;
    const lane = laneOf(lanes, to, file);
    const each = pending({ to, n: file.lastOf(to) + 1, record });
    const stored = file.put([{ to, n: each.n, record }]);
    lane.queue.push(each);
    try {
      await stored;
    } finally {
      each.isOnDisk = true;
    }
    pump(lane).catch(() => undefined);
    return each;
  };

  const pump = (lane: Lane): Promise<void> => (lane.pumping ??= Promise.resolve().then(() => run(lane)));

  const run = async (lane: Lane) => {
    try {
      if (!left.includes(lane)) {
        await taking.catch(() => undefined);
        for (const before of left) if (before.to === lane.to) await before.pumping?.catch(() => undefined);
      }
      while (lane.queue.length > 0 && !closed.signal.aborted) {
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
      if (closed.signal.aborted || isTeamGone(error)) {
        isFailed = TroupeError.is(error) ? error : undefined;
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
    const patience = { clock, waitMs: Number.POSITIVE_INFINITY, signal: closed.signal };
    const ack = await publish(bus, { stream, subject, payload, id }, patience);
    if (ack === "conflict") throw new Error("the bus refused a message for its position, but the message has none");
    takeOut(lane, batch);
    retain(lane, batch, { sequence: ack.seq, id });
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
    notices.push(`${what} to ${lane.to} that waited on this disk will not arrive: ${messageOf(error)}`);
  };

  /** Keeps sent records for a while: a server that loses power may lose what it has acknowledged. */
  const retain = (lane: Lane, batch: readonly Pending[], stored: Pick<Sent, "sequence" | "id">) => {
    const at = clock.monotonic();
    for (const each of batch) retained.push({ lane, each, at, ...stored });
    if (retained.length > maxRetained) retained = retained.slice(-maxRetained / 2);
    while (retained[0] !== undefined && at - retained[0].at > retainMs) retained.shift();
  };

  /**
   * A loss affects the end of the stream: everything before an existing message exists too. Compacted records are sent
   * again without effect.
   */
  const lostOf = async (sent: readonly Sent[]): Promise<Sent[]> => {
    for (let index = sent.length - 1; index >= 0; index--) {
      const { sequence, id } = sent[index] as Sent;
      if (index < sent.length - 1 && sent[index + 1]?.sequence === sequence) continue;
      const there = await bus.jsm.streams.getMessage(stream, { seq: sequence });
      if (there?.header.get("Nats-Msg-Id") === id) return sent.slice(index + 1);
    }
    return [...sent];
  };

  const checkStream = async () => {
    const lost = await lostOf(retained);
    if (lost.length === 0) return;
    retained = retained.filter((each) => !lost.includes(each));
    notices.push(`The bus lost ${lost.length} messages that it had acknowledged; this process sends them again.`);
    for (const { lane, each } of lost.reverse())
      lane.queue.unshift({ ...pendingFromFile(each), again: `.${clock.now()}` });
    for (const lane of new Set(lost.map((one) => one.lane))) pump(lane).catch(() => undefined);
  };
  const stopListening = bus.onReconnect(() => {
    checkStream().catch((error: unknown) =>
      notices.push(`cannot check the bus for lost messages after the reconnect: ${messageOf(error)}`),
    );
  });

  const send: Outbox["send"] = async (to, record) => {
    const each = await put(to, record);
    const late = new AbortController();
    try {
      const tooLate = clock.sleep(waitMs, late.signal).then(() => {
        each.isPromised = true;
        throw noAnswerError(
          bus,
          "the message is on this disk and goes out when the bus is back. Do not send it again",
          waitMs,
        );
      });
      tooLate.catch(() => undefined);
      return await Promise.race([each.stored, tooLate]);
    } finally {
      late.abort(new Error("answered"));
    }
  };

  const leave: Outbox["leave"] = async (to, record) => {
    const each = await put(to, record);
    let stop = () => undefined as void;
    const away = new Promise<void>((resolve) => {
      stop = bus.onDisconnect(resolve);
      if (!bus.isConnected()) resolve();
    });
    const isAway = away.then(() => {
      each.isPromised = true;
    });
    await Promise.race([each.stored, isAway]).finally(stop);
  };

  return {
    send,
    leave,
    waiting: () => [...lanes.values(), ...left].reduce((sum, { queue }) => sum + queue.length, 0),
    takeNotices: () => notices.splice(0),
    close: async () => {
      closed.abort(closedBeforeSentError());
      stopListening();
      await taking.catch(() => undefined);
      for (const { pumping } of [...lanes.values(), ...left]) await pumping?.catch(() => undefined);
      for (const lane of [...lanes.values(), ...left])
        for (const each of lane.queue.splice(0)) each.fail(closedBeforeSentError());
      await Promise.all(closing);
      await (await own)?.close();
    },
  };
}

interface Lane {
  readonly to: string;
  readonly file: OutboxFile;
  readonly queue: Pending[];
  pumping: Promise<void> | undefined;
}

interface Pending extends Outgoing {
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

interface Sent {
  readonly lane: Lane;
  readonly each: Pending;
  readonly sequence: number;
  /** The id of the message that carried it. */
  readonly id: string;
  readonly at: number;
}

function pending({ to, n, record }: Outgoing): Pending {
  let done: (sequence: number) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const stored = new Promise<number>((resolve, reject) => {
    done = resolve;
    fail = reject;
  });
  stored.catch(() => undefined);
  return { to, n, record, json: JSON.stringify(record), stored, done, fail, isOnDisk: false, isPromised: false };
}

const pendingFromFile = (each: Outgoing): Pending => ({ ...pending(each), isOnDisk: true, isPromised: true });

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
const closedBeforeSentError = () =>
  new TroupeError(
    "storage",
    "The team was closed before the bus had the message. It goes out when the team is next opened on this machine.",
  );

const maxInBatch = 200;
const maxRetained = 1000;
const retainMs = 180_000;
