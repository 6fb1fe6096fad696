import { setImmediate as nextRound } from "node:timers/promises";
import { memberMail } from "../../agent/index.ts";
import type { Agent, Conversation } from "../../agent/index.ts";
import {
  type Envelope,
  type LiveEvent,
  type Mail,
  type MailBody,
  type MailId,
  type MailKind,
  type MailState,
  type PromptId,
  type StoredEvent,
  teamLead,
} from "../../protocol/index.ts";
import { type Clock, type CreateId, createIdFilter } from "../../platform/index.ts";
import { retryWithBackoff } from "../storage/retry-with-backoff.ts";
import type { Mailbox, OutgoingMail, ReceivedMail } from "./mailbox.ts";
import { createReportBacklog } from "./report-backlog.ts";
import { retryWhileDiskFull } from "../storage/retry-while-disk-full.ts";

/** Ties an agent to its inbox: what is sent to it gets into its conversation exactly once, and what is for the runtime is acted on. */
export interface InboxConsumer {
  readonly team: string;
  readonly name: string;
  /** As this member. Put down in its log once it is stored; rejects if it could not be. */
  send(mail: Omit<OutgoingMail, "from">): Promise<MailId>;
  /** How far a mail has come that it has sent. */
  receipt(id: MailId, to: string): Promise<MailState>;
  /** To be told everything that the agent stores: what is in its conversation is marked as read. */
  observe(envelope: Envelope): void;
  /** Follows the inbox from here on; what is in it comes first. */
  start(): void;
  /** Resolves when what has been read so far is marked, and nothing is being taken in. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What the runtime does with a kind of mail. It is marked as read once that is done, and comes again after a crash before
 * then. `later` is for what takes its time: other mail is heard meanwhile. `admit` shows it to the model as well.
 */
export type MailHandlers = {
  readonly [K in MailKind]?: (
    mail: Mail,
    body: Extract<MailBody, { kind: K }>,
    admit: () => Promise<void>,
  ) => Promise<void> | { readonly later: Promise<void> };
};

type Handler = (
  mail: Mail,
  body: MailBody,
  admit: () => Promise<void>,
) => ReturnType<NonNullable<MailHandlers["text"]>>;

export interface InboxConsumerOptions {
  readonly team: string;
  readonly name: string;
  readonly mailbox: Mailbox;
  readonly agent: () => Agent;
  readonly conversation: () => Pick<Conversation, "waiting" | "waitingParts">;
  readonly handlers: MailHandlers;
  /** What is stored of the agent's earlier lives: what was acted on in them is not again. */
  readonly replayed: readonly Pick<Envelope, "event">[];
  /** Keeps a report of a member that makes room for a newer one; gives the file's path. Without it all of them wait. */
  readonly archiveReport?: ((member: string, text: string) => Promise<string>) | undefined;
  /** Told of each mail that waits to be heard, and waited for, before the agent is woken for it and it is marked. */
  readonly onAdmitted?: ((mail: Mail) => Promise<void>) | undefined;
  /** Waited for before anything is marked as read: who sees that must see as well that it is being worked on. */
  readonly beforeMark?: (() => Promise<void>) | undefined;
  /** The inbox cannot be read or marked, however often that is tried: the agent would be deaf without knowing. */
  readonly onFailure: (error: unknown) => void;
  readonly clock: Pick<Clock, "sleep" | "monotonic">;
  readonly createId: CreateId;
}

export function createInboxConsumer(options: InboxConsumerOptions): InboxConsumer {
  const { mailbox, team, name, agent } = options;
  const ended = new AbortController();
  /** A full disk breaks nobody: what is to be written waits for space. */
  const retry = { clock: options.clock, signal: ended.signal };
  let following: Promise<void> = Promise.resolve();
  let marking: Promise<void> = Promise.resolve();
  let readIds: MailId[] = [];
  /** How often in a row marking went wrong. */
  let markFailures = 0;

  /** Marks go out together, after the step that made them true is stored. */
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
      // A mark may get to the disk before the step that made it true: after a power cut nobody would have the mail.
      await agent().saved();
      await retryWhileDiskFull(() => mailbox.markRead(name, batch), retry);
      markFailures = 0;
    } catch (error) {
      readIds.unshift(...batch);
      throw error;
    }
  };

  /** They are marked with the next ones: until then its log knows that it has heard them. */
  const warnAboutMarks = async (error: unknown) => {
    markFailures += 1;
    if (ended.signal.aborted) return;
    if (markFailures > maxUnmarked) return options.onFailure(error);
    const detail = error instanceof Error ? error.message : String(error);
    const message = `mail that was heard could not be marked as read, and will be with the next: ${detail}`;
    try {
      await agent().record({ type: "notice.raised", level: "warning", code: "mail", message });
    } catch (cause) {
      options.onFailure(cause);
    }
  };

  /** However long ago: an inbox forgets what was read, the log does not. */
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
  /** Marked when they have been acted on, not when the model has seen them. */
  const inProgress = new Set<MailId>();

  const handleMail = async (mail: ReceivedMail): Promise<void> => {
    if (mail.refused !== undefined) return refuse(mail, mail.refused);
    const handler = options.handlers[mail.body.kind] as Handler | undefined;
    if (!handler) return admit(mail);
    // An inbox that is followed anew gives it again while it is being acted on.
    if (inProgress.has(mail.id)) return;
    // Whoever puts an old mail into the inbox again, signed as it was, gets nothing done by it a second time.
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

  const admit = async (mail: ReceivedMail) => {
    await admitPrompt(mail);
    if (options.conversation().waiting.includes(promptIdOfMail(mail.id)))
      await retryWhileDiskFull(() => mailbox.markDelivered(name, [mail.id]), retry);
    else markRead([mail.id]);
  };

  const admitPrompt = async (mail: ReceivedMail) => {
    const promptId = promptIdOfMail(mail.id);
    if (!(await agent().hasPrompt(promptId))) {
      const room = await reports?.makeRoom(mail);
      const parts = [...(room?.before ?? []), { type: "text" as const, text: memberMail(withSenderNote(mail)) }];
      await agent().admitOnce({ promptId, source: "mail", parts, quiet: !mail.wakes, insteadOf: room?.insteadOf });
      await agent().record({ type: "mail.received", ...mailFields(mail), team, from: mail.from, promptId });
      reports?.added(mail, promptId);
    }
    // It was heard in an earlier life, which did not come to marking it.
    if (!options.conversation().waiting.includes(promptId)) return;
    await options.onAdmitted?.(mail);
    const stopped = mail.urgent ? agent().interrupt() : undefined;
    // Before it has stopped: it goes on with this at once, and is at rest at no moment.
    if (mail.wakes) agent().wake();
    await stopped;
  };

  const refuse = async (mail: Mail, reason: string) => {
    const message = `a ${mail.body.kind} that says it is from ${mail.from} was not acted on: ${reason}`;
    await agent().record({ type: "notice.raised", level: "warning", code: "mail", message });
    markRead([mail.id]);
  };

  const reportFailure = (error: unknown) => {
    if (!ended.signal.aborted) options.onFailure(error);
  };

  /** What cannot be read keeps nothing else from being read, and somebody should know. */
  const warnAboutDamage = async () => {
    const look = async () => void (await mailbox.readUnread(name));
    await retryWithBackoff(look, retry); // after this, what was damaged is set aside
    for (const message of mailbox.takeNotices(name))
      await agent().record({ type: "notice.raised", level: "warning", code: "mail", message });
  };

  /** What ends or stops the agent, what the lead says, what others say; each in their own order. */
  const pending: readonly ReceivedMail[][] = [[], [], []];
  let draining: Promise<void> | undefined;
  let warning: Promise<void> = Promise.resolve();

  const nextMail = () => pending.find((queue) => queue.length > 0)?.shift();

  /** One at a time, and of what waits the most pressing first. All that was read at once is there before the first is taken. */
  const drain = async () => {
    try {
      await nextRound();
      for (let mail = nextMail(); mail && !ended.signal.aborted; mail = nextMail()) await handleMail(mail);
    } finally {
      // In the same step as the last look: what comes after it is taken anew.
      draining = undefined;
    }
    warning = warning.then(warnAboutDamage).catch(reportFailure);
  };

  /** Whoever reads it anew gets again what is not marked yet. */
  const warnAboutBreak = async (error: unknown) => {
    const detail = error instanceof Error ? error.message : String(error);
    const message = `its inbox could not be read, and is tried again: ${detail}`;
    await agent().record({ type: "notice.raised", level: "warning", code: "mail", message });
  };

  const follow = async () => {
    for await (const mail of mailbox.follow(name, ended.signal)) {
      pending[priorityOf(mail)]?.push(mail);
      if (draining) continue;
      draining = drain();
      // Whoever is waited for below would hear of it too late.
      draining.catch(options.onFailure);
    }
  };

  return {
    team,
    name,
    async send(mail) {
      // One id however often it is tried: what was stored after all is not said twice.
      const id = mail.id ?? options.createId<MailId>("mail");
      await retryWhileDiskFull(() => mailbox.send({ ...mail, id, from: name }), retry);
      const kind = mail.body?.kind ?? "text";
      const { to, summary } = mail;
      const facts = { team, mailId: id, kind, to, ...(summary !== undefined && { summary }) };
      await agent().record({ type: "mail.sent", ...facts });
      return id;
    },
    receipt: (id, to) => mailbox.receipt(id, to),
    observe({ event }) {
      if (event.type !== "prompt.promoted" && event.type !== "prompt.admitted") return;
      // What has made room is in a file that the one in its place names.
      const promptId = event.type === "prompt.promoted" ? event.promptId : event.insteadOf;
      const id = promptId && mailIdOfPrompt(promptId);
      if (id !== undefined && !inProgress.has(id)) markRead([id]);
    },
    start() {
      reports?.restore(options.replayed);
      following = retryWithBackoff(follow, { ...retry, onFirstFailure: warnAboutBreak });
      following.catch(reportFailure);
    },
    async settled() {
      await draining;
      await marking;
    },
    async close() {
      ended.abort(new DOMException("the member has left", "AbortError"));
      await Promise.allSettled([following, draining]); // what went wrong was reported when it did
      await warning;
      await marking;
    },
  };
}

/** One failure is no deafness; so many in a row are. */
const maxUnmarked = 5;

const mailPromptPrefix = "prm_m";

/** The prompt that a mail becomes has an id that follows from the mail's: however often it is tried, it is said once. */
export const promptIdOfMail = (id: MailId): PromptId => id.replace(/^mail_/, mailPromptPrefix) as PromptId;
const mailIdOfPrompt = (id: PromptId): MailId | undefined =>
  id.startsWith(mailPromptPrefix) ? (id.replace(mailPromptPrefix, "mail_") as MailId) : undefined;

/** What was shown to the model as well is put down before it is acted on, and is known by its prompt. */
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

/** What nobody's key has signed is nobody's word: whom it names is told as what it says of itself. */
const withSenderNote = ({ sender, ...mail }: ReceivedMail): Mail =>
  sender === "verified" ? mail : { ...mail, from: `unknown sender, says it is ${mail.from}` };

const priorityOf = ({ body, from }: Mail): number =>
  conversationKinds.has(body.kind) ? (from === teamLead ? 1 : 2) : 0;

/** What keeps its place among everything else that its sender says. */
const conversationKinds: ReadonlySet<MailKind> = new Set(["text", "idle_notification", "task_assignment"]);
