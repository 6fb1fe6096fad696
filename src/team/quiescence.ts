import { type Agent, type Conversation, everybodyIdle } from "../agent/index.ts";
import { type MailId, type MemberStatus, type PromptId, teamLead } from "../protocol/index.ts";
import type { TaskList } from "../store/index.ts";
import type { Mailbox, ReceivedMail } from "./mailbox/mailbox.ts";
import { promptOfMail } from "./member-link.ts";

/** Notices when nobody in a team is at work any more, and wakes the lead once if something is left for it. */
export interface TeamIdleDetector {
  /** Whether it is still to be seen if the lead has something to do. */
  readonly isSettling: boolean;
  /** Whether something was said to this member that it has not come to rest after. */
  isAwaited(name: string): boolean;
  /** It is there, and has something to do now. */
  sentTo(name: string): void;
  heardFrom(name: string): void;
  /** Words of one that goes and had told everything: they wait for the lead's next turn, and are none for one. */
  heardGoodbye(id: MailId): void;
  /** The lead has changed the task list: somebody who is idle may take what is on it now. */
  tasksChanged(): void;
  changed(status: MemberStatus): void;
  /** It has said so; the run that did ends only after that. */
  onLeadIdle(): void;
  close(): Promise<void>;
}

export interface TeamIdleOptions {
  readonly lead: () => Agent;
  readonly conversation: () => Pick<Conversation, "waiting" | "hasReason">;
  readonly tasks: TaskList;
  readonly mailbox: Mailbox;
  /** Brings what `statuses` gives up to date. */
  readonly look: () => Promise<void>;
  readonly statuses: () => readonly MemberStatus[];
  /** Of whom nothing is seen while it works: it only tells when it rests. */
  readonly onlyReportsIdle?: ((name: string) => boolean) | undefined;
  /** Resolves after so long, or when the team is closed. */
  readonly pause: (ms: number) => Promise<void>;
  /** It has been seen, and the lead is woken if it has. */
  readonly onSettled: () => void;
  /** It went wrong again and again. */
  readonly onFailure: (error: unknown) => void;
}

/** Mail after which its receiver has something to do. */
export const isWork: ReadonlySet<string> = new Set(["text", "task_assignment"]);

/** So often in a row it may go wrong, after a pause that grows, before that breaks the lead. */
const maxFailures = 5;
const againMs = 200;

/** How long whoever is idle has to take a free task before it counts as left. */
const claimMs = 300;

/** The pause before another look into an inbox grows to so many times that; after so many looks, a good minute, it is enough. */
const maxPauses = 10;
const maxLooks = 25;

export function createTeamIdleDetector(options: TeamIdleOptions): TeamIdleDetector {
  const awaited = new Set<string>();
  /** Who is idle and had unread mail at the last look: it is about to hear it, or has heard it and only the mark is missing. */
  const unheard = new Set<string>();
  /** So often in a row somebody had. */
  let looks = 0;
  const goodbyes = new Set<PromptId>();
  /** Something has happened since the lead was last woken for this: without it the same rest would wake it for ever. */
  let isNews = false;
  let closed = false;
  let pending = 0;
  /** One is about to look: it sees whatever has happened until then. */
  let isDue = false;
  /** A report is in the lead's inbox, and on its way from there. */
  let isReportDue = false;
  let checking: Promise<void> = Promise.resolve();
  let failures = 0;

  const check = () => {
    if (isDue) return;
    isDue = true;
    pending += 1;
    const checked = checking.then(checkOnce).finally(() => {
      pending -= 1;
      if (pending === 0) options.onSettled();
    });
    checking = checked.then(
      () => {
        failures = 0;
      },
      (error: unknown) => lookLater(error),
    );
  };

  /** What could not be read this once may be read the next time; nobody else would look again. */
  const lookLater = (error: unknown) => {
    if (closed) return;
    failures += 1;
    if (failures > maxFailures) return options.onFailure(error);
    pending += 1;
    void later(failures * againMs);
  };

  const later = async (ms: number) => {
    await options.pause(ms);
    check();
    pending -= 1;
  };

  const checkOnce = async () => {
    isDue = false;
    isReportDue = false;
    if (closed || !isNews || options.lead().running || !isEverybodyIdle()) return;
    await options.look();
    const before = states();
    unheard.clear();
    /** Something for the runtime of one of them, after which nobody tells of a rest. */
    let isBusy = false;
    for (const { name } of present()) {
      const unread = await options.mailbox.readUnread(name);
      const counts = unread.filter(({ wakes, refused }) => wakes && refused === undefined);
      const isToWork = counts.some(({ body }) => isWork.has(body.kind));
      // What it told of was the rest before this work: the one after it is told too.
      if (isToWork && options.onlyReportsIdle?.(name)) awaited.add(name);
      else if (isToWork) unheard.add(name);
      else if (counts.length > 0) isBusy = true;
    }
    if (awaited.size > 0) return;
    // It works as soon as it has heard. What is never marked is not waited for for ever.
    if ((unheard.size > 0 || isBusy) && looks < maxLooks) {
      looks += 1;
      await options.pause(claimMs * Math.min(looks, maxPauses));
      return check();
    }
    looks = 0;
    unheard.clear();
    // Who has been idle all the while had nothing to hear; who was not may have had.
    await options.look();
    if (states() !== before) return check();
    // And who is idle has told of it before: what came of its work may be on its way to the lead.
    const own = await options.mailbox.readUnread(teamLead);
    isReportDue = await isOneOnItsWay(own);
    if (isReportDue) return;
    const left = (await options.tasks.list()).filter(({ status }) => status === "pending" || status === "in_progress");
    // Somebody may be about to take one, or have just taken it.
    if (left.length > 0) {
      await options.pause(claimMs);
      await options.look();
      if (states() !== before) return check();
    }
    const reports = options.conversation().waiting.filter((id) => !goodbyes.has(id)).length;
    if (closed || options.lead().running || !isEverybodyIdle()) return;
    isNews = false;
    if (left.length === 0 && reports === 0) return;
    await options.lead().admit("agent", [{ type: "text", text: everybodyIdle({ left, reports }) }]);
    options.lead().wake();
  };

  const forget = (name: string) => {
    awaited.delete(name);
    unheard.delete(name);
    looks = 0;
  };

  /** A lead that broke says so itself. */
  const leadSettled = async () => {
    await Promise.allSettled([options.lead().settled()]);
  };

  const isOneOnItsWay = async (unread: readonly ReceivedMail[]) => {
    for (const { id, body, refused } of unread)
      if (body.kind === "idle_notification" && refused === undefined)
        if (!(await options.lead().hasPrompt(promptOfMail(id)))) return true;
    return false;
  };
  const states = () => JSON.stringify(present().map(({ name, state, since }) => [name, state, since]));
  const present = () => options.statuses().filter(({ state }) => state !== "ended");
  const isEverybodyIdle = () =>
    options.statuses().length > 0 && awaited.size === 0 && present().every(({ state }) => state === "idle");

  return {
    get isSettling() {
      return pending > 0 || isReportDue;
    },
    isAwaited: (name) => awaited.has(name) || unheard.has(name),
    sentTo(name) {
      awaited.add(name);
    },
    heardFrom(name) {
      forget(name);
      isNews = true;
      check();
    },
    heardGoodbye: (id) => void goodbyes.add(promptOfMail(id)),
    tasksChanged() {
      isNews = true;
    },
    changed({ name, state }) {
      if (state === "ended") forget(name);
      if (state === "ended" || state === "working") isNews = true;
      if (state === "ended" || state === "idle") check();
    },
    onLeadIdle() {
      pending += 1;
      void leadSettled().finally(() => {
        check();
        pending -= 1;
      });
    },
    async close() {
      closed = true;
      await checking;
    },
  };
}
