import type { Agent, Conversation } from "../../agent/index.ts";
import {
  type Envelope,
  type Mail,
  type MailBody,
  type MailId,
  type MailKind,
  type MailState,
  messageOf,
} from "../../protocol/index.ts";
import { type Clock, sleepUnlessAborted } from "../../platform/index.ts";
import { retryWithBackoff } from "../storage/retry-with-backoff.ts";
import { createActedOnMail } from "./acted-on-mail.ts";
import { createMailAdmission, mailFields } from "./admit-mail.ts";
import { withClaimedSender } from "./claimed-sender.ts";
import { mailIdOfPrompt, promptIdOfMail } from "./mail-prompt-id.ts";
import { type Arrived, createMailQueue } from "./mail-queue.ts";
import type { Mailbox, ReceivedMail } from "./mailbox.ts";
import type { MailSender } from "./mail-sender.ts";
import { createReadMarks } from "./read-marks.ts";
import { retryWhileDiskFull } from "../storage/retry-while-disk-full.ts";

export { isMailPrompt, promptIdOfMail } from "./mail-prompt-id.ts";

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
  readonly agent: Agent;
  readonly conversation: Pick<Conversation, "waiting" | "waitingParts">;
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
  readonly noteOn?: ((mail: Arrived<Mail>) => Promise<string | undefined>) | undefined;
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
  const warn = (message: string) => agent.record({ type: "notice.raised", level: "warning", code: "mail", message });
  const ended = new AbortController();
  /** A full disk is not fatal: writes wait for space. */
  const retry = { clock: options.clock, signal: ended.signal };
  let following: Promise<void> = Promise.resolve();
  const marks = createReadMarks({ ...options, name, retry, warn, onMarked: (ids) => queue.forget(ids) });
  const actedOn = createActedOnMail(options.replayed, agent);
  const admission = createMailAdmission({ ...options, team, retry });

  /** Mail in progress is marked when it was acted on, not when the model saw it. */
  const inProgress = new Set<MailId>();

  const handleMail = async (mail: Arrived<ReceivedMail>): Promise<void> => {
    if (mail.refused !== undefined) return refuse(mail, mail.refused);
    const handler = options.handlers[mail.body.kind] as Handler | undefined;
    if (!handler) return admit(mail);
    // Following the inbox again yields the mail again while it is being acted on.
    if (inProgress.has(mail.id)) return;
    // Replay protection: an old signed mail that is put into the inbox again has no effect.
    if (await actedOn.has(mail.id)) return marks.add(mail.id);
    inProgress.add(mail.id);
    const handled = handler(mail, mail.body, () => admission.admit(mail));
    if (!("later" in handled)) {
      await handled;
      return markActedOn(mail);
    }
    handled.later.then(() => markActedOn(mail)).catch(options.onFailure);
  };

  const markActedOn = async (mail: Mail) => {
    if (!(await agent.hasPrompt(promptIdOfMail(mail.id))))
      await agent.record({ type: "mail.received", ...mailFields(mail), team, from: mail.from });
    inProgress.delete(mail.id);
    actedOn.add(mail.id);
    marks.add(mail.id);
  };

  const admit = async (mail: Arrived<ReceivedMail>) => {
    await admission.admit(mail);
    if (admission.isWaiting(mail)) await retryWhileDiskFull(() => mailbox.markDelivered(name, [mail.id]), retry);
    else marks.add(mail.id);
  };

  const refuse = async (mail: Mail, reason: string) => {
    await warn(`ignored a ${mail.body.kind} that claims to be from ${mail.from}: ${reason}`);
    marks.add(mail.id);
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

  const add = (mail: ReceivedMail) => queue.add(withClaimedSender(mail));

  /** Following again yields all mail that is not marked yet. */
  const warnAboutBreak = (error: unknown) => warn(`cannot read the inbox, trying again: ${messageOf(error)}`);

  const follow = async () => {
    for await (const mail of mailbox.follow(name, ended.signal)) add(mail);
  };

  /** No failure is lost: following reads the same inbox, and the queue reports mail that fails. */
  const addArrived = async () => {
    for (const mail of await mailbox.readUnread(name).catch(() => [])) add(mail);
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
      if (id !== undefined && !inProgress.has(id)) marks.add(id);
    },
    start() {
      admission.restore();
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
      await marks.settled();
    },
    async close() {
      ended.abort(new DOMException("the member has left", "AbortError"));
      await Promise.allSettled([following, queue.drained()]); // failures were already reported
      await warning;
      await marks.settled();
    },
  };
}

/** A slow store must not hold up a turn. Its mail comes with the next one. */
const catchUpMs = 1_000;
