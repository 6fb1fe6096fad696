import { memberMail, troupeNotice } from "../../agent/index.ts";
import type { Agent, Conversation } from "../../agent/index.ts";
import {
  type Envelope,
  type LiveEvent,
  type Mail,
  type MailBody,
  type MailId,
  type MailKind,
  type MailState,
  messageOf,
  type PromptId,
  type StoredEvent,
} from "../../protocol/index.ts";
import { type Clock, createIdFilter, sleepUnlessAborted } from "../../platform/index.ts";
import { retryWithBackoff } from "../storage/retry-with-backoff.ts";
import { type Arrived, createMailQueue } from "./mail-queue.ts";
import type { Mailbox, ReceivedMail } from "./mailbox.ts";
import type { MailSender } from "./mail-sender.ts";
import { createReportBacklog } from "./report-backlog.ts";
import { retryWhileDiskFull } from "../storage/retry-while-disk-full.ts";

/** Connects an agent to its inbox. Each mail enters the conversation exactly once, and control messages are handled. */
export interface InboxConsumer extends MailSender {
  /** The delivery state of a mail that this member sent. */
  receipt(id: MailId, to: string): Promise<MailState>;
  /** Receives everything that the agent stores, and marks mail in the conversation as read. */
  observe(envelope: Envelope): void;
  /** Starts following the inbox, beginning with its unread mail. */
  start(): void;
  /**
   * Admits mail that has arrived, before a turn. Without it, mail waits for the watcher of the inbox. Ends soon, and when
   * `signal` aborts.
   */
  catchUp(signal: AbortSignal): Promise<void>;
  /** Resolves when all mail read so far is marked and none is being handled. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Handlers by mail kind. Mail is marked as read when its handler is done, and comes again after a crash before that.
 * Return `later` for slow work, so that other mail is handled in the meantime. `admit` also shows the mail to the
 * model.
 */
export type MailHandlers = {
  readonly [K in MailKind]?: (
    mail: Arrived<Mail>,
    body: Extract<MailBody, { kind: K }>,
    admit: () => Promise<void>,
  ) => Promise<void> | { readonly later: Promise<void> };
};

type Handler = (
  mail: Arrived<Mail>,
  body: MailBody,
  admit: () => Promise<void>,
) => ReturnType<NonNullable<MailHandlers["text"]>>;

export interface InboxConsumerOptions {
  /** Sends as this member. */
  readonly sender: MailSender;
  readonly mailbox: Mailbox;
  readonly agent: () => Agent;
  readonly conversation: () => Pick<Conversation, "waiting" | "waitingParts">;
  readonly handlers: MailHandlers;
  /** The stored events of the agent's previous runs. Mail acted on in them is not handled again. */
  readonly replayed: readonly Pick<Envelope, "event">[];
  /** Archives a member's report when a newer one replaces it. Returns the file's path. Without it all reports wait. */
  readonly archiveReport?: ((member: string, text: string) => Promise<string>) | undefined;
  /**
   * Awaited for each mail that is new or waits in the conversation, before the agent is woken and the mail is marked. A
   * running agent may have read it already.
   */
  readonly onAdmitted?: ((mail: Mail) => Promise<void>) | undefined;
  /** A notice of the runtime that follows this mail. */
  readonly noteOn?: ((mail: Arrived<Mail>) => string | undefined) | undefined;
  /** Wakes the agent for mail. Default: always. */
  readonly wake?: (() => void) | undefined;
  /** Awaited before mail is marked as read: an observer that sees the mark must also see that the member works. */
  readonly beforeMark?: (() => Promise<void>) | undefined;
  /**
   * The inbox cannot be read or marked after several tries. The agent would no longer receive mail without noticing.
   */
  readonly onFailure: (error: unknown) => void;
  readonly clock: Pick<Clock, "sleep" | "monotonic">;
}

export function createInboxConsumer(options: InboxConsumerOptions): InboxConsumer {
  const { mailbox, agent, sender } = options;
  const { team, name } = sender;
  const warn = (message: string) => agent().record({ type: "notice.raised", level: "warning", code: "mail", message });
  const ended = new AbortController();
  /** A full disk is not fatal: writes wait for space. */
  const retry = { clock: options.clock, signal: ended.signal };
  let following: Promise<void> = Promise.resolve();
  let marking: Promise<void> = Promise.resolve();
  let readIds: MailId[] = [];
  /** Failures to mark in a row. */
  let markFailures = 0;

  /** Marks are written in batches, after the event that justifies them is stored. */
  const markRead = (ids: readonly MailId[]) => {
    readIds.push(...ids);
    marking = marking.then(markNow).catch(warnAboutMarks);
  };

  const markNow = async () => {
    const batch = readIds;
    readIds = [];
    if (batch.length === 0) return;
    try {
      await options.beforeMark?.();
      // The mark must not reach the disk before the agent's log. After a power cut the mail would be lost.
      await agent().saved();
      await retryWhileDiskFull(() => mailbox.markRead(name, batch), retry);
      queue.forget(batch);
      markFailures = 0;
    } catch (error) {
      readIds.unshift(...batch);
      throw error;
    }
  };

  /** Failed marks are retried with the next ones. Until then the agent's log knows that the mail was handled. */
  const warnAboutMarks = async (error: unknown) => {
    markFailures += 1;
    if (ended.signal.aborted) return;
    if (markFailures > maxUnmarked) return options.onFailure(error);
    try {
      await warn(`cannot mark mail as read, will retry with the next: ${messageOf(error)}`);
    } catch (cause) {
      options.onFailure(cause);
    }
  };

  /** Unlimited in time: an inbox forgets old read mail, the log does not. */
  const actedOnIds = createIdFilter();
  for (const id of actedOnMail(options.replayed)) actedOnIds.add(id);
  const wasActedOn = async (id: MailId) => {
    const known = actedOnIds.has(id);
    return known === "maybe" ? agent().hasRecorded(id, recordsActionOn(id)) : known === "yes";
  };
  const { archiveReport } = options;
  const reports =
    archiveReport &&
    createReportBacklog({
      conversation: options.conversation,
      archive: (member, text) => retryWhileDiskFull(() => archiveReport(member, text), retry),
    });
  /** Mail in progress is marked when it was acted on, not when the model saw it. */
  const inProgress = new Set<MailId>();

  const handleMail = async (mail: Arrived<ReceivedMail>): Promise<void> => {
    if (mail.refused !== undefined) return refuse(mail, mail.refused);
    const handler = options.handlers[mail.body.kind] as Handler | undefined;
    if (!handler) return admit(mail);
    // Following the inbox again yields the mail again while it is being acted on.
    if (inProgress.has(mail.id)) return;
    // Replay protection: an old signed mail that is put into the inbox again has no effect.
    if (await wasActedOn(mail.id)) return markRead([mail.id]);
    inProgress.add(mail.id);
    const handled = handler(mail, mail.body, () => admitPrompt(mail));
    if (!("later" in handled)) {
      await handled;
      return markActedOn(mail);
    }
    handled.later.then(() => markActedOn(mail)).catch(options.onFailure);
  };

  const markActedOn = async (mail: Mail) => {
    if (!(await agent().hasPrompt(promptIdOfMail(mail.id))))
      await agent().record({ type: "mail.received", ...mailFields(mail), team, from: mail.from });
    inProgress.delete(mail.id);
    actedOnIds.add(mail.id);
    markRead([mail.id]);
  };

  const admit = async (mail: Arrived<ReceivedMail>) => {
    await admitPrompt(mail);
    if (options.conversation().waiting.includes(promptIdOfMail(mail.id)))
      await retryWhileDiskFull(() => mailbox.markDelivered(name, [mail.id]), retry);
    else markRead([mail.id]);
  };

  const admitPrompt = async (mail: Arrived<ReceivedMail>) => {
    const promptId = promptIdOfMail(mail.id);
    const isNew = !(await agent().hasPrompt(promptId));
    if (isNew) {
      const room = await reports?.makeRoom(mail);
      const parts = [...(room?.before ?? []), ...mailParts(mail, options.noteOn?.(mail))];
      await agent().admitOnce({ promptId, source: "mail", parts, quiet: !mail.wakes, insteadOf: room?.insteadOf });
      await agent().record({ type: "mail.received", ...mailFields(mail), team, from: mail.from, promptId });
      reports?.added(mail, promptId);
    }
    // Mail that is neither new nor waiting was handled by a previous run, which did not mark it.
    const isWaiting = () => options.conversation().waiting.includes(promptId);
    if (isNew || isWaiting()) await options.onAdmitted?.(mail);
    if (!isWaiting()) return;
    const stopped = mail.urgent ? agent().interrupt() : undefined;
    // Wake before the stop completes, so that the agent continues with this mail and is never idle in between.
    if (mail.wakes) (options.wake ?? agent().wake)();
    await stopped;
  };

  const refuse = async (mail: Mail, reason: string) => {
    await warn(`ignored a ${mail.body.kind} that claims to be from ${mail.from}: ${reason}`);
    markRead([mail.id]);
  };

  const reportFailure = (error: unknown) => {
    if (!ended.signal.aborted) options.onFailure(error);
  };

  /** Damaged mail must not block other mail, and the user gets a notice. */
  const warnAboutDamage = async () => {
    await retryWithBackoff(async () => void (await mailbox.readUnread(name)), retry); // this sets damaged mail aside
    for (const message of mailbox.takeNotices(name)) await warn(message);
  };

  let warning: Promise<void> = Promise.resolve();
  const queue = createMailQueue({
    handle: handleMail,
    onDrained: () => void (warning = warning.then(warnAboutDamage).catch(reportFailure)),
    onFailure: options.onFailure,
    signal: ended.signal,
  });

  /** Following again yields all mail that is not marked yet. */
  const warnAboutBreak = (error: unknown) => warn(`cannot read the inbox, trying again: ${messageOf(error)}`);

  const follow = async () => {
    for await (const mail of mailbox.follow(name, ended.signal)) queue.add(mail);
  };

  /** No failure is lost: following reads the same inbox, and the queue reports mail that fails. */
  const addArrived = async () => {
    for (const mail of await mailbox.readUnread(name).catch(() => [])) queue.add(mail);
    await Promise.allSettled([queue.drained()]);
  };

  return {
    ...sender,
    receipt: (id, to) => mailbox.receipt(id, to),
    observe({ event }) {
      if (event.type !== "prompt.promoted" && event.type !== "prompt.admitted") return;
      // A replaced report is in a file that its replacement names.
      const promptId = event.type === "prompt.promoted" ? event.promptId : event.insteadOf;
      const id = promptId && mailIdOfPrompt(promptId);
      if (id !== undefined && !inProgress.has(id)) markRead([id]);
    },
    start() {
      reports?.restore(options.replayed);
      following = retryWithBackoff(follow, { ...retry, onFirstFailure: warnAboutBreak });
      following.catch(reportFailure);
    },
    async catchUp(signal) {
      const over = new AbortController();
      const until = AbortSignal.any([signal, over.signal]);
      try {
        await Promise.race([addArrived(), sleepUnlessAborted(options.clock, catchUpMs, until)]);
      } finally {
        over.abort();
      }
    },
    async settled() {
      await queue.drained();
      await marking;
    },
    async close() {
      ended.abort(new DOMException("the member has left", "AbortError"));
      await Promise.allSettled([following, queue.drained()]); // failures were already reported
      await warning;
      await marking;
    },
  };
}

/** A slow store must not hold up a turn. Its mail comes with the next one. */
const catchUpMs = 1_000;

/** A single failure is tolerated, this number in a row is not. */
const maxUnmarked = 5;

const mailPromptPrefix = "prm_m";

/** The prompt id is derived from the mail id, so that a mail enters the conversation only once. */
export const promptIdOfMail = (id: MailId): PromptId => id.replace(/^mail_/, mailPromptPrefix) as PromptId;
/** True for prompts that are mail. */
export const isMailPrompt = (id: PromptId): boolean => id.startsWith(mailPromptPrefix);

const mailIdOfPrompt = (id: PromptId): MailId | undefined =>
  id.startsWith(mailPromptPrefix) ? (id.replace(mailPromptPrefix, "mail_") as MailId) : undefined;

/** Mail that the model also sees is recorded before it is acted on, and is recognized by its prompt. */
function* actedOnMail(replayed: InboxConsumerOptions["replayed"]): Generator<MailId> {
  for (const { event } of replayed)
    if (event.type === "mail.received" && recordsActionOn(event.mailId)(event)) yield event.mailId;
}

const recordsActionOn = (id: MailId) => (event: StoredEvent | LiveEvent) =>
  event.type === "mail.received" && event.promptId === undefined && event.mailId === id;

const mailFields = ({ id, body, summary }: Mail) => ({
  mailId: id,
  kind: body.kind,
  ...(summary !== undefined && { summary }),
});

const mailParts = (mail: ReceivedMail, note: string | undefined) =>
  [memberMail(withSenderNote(mail)), ...(note === undefined ? [] : [troupeNotice(note)])].map((text) => ({
    type: "text" as const,
    text,
  }));

/** Unsigned mail proves no sender, so the sender's name is shown as a claim. */
const withSenderNote = ({ sender, ...mail }: ReceivedMail): Mail =>
  sender === "verified" ? mail : { ...mail, from: `unknown sender, says it is ${mail.from}` };
