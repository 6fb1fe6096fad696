import { type FolderWatcher, hasErrorCode, storageError } from "../../platform/index.ts";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type Mail, type MailId, teamLead, teamUser, TroupeError } from "../../protocol/index.ts";
import type { HeldMail, Inbox, InboxReader, InboxReading, MailBodies } from "../team/inbox/inbox.ts";
import { openImportingReader } from "./importing-reader.ts";
import { formatMessage, isWhole, parseMessage } from "./claude-message.ts";
import type { SharedJson } from "./shared-json.ts";
import type { BodyContext } from "./message-body.ts";

export interface ClaudeInboxOptions {
  readonly member: string;
  /** The JSON array that all programs write to. */
  readonly path: string;
  /** Troupe's own inbox: it holds mail for our members and its state until it is read. */
  readonly own: Inbox;
  readonly bodies: MailBodies;
  readonly json: SharedJson;
  readonly context: BodyContext;
  readonly watcher: FolderWatcher;
  /** True if a process of Troupe acts for this member. */
  readonly isOurs: (name: string) => boolean;
  /** Called for mail that arrived for our members, and for mail sent to external members. */
  readonly onMail: (mail: Mail, way: "in" | "out") => Promise<void>;
  readonly takeDamage: () => readonly string[];
  readonly closed: AbortSignal;
}

/**
 * An inbox that external programs also write and read. Mail for an external member stays in the shared file until its
 * program removes it. Mail for our member is first imported into our own inbox and then removed from the shared file.
 * After a crash in between it is imported again as the same mail.
 */
export function openClaudeInbox(options: ClaudeInboxOptions): Inbox {
  const { member, path, own, json, context, watcher } = options;

  const send = async (mail: Mail): Promise<void> => {
    assertMaySend(mail);
    const whole = await withText(mail, options.bodies);
    const message = formatMessage(whole, context);
    const isHere = options.isOurs(member);
    if (isHere && (message === undefined || !isWhole(whole, message, context))) return own.send(mail);
    if (message === undefined) throw noInboxError(mail);
    makeInboxes(path);
    await json.update(path, (now) => {
      const messages = arrayOf(now);
      const isThere = messages.some((raw) => parseMessage(raw, member, context)?.id === idIn(message));
      return { result: undefined, ...(!isThere && { write: [...messages, message] }) };
    });
    if (!isHere) await options.onMail(mail, "out");
  };

  const idIn = (message: unknown): MailId | undefined => parseMessage(message, member, context)?.id;

  /** Refuses mail in the name of an external member, or of an external lead. */
  const assertMaySend = ({ from }: Mail) => {
    if (from === teamUser || options.isOurs(from)) return;
    const who = from === teamLead ? `the lead of ${context.team} is another program` : `another program runs ${from}`;
    throw new TroupeError("mail", `Not sent: ${who}, so mail cannot be sent in its name from here.`);
  };

  /** Reads the mail in the shared file. */
  const waiting = async (): Promise<{ mail: readonly Mail[]; problems: readonly string[] }> => {
    const reading = await json.read(path);
    if ("damaged" in reading) return { mail: [], problems: [`${path} cannot be read: it is not JSON`] };
    if (reading.value !== undefined && !Array.isArray(reading.value))
      return { mail: [], problems: [`${path} cannot be read: it is not an array`] };
    const parsed = arrayOf(reading.value).map((raw) => parseMessage(raw, member, context));
    return { mail: parsed.filter((mail) => mail !== undefined), problems: [] };
  };

  const withWaiting = async <T extends Pick<InboxReading, "mail" | "problems">>(look: () => Promise<T>): Promise<T> => {
    // Read the shared file first: mail imported between the two reads is then seen twice and counted once, never
    // missed.
    const theirs = await waiting();
    const held = await look();
    const known = new Set((await own.peek()).mail.map(({ mail }) => mail.id));
    const fresh = theirs.mail.filter(({ id }) => !known.has(id));
    const queued = fresh.map((mail): HeldMail => ({ mail, state: "queued" }));
    return { ...held, mail: [...held.mail, ...queued], problems: [...held.problems, ...theirs.problems] };
  };

  /** Imports new mail. Resolves when our inbox has it, even if it is still in the shared file. */
  const importMail = async (): Promise<void> => {
    const there = await json.read(path);
    if ("value" in there && arrayOf(there.value).length === 0 && (there.value === undefined || isArray(there.value)))
      return;
    await json.update(path, async (now) => {
      const bad: unknown[] = [];
      for (const raw of now === undefined ? [] : isArray(now) ? now : [now]) {
        const mail = parseMessage(raw, member, context);
        if (mail === undefined) bad.push(raw);
        else await keep(mail);
      }
      if (bad.length > 0) await json.quarantine(path, bad);
      return { result: undefined, write: [] };
    });
  };

  const keep = async (mail: Mail) => {
    const known = await own.peek();
    if (!known.mail.some((held) => held.mail.id === mail.id)) await own.send(await fit(mail, options.bodies));
    await options.onMail(mail, "in");
  };

  const openReader = async (): Promise<InboxReader> => {
    if (!options.isOurs(member)) throw notOursError(member);
    return openImportingReader(await own.openReader(), { ...options, importMail });
  };

  async function* watch(signal: AbortSignal): AsyncGenerator<readonly HeldMail[]> {
    const either = AbortSignal.any([signal, options.closed]);
    const seen = new Set<MailId>();
    let wake: () => void = () => undefined;
    const stops = [watcher.follow(path, () => wake())];
    const hold = watcher.hold();
    const ours = pump(own.watch(either), () => wake());
    either.addEventListener("abort", () => wake(), { once: true });
    try {
      while (!either.aborted) {
        const next = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const { mail } = await withWaiting(() => own.peek());
        const fresh = mail.filter((held) => !seen.has(held.mail.id));
        for (const held of fresh) seen.add(held.mail.id);
        if (fresh.length > 0) yield fresh;
        else await next;
      }
    } finally {
      for (const stop of stops) stop();
      hold();
      await ours.stop();
    }
  }

  return {
    member,
    send,
    peek: () => withWaiting(() => own.peek()),
    peekUnread: () => withWaiting(() => own.peekUnread()),
    watch,
    openReader,
  };
}

const isArray = (value: unknown): value is unknown[] => Array.isArray(value);
const arrayOf = (value: unknown): readonly unknown[] => (isArray(value) ? value : []);

/** Calls `onBatch` for each batch until it is stopped. */
function pump(batches: AsyncIterable<unknown>, onBatch: () => void): { stop(): Promise<void> } {
  const iterator = batches[Symbol.asyncIterator]();
  const run = async () => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) onBatch();
  };
  const running = run().catch(onBatch); // the next read reports the error
  return {
    async stop() {
      await running;
    },
  };
}

/** Returns the mail with its whole text: its external reader has no other file. */
async function withText(mail: Mail, bodies: MailBodies): Promise<Mail> {
  const { body } = mail;
  if ((body.kind !== "text" && body.kind !== "idle_notification") || body.file === undefined) return mail;
  const { file, ...rest } = body;
  const whole = await bodies.read(file);
  return { ...mail, body: rest.kind === "text" ? { ...rest, text: whole } : { ...rest, result: whole } };
}

/** Moves a text that is too long for a record to a file. The record keeps its beginning. */
async function fit(mail: Mail, bodies: MailBodies): Promise<Mail> {
  const { body } = mail;
  const long = body.kind === "text" ? body.text : body.kind === "idle_notification" ? (body.result ?? "") : "";
  if (Buffer.byteLength(long) <= maxBytes) return mail;
  const file = await bodies.save(mail.id, long);
  const beginning = long.slice(0, 16_000).replace(/[\ud800-\udbff]$/, "");
  if (body.kind === "text") return { ...mail, body: { ...body, text: beginning, file } };
  return body.kind === "idle_notification" ? { ...mail, body: { ...body, result: beginning, file } } : mail;
}

const maxBytes = 64 * 1024;

const noInboxError = ({ body, to }: Mail): TroupeError =>
  new TroupeError(
    "mail",
    `Not sent: Claude Code's files have no format for a message of the kind ${body.kind}, and another program runs ${to}.`,
  );

const notOursError = (member: string): TroupeError =>
  new TroupeError("mail", `cannot read the mail of ${member}: another program runs it.`);

/** Never creates the team's own folder: a deleted team must not come back as an inbox. */
function makeInboxes(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw storageError("create the folder", folder, error);
  }
}
