import { setMaxListeners } from "node:events";
import type { CreateId } from "../../../platform/index.ts";
import { messageOf, TroupeError } from "../../../protocol/index.ts";
import type { Bus } from "../connection/bus.ts";
import { noAnswerError } from "../connection/bus-errors.ts";
import { openLeftOutboxes, openOutboxFile, type OutboxFile } from "./outbox-file.ts";
import { createLaneSender, type Lane, type Pending, pending, pendingFromFile } from "./outbox-lane.ts";
import { createSentRecords } from "./sent-records.ts";
import type { StreamContext } from "../connection/stream-context.ts";

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

export interface OutboxOptions extends StreamContext {
  readonly folder: string;
  readonly subjectOf: (to: string) => string;
  readonly createId: CreateId;
}

export function openOutbox(options: OutboxOptions): Outbox {
  const { bus, clock } = options;
  const closed = new AbortController();
  // One listener for each member that is written to at the same time.
  setMaxListeners(0, closed.signal);
  const notices: string[] = [];
  const lanes = new Map<string, Lane>();
  const left: Lane[] = [];
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

  const sent = createSentRecords(options);
  const pump = createLaneSender({
    ...options,
    closed: closed.signal,
    ready: async (lane) => {
      if (left.includes(lane)) return;
      await taking.catch(() => undefined);
      for (const before of left) if (before.to === lane.to) await before.pumping?.catch(() => undefined);
    },
    onSent: sent.retain,
    onEnd: (error) => {
      isFailed = TroupeError.is(error) ? error : undefined;
    },
    notify: (text) => notices.push(text),
  });

  const checkStream = async () => {
    const lost = await sent.takeLost();
    if (lost.length === 0) return;
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

  return {
    send: async (to, record) => storedInTime(await put(to, record), options),
    leave: async (to, record) => storedOrAway(await put(to, record), bus),
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

/** Resolves with the sequence number. After a timeout the sender no longer waits. */
async function storedInTime(each: Pending, { bus, clock, waitMs }: OutboxOptions): Promise<number> {
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
}

async function storedOrAway(each: Pending, bus: Bus): Promise<void> {
  let stop = () => undefined as void;
  const away = new Promise<void>((resolve) => {
    stop = bus.onDisconnect(resolve);
    if (!bus.isConnected()) resolve();
  });
  const isAway = away.then(() => {
    each.isPromised = true;
  });
  await Promise.race([each.stored, isAway]).finally(stop);
}

const closedBeforeSentError = () =>
  new TroupeError(
    "storage",
    "The team was closed before the bus had the message. It goes out when the team is next opened on this machine.",
  );
