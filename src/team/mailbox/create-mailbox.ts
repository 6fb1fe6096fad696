import type { Clock, CreateId } from "../../platform/index.ts";
import { type Mail, type MailId, type MailState, TroupeError } from "../../protocol/index.ts";
import type { HeldMail, StoredTeam } from "../../store/index.ts";
import { broadcast } from "./broadcast-mail.ts";
import { memberOf, unknownMember } from "./find-member.ts";
import { closedError, createInboxReaders } from "./inbox-readers.ts";
import { createMailKeys } from "./mail-keys.ts";
import type { Mailbox, MailboxMembers, ReceivedMail } from "./mailbox.ts";
import { createReceive } from "./receive-mail.ts";
import { createSend } from "./send-mail.ts";

export interface MailboxOptions extends MailboxMembers {
  readonly team: string;
  readonly store: Pick<StoredTeam, "inbox" | "bodies" | "isUnsigned">;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly createId: CreateId;
  /**
   * The limit of texts per minute from one member to another. Control messages and the user are exempt. Default: 60.
   */
  readonly pairsPerMinute?: number;
}

export function createMailbox(options: MailboxOptions): Mailbox {
  const { store, team } = options;
  const keys = createMailKeys((name, use) => options.keyOf(name, use));
  const send = createSend({ ...options, keys, members: () => options.members() });
  const receive = createReceive({ ...store, keys });
  const readers = createInboxReaders(options);
  const notices = createNotices();
  const ended = new AbortController();

  const nameOf = (agent: string): string => {
    const member = memberOf(agent, options.members());
    if (member === undefined) throw unknownMember(agent, { team, members: options.members() });
    return member.name;
  };

  const look = async (name: string) => {
    const reading = await store.inbox(name).peek();
    notices.add(name, reading.problems);
    return reading;
  };

  const readAll = async (agent: string): Promise<ReceivedMail[]> => {
    const name = nameOf(agent);
    return receive((await look(name)).mail, name);
  };

  const readUnread = async (agent: string): Promise<ReceivedMail[]> => {
    const name = nameOf(agent);
    const reader = readers.opened(name);
    if (reader !== undefined) return receive(await reader.unread(), name);
    const { mail, problems } = await store.inbox(name).peekUnread();
    notices.add(name, problems);
    return receive(mail, name);
  };

  const mark = async (agent: string, ids: readonly MailId[], state: "delivered" | "read") => {
    const reader = await readers.open(nameOf(agent));
    await reader.mark(ids, state);
  };

  const idAt = async (agent: string, index: number): Promise<MailId> => {
    const name = nameOf(agent);
    const { mail } = await look(name);
    const at = mail[index];
    if (at === undefined)
      throw new TroupeError("mail", `No message ${index} for ${name}: the inbox has ${mail.length} messages.`);
    return at.mail.id;
  };

  const follow = (agent: string, signal?: AbortSignal) =>
    inOrder(agent, async (name, either) => (await readers.open(name)).follow(either), signal);

  const watch = (agent: string, signal?: AbortSignal) =>
    inOrder(agent, (name, either) => Promise.resolve(store.inbox(name).watch(either)), signal);

  async function* inOrder(
    agent: string,
    open: (name: string, signal: AbortSignal) => Promise<AsyncIterable<readonly HeldMail[]>>,
    signal?: AbortSignal,
  ): AsyncGenerator<ReceivedMail> {
    const either = signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal]);
    const name = nameOf(agent);
    for await (const batch of await open(name, either)) {
      for (const mail of await receive(batch, name)) {
        if (either.aborted) return;
        yield mail;
      }
    }
  }

  const waitForMessage = async (agent: string, signal?: AbortSignal): Promise<ReceivedMail> => {
    for await (const mail of follow(agent, signal)) return mail;
    signal?.throwIfAborted();
    throw closedError(team);
  };

  const receipt = async (id: MailId, to: string): Promise<MailState> => {
    const name = nameOf(to);
    const { mail, compactedThrough } = await look(name);
    const held = mail.find((one) => one.mail.id === id);
    if (held === undefined && (await store.inbox(name).hasQuarantined?.(id))) return "failed";
    if (held === undefined && compactedThrough !== undefined && id <= compactedThrough) return "read";
    if (held === undefined) throw new TroupeError("mail", `There is no mail ${id} to ${name} in team ${team}.`);
    const isGone = memberOf(name, options.members())?.ended !== undefined;
    return isGone && isUnread(held) ? "failed" : held.state;
  };

  const takeNotices = (agent: string) => [
    ...notices.take(nameOf(agent)),
    ...(readers.opened(nameOf(agent))?.takeNotices() ?? []),
  ];

  const close = async () => {
    ended.abort();
    await readers.close();
  };

  return {
    send,
    broadcast: (outgoing) => broadcast(outgoing, { team, members: options.members(), send }),
    readAll,
    readUnread,
    markDelivered: (agent, ids) => mark(agent, ids, "delivered"),
    markRead: async (agent, which) =>
      mark(agent, typeof which === "number" ? [await idAt(agent, which)] : which, "read"),
    waitForMessage,
    follow,
    watch,
    receipt,
    textOf: (mail) => textOf(mail, store.bodies),
    takeNotices,
    close,
  };
}

const isUnread = ({ state }: HeldMail): boolean => state !== "read";

async function textOf({ id, body }: Mail, bodies: StoredTeam["bodies"]): Promise<string> {
  if (body.kind !== "text" && body.kind !== "idle_notification") return "";
  if (body.file !== undefined) return bodies.read(`${id}.txt`);
  return (body.kind === "text" ? body.text : body.result) ?? "";
}

/** Problems found while reading. Each is returned once. */
function createNotices() {
  const told = new Set<string>();
  const waiting = new Map<string, string[]>();
  return {
    add(name: string, problems: readonly string[]) {
      const fresh = problems.filter((problem) => !told.has(problem));
      for (const problem of fresh) told.add(problem);
      if (fresh.length > 0) waiting.set(name, [...(waiting.get(name) ?? []), ...fresh]);
    },
    take(name: string): readonly string[] {
      const found = waiting.get(name) ?? [];
      waiting.delete(name);
      return found;
    },
  };
}
