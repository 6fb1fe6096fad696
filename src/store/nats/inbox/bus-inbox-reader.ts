import { join } from "node:path";
import { makeFolder, safeName } from "../../../platform/index.ts";
import { type MailId, messageOf } from "../../../protocol/index.ts";
import { entriesBehind, heldMail, type InboxEntry, type InboxFold } from "../../team/inbox/inbox-fold.ts";
import type { HeldMail, InboxReader } from "../../team/inbox/inbox.ts";
import { timeForFileName, writeToFreeName } from "../../write-to-free-name.ts";
import { publish } from "../connection/bus-request.ts";
import type { BusInboxOptions } from "./bus-inbox.ts";
import { followArrivals } from "./follow-arrivals.ts";
import type { InboxView } from "./bus-inbox-view.ts";
import { claimReader } from "./claim-reader.ts";

export interface BusReaderOptions extends BusInboxOptions {
  readonly subject: string;
  readonly view: InboxView;
}

/** Opens the only reader of an inbox. It marks read mail and keeps the inbox small. */
export async function openBusInboxReader(options: BusReaderOptions): Promise<InboxReader> {
  const { member, view, bus, stream, subject, outbox, clock, createId } = options;
  const held = await claimReader(options);
  const ended = new AbortController();
  const notices: string[] = [];
  const told = new Set<string>();
  let chores: Promise<void> = Promise.resolve();
  const patience = { clock, waitMs: options.waitMs, signal: ended.signal };

  const assertHeld = () => {
    if (ended.signal.aborted) throw new Error(`the reader of the inbox of ${member} is closed`);
    if (held.lost.aborted) throw held.lost.reason as Error;
  };

  const unread = async (): Promise<readonly HeldMail[]> => {
    assertHeld();
    // While the bus is unreachable, the known mail has to do: the member must not stop for that.
    if (bus.isConnected()) await view.sync();
    await quarantine();
    const mail = view.fold.unread().flatMap(heldMail);
    await fetch(mail);
    return mail;
  };

  const fetch = async (mail: readonly HeldMail[]) => {
    for (const problem of await options.fetchBodies(mail.map((one) => one.mail))) notices.push(problem);
  };

  async function* follow(signal: AbortSignal): AsyncIterable<readonly HeldMail[]> {
    const either = AbortSignal.any([signal, ended.signal, options.closed]);
    if (either.aborted) return;
    await view.sync();
    const first = () => view.fold.unread();
    for await (const batch of followArrivals(view, { first, keepsRead: false, signal: either })) {
      if (held.lost.aborted) throw held.lost.reason as Error;
      await quarantine();
      await fetch(batch);
      yield batch;
    }
  }

  const mark = async (ids: readonly MailId[], state: "delivered" | "read"): Promise<void> => {
    assertHeld();
    if (ids.some((id) => !view.fold.entries.has(id)) && bus.isConnected()) await view.sync();
    const known = ids.flatMap((id) => view.fold.entries.get(id) ?? []);
    const changed = entriesBehind(known, state);
    if (changed.length === 0) return;
    view.fold.mark(changed, state);
    await outbox.leave(member, { mark: state, ids: changed.map(({ id }) => id) });
    if (state === "read" && isTooLarge()) inTurn(compact);
  };

  const isTooLarge = () => {
    const { size } = view.fold.entries;
    const open = view.fold.unread().length;
    return view.bytes >= options.limitBytes && open * 2 <= size && size - open > options.keepRead;
  };

  /**
   * Replaces everything by the unread and the most recent read mail. If a new message arrives in between, it tries
   * again later.
   */
  const compact = async () => {
    if (!isTooLarge() || !bus.isConnected() || outbox.waiting() > 0) return;
    await view.sync();
    const { last, counters } = view;
    const records = compactedRecords(view.fold, options.keepRead);
    const payload = JSON.stringify({ counters: Object.fromEntries(counters), records });
    if (payload.length * 2 > bus.maxPayload()) return;
    const ack = await publish(bus, { stream, subject, payload, id: createId<string>("rec"), after: last }, patience);
    if (ack !== "conflict") await bus.jsm.streams.purge(stream, { filter: subject, seq: ack.seq });
  };

  /** Saves damaged messages to a file on this machine, and reports each once, even across restarts. */
  const quarantine = async () => {
    for (const problem of view.problems) {
      if (told.has(problem) || !problem.includes("did not arrive")) continue;
      told.add(problem);
      notices.push(problem);
    }
    const damaged = view.takeDamaged();
    if (damaged.length === 0) return;
    await makeFolder(options.folder);
    const data = Buffer.concat(damaged.flatMap(({ bytes }) => [Buffer.from(bytes), Buffer.from("\n")]));
    const copy = await writeToFreeName(join(options.folder, `${safeName(member)}.bad-${timeForFileName(clock)}`), {
      data,
    });
    const what = damaged.length === 1 ? "a message" : `${damaged.length} messages`;
    notices.push(`${subject}: cannot read ${what} (${damaged[0]?.reason}); the content is in ${copy}.`);
    await outbox.leave(member, { aside: damaged.map(({ digest }) => digest) });
  };

  /** Runs maintenance work without blocking the reader. A failure is reported and loses nothing. */
  const inTurn = (work: () => Promise<void>) => {
    chores = chores.then(work).catch((error: unknown) => {
      if (ended.signal.aborted) return;
      const why = messageOf(error);
      notices.push(`cannot compact the inbox of ${member}: ${why}`);
    });
  };

  return {
    unread,
    follow,
    mark,
    takeNotices: () => [...notices.splice(0), ...outbox.takeNotices()],
    close: async () => {
      if (ended.signal.aborted) return;
      await chores;
      ended.abort();
      await held.release();
    },
  };
}

/** The records that lead to the same inbox, with the unread and the most recent read mail only. */
function compactedRecords(fold: InboxFold, keepRead: number): unknown[] {
  const read = [...fold.entries.values()].filter(({ state }) => state === "read");
  const dropped = new Set(read.slice(0, Math.max(0, read.length - keepRead)));
  const kept = [...fold.entries.values()].filter((entry) => !dropped.has(entry));
  const idsOf = (state: InboxEntry["state"]) => kept.filter((entry) => entry.state === state).map(({ id }) => id);
  let through = fold.compactedThrough;
  for (const { id } of dropped) if (through === undefined || id > through) through = id;
  return [
    ...(through === undefined ? [] : [{ compacted: through }]),
    ...kept.map(({ mail }) => ({ mail })),
    { mark: "delivered", ids: idsOf("delivered") },
    { mark: "read", ids: idsOf("read") },
    ...(fold.aside.size > 0 ? [{ aside: [...fold.aside] }] : []),
  ];
}
