import { type Mail, messageOf, TroupeError } from "../../protocol/index.ts";
import type { HeldMail, Inbox, InboxReader } from "../team/inbox/inbox.ts";
import { createInboxFold, entriesBehind, heldMail, type InboxEntry } from "../team/inbox/inbox-fold.ts";
import { createInboxFollower, type InboxFollower } from "../team/inbox/inbox-follower.ts";
import { parseInboxRecord } from "../team/inbox/inbox-record.ts";
import type { MemoryClaims } from "./memory-claims.ts";
import type { MemoryIo } from "./memory-io.ts";

/** The mail of one member, folded once for all processes. */
export interface MemoryInbox {
  /** A separate handle for each user. `closed` aborts when the user closes the team. */
  open(io: MemoryIo, closed: AbortSignal): Inbox;
  /** Rejects later calls: the team is deleted. */
  remove(): void;
}

export interface MemoryInboxOptions {
  readonly team: string;
  readonly member: string;
  readonly path: string;
  readonly claims: MemoryClaims;
}

export function createMemoryInbox({ team, member, path, claims }: MemoryInboxOptions): MemoryInbox {
  const fold = createInboxFold({ keepsRead: true });
  const followers = new Set<InboxFollower>();
  let isRemoved = false;

  const add = (mail: Mail) => {
    const entry = fold.apply({ mail }, 1);
    if (entry !== undefined) for (const follower of followers) follower.deliver([entry]);
  };

  const assertThere = () => {
    if (isRemoved) throw new TroupeError("team", `Team ${team} no longer exists: it was deleted.`);
  };

  const open = (io: MemoryIo, closed: AbortSignal): Inbox => ({
    member,
    send: (mail, json = JSON.stringify(mail)) =>
      io.turn((append) => {
        assertThere();
        append(path, [mailIn(json)], add);
      }),
    peek: () => io.turn(() => ({ mail: [...fold.entries.values()].flatMap(heldMail), problems: [] })),
    peekUnread: () => io.turn(() => ({ mail: fold.unread().flatMap(heldMail), problems: [] })),
    watch: (signal) =>
      io.whileAlive(follow([signal, closed], { io, from: () => [...fold.entries.values()], yieldsEmpty: true })),
    openReader: () => io.turn(() => openReader(io, closed)),
  });

  const openReader = (io: MemoryIo, storeClosed: AbortSignal): InboxReader => {
    assertThere();
    const release = claims.claim(path, { io, what: `The inbox of ${member}` });
    const closing = new AbortController();
    const ends = [closing.signal, storeClosed];
    const close = () => {
      closing.abort();
      release();
    };
    storeClosed.addEventListener("abort", close, { once: true });
    const assertOpen = () => {
      if (ends.some(({ aborted }) => aborted)) throw new Error(`the reader of the inbox of ${member} is closed`);
    };

    return {
      unread: () => io.turn(() => (assertOpen(), fold.unread().flatMap(heldMail))),
      follow: (signal) => io.whileAlive(followUnread([signal, ...ends], io)),
      mark: (ids, state) =>
        io.turn((append) => {
          assertOpen();
          const known = ids.flatMap((id) => fold.entries.get(id) ?? []);
          const changed = entriesBehind(known, state);
          if (changed.length > 0) append(path, [changed], (marked) => fold.mark(marked, state));
        }),
      takeNotices: () => [],
      close: async () => close(),
    };
  };

  async function* followUnread(ends: readonly AbortSignal[], io: MemoryIo): AsyncIterable<readonly HeldMail[]> {
    for await (const batch of follow(ends, { io, from: () => fold.unread(), yieldsEmpty: false })) {
      const unread = batch.filter(({ state }) => state !== "read");
      if (unread.length > 0) yield unread;
    }
  }

  async function* follow(
    ends: readonly AbortSignal[],
    { io, from, yieldsEmpty }: FollowOptions,
  ): AsyncIterable<readonly HeldMail[]> {
    const follower = createInboxFollower();
    const leave = () => {
      followers.delete(follower);
      for (const signal of ends) signal.removeEventListener("abort", follower.wake);
    };
    const forget = io.onDeath(leave);
    for (const signal of ends) signal.addEventListener("abort", follower.wake);
    followers.add(follower);
    try {
      follower.deliver(from());
      if (yieldsEmpty) yield follower.take();
      for (;;) {
        if (ends.some(({ aborted }) => aborted)) return;
        const batch = follower.take();
        if (batch.length > 0) yield batch;
        else await follower.woken();
      }
    } finally {
      forget();
      leave();
    }
  }

  return { open, remove: () => void (isRemoved = true) };
}

interface FollowOptions {
  readonly io: MemoryIo;
  readonly from: () => readonly InboxEntry[];
  readonly yieldsEmpty: boolean;
}

/** The mail as a reader of a file finds it. */
function mailIn(json: string): Mail {
  const parsed = parseInboxRecord({ mail: JSON.parse(json) as unknown });
  if (parsed.ok && "mail" in parsed.record) return parsed.record.mail;
  throw new TypeError(`Cannot store a mail: ${parsed.ok ? messageOf(parsed.record) : parsed.reason}`);
}
