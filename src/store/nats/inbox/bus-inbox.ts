import type { CreateId } from "../../../platform/index.ts";
import { type Mail, TroupeError } from "../../../protocol/index.ts";
import { heldMail } from "../../team/inbox/inbox-fold.ts";
import type { Inbox, InboxReader } from "../../team/inbox/inbox.ts";
import type { Bus } from "../connection/bus.ts";
import { openBusInboxReader } from "./bus-inbox-reader.ts";
import { followArrivals } from "./follow-arrivals.ts";
import { type InboxView, openInboxView } from "./bus-inbox-view.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { PresenceMessages } from "../presence/presence-messages.ts";
import type { TeamSubjects } from "../team-subjects.ts";
import type { StreamContext } from "../connection/stream-context.ts";

export interface BusInboxOptions extends StreamContext {
  readonly member: string;
  readonly subjects: TeamSubjects;
  readonly presenceMessages: PresenceMessages;
  readonly outbox: Outbox;
  readonly createId: CreateId;
  /** An inbox larger than this is compacted once most of it is read. */
  readonly limitBytes: number;
  /** The number of read mails to keep for viewers. */
  readonly keepRead: number;
  /** The folder for unreadable messages. */
  readonly folder: string;
  /** Makes sure that the bodies of these mails are on this machine. Never rejects. */
  readonly fetchBodies: (mails: readonly Mail[]) => Promise<readonly string[]>;
  /** Aborts when the store closes. */
  readonly closed: AbortSignal;
}

/** An inbox as one subject of a stream. Nothing is read before it is used. */
export function openBusInbox(options: BusInboxOptions): Inbox & { close(): Promise<void> } {
  const { member, bus, outbox, closed } = options;
  const subject = options.subjects.inbox(member);
  const readers = new Set<InboxReader>();
  let opened: InboxView | undefined;
  const view = () => (opened ??= openInboxView({ ...options, subject }));

  const send = async (mail: Mail): Promise<void> => {
    const record = { mail };
    const bytes = Buffer.byteLength(JSON.stringify(record));
    if (bytes > bus.maxPayload() - headroom) throw tooLarge(bytes, bus);
    await outbox.send(member, record);
  };

  const synced = async (): Promise<InboxView> => {
    await view().sync();
    return view();
  };

  const openReader = async (): Promise<InboxReader> => {
    const reader = await openBusInboxReader({ ...options, subject, view: view() });
    const close = async () => {
      readers.delete(kept);
      await reader.close();
    };
    const kept = { ...reader, close };
    readers.add(kept);
    return kept;
  };

  async function* watch(signal: AbortSignal) {
    const either = AbortSignal.any([signal, closed]);
    if (either.aborted) return;
    const { fold } = await synced();
    yield* followArrivals(view(), { first: () => fold.entries.values(), keepsRead: true, signal: either });
  }

  return {
    member,
    send,
    peek: async () => {
      const { fold, problems } = await synced();
      const { compactedThrough } = fold;
      const mail = [...fold.entries.values()].flatMap(heldMail);
      await options.fetchBodies(mail.map((held) => held.mail));
      return { mail, problems, ...(compactedThrough !== undefined && { compactedThrough }) };
    },
    peekUnread: async () => {
      const { fold, problems } = await synced();
      const mail = fold.unread().flatMap(heldMail);
      await options.fetchBodies(mail.map((held) => held.mail));
      return { mail, problems };
    },
    watch,
    openReader,
    close: async () => {
      await Promise.all([...readers].map((reader) => reader.close()));
      await opened?.close();
    },
  };
}

function tooLarge(bytes: number, bus: Bus): TroupeError {
  const most = Math.floor((bus.maxPayload() - headroom) / 1000);
  return new TroupeError(
    "mail",
    `cannot send the message: it has ${Math.ceil(bytes / 1000)} kB, and the bus at ${bus.where} accepts at most ${most} kB. Write it to a file and send the path.`,
  );
}

/** Reserved for the data around a record. */
const headroom = 4096;
