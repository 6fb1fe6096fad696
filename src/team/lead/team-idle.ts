import { type Agent, type Conversation, teamIdlePrompt } from "../../agent/index.ts";
import { type MailId, type MemberStatus, type PromptId, teamLead } from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";
import type { Mailbox, ReceivedMail } from "../mailbox/mailbox.ts";
import { promptIdOfMail } from "../mailbox/inbox-consumer.ts";

/** Notices when nobody in a team is at work any more, and wakes the lead once if something is left for it. */
export interface TeamIdleDetector {
  /** Whether it is still to be seen if the lead has something to do. */
  readonly isSettling: boolean;
  /** Whether something was said to this member that it has not come to rest after. */
  hasUnreportedWork(name: string): boolean;
  /** It is there, and has something to do now. */
  onWorkSent(name: string): void;
  onReport(name: string): void;
  /** Words of one that goes and had told everything: they wait for the lead's next turn, and are none for one. */
  onFarewell(id: MailId): void;
  /** The lead has changed the task list: somebody who is idle may take what is on it now. */
  onTasksChanged(): void;
  onStatus(status: MemberStatus): void;
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
  readonly refresh: () => Promise<void>;
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
export const workMailKinds: ReadonlySet<string> = new Set(["text", "task_assignment"]);

/** So often in a row it may go wrong, after a pause that grows, before that breaks the lead. */
const maxFailures = 5;
const retryMs = 200;

/** How long whoever is idle has to take a free task before it counts as left. */
const claimMs = 300;

/** The pause before another look into an inbox grows to so many times that; after so many looks, a good minute, it is enough. */
const maxPauses = 10;
const maxLooks = 25;

export function createTeamIdleDetector(options: TeamIdleOptions): TeamIdleDetector {
  const awaitingReport = new Set<string>();
  /** Who is idle and had unread mail at the last look: it is about to hear it, or has heard it and only the mark is missing. */
  const withUnreadMail = new Set<string>();
  /** So often in a row somebody had. */
  let refreshes = 0;
  const farewells = new Set<PromptId>();
  /** Something has happened since the lead was last woken for this: without it the same rest would wake it for ever. */
  let hasChanged = false;
  let closed = false;
  let pending = 0;
  /** One is about to look: it sees whatever has happened until then. */
  let isCheckQueued = false;
  /** A report is in the lead's inbox, and on its way from there. */
  let isReportPending = false;
  let checking: Promise<void> = Promise.resolve();
  let failures = 0;

  const check = () => {
    if (isCheckQueued) return;
    isCheckQueued = true;
    pending += 1;
    const checked = checking.then(checkOnce).finally(() => {
      pending -= 1;
      if (pending === 0) options.onSettled();
    });
    checking = checked.then(
      () => {
        failures = 0;
      },
      (error: unknown) => retryLater(error),
    );
  };

  /** What could not be read this once may be read the next time; nobody else would look again. */
  const retryLater = (error: unknown) => {
    if (closed) return;
    failures += 1;
    if (failures > maxFailures) return options.onFailure(error);
    pending += 1;
    void later(failures * retryMs);
  };

  const later = async (ms: number) => {
    await options.pause(ms);
    check();
    pending -= 1;
  };

  const checkOnce = async () => {
    isCheckQueued = false;
    isReportPending = false;
    if (closed || !hasChanged || options.lead().running || !isEverybodyIdle()) return;
    await options.refresh();
    const before = states();
    withUnreadMail.clear();
    /** Something for the runtime of one of them, after which nobody tells of a rest. */
    let isBusy = false;
    for (const { name } of present()) {
      const unread = await options.mailbox.readUnread(name);
      const wakingMail = unread.filter(({ wakes, refused }) => wakes && refused === undefined);
      const hasWorkMail = wakingMail.some(({ body }) => workMailKinds.has(body.kind));
      // What it told of was the rest before this work: the one after it is told too.
      if (hasWorkMail && options.onlyReportsIdle?.(name)) awaitingReport.add(name);
      else if (hasWorkMail) withUnreadMail.add(name);
      else if (wakingMail.length > 0) isBusy = true;
    }
    if (awaitingReport.size > 0) return;
    // It works as soon as it has heard. What is never marked is not waited for for ever.
    if ((withUnreadMail.size > 0 || isBusy) && refreshes < maxLooks) {
      refreshes += 1;
      await options.pause(claimMs * Math.min(refreshes, maxPauses));
      return check();
    }
    refreshes = 0;
    withUnreadMail.clear();
    // Who has been idle all the while had nothing to hear; who was not may have had.
    await options.refresh();
    if (states() !== before) return check();
    // And who is idle has told of it before: what came of its work may be on its way to the lead.
    const leadMail = await options.mailbox.readUnread(teamLead);
    isReportPending = await hasUndeliveredReport(leadMail);
    if (isReportPending) return;
    const left = (await options.tasks.list()).filter(({ status }) => status === "pending" || status === "in_progress");
    // Somebody may be about to take one, or have just taken it.
    if (left.length > 0) {
      await options.pause(claimMs);
      await options.refresh();
      if (states() !== before) return check();
    }
    const reports = options.conversation().waiting.filter((id) => !farewells.has(id)).length;
    if (closed || options.lead().running || !isEverybodyIdle()) return;
    hasChanged = false;
    if (left.length === 0 && reports === 0) return;
    await options.lead().admit("agent", [{ type: "text", text: teamIdlePrompt({ openTasks: left, reports }) }]);
    options.lead().wake();
  };

  const forget = (name: string) => {
    awaitingReport.delete(name);
    withUnreadMail.delete(name);
    refreshes = 0;
  };

  /** A lead that broke says so itself. */
  const leadSettled = async () => {
    await Promise.allSettled([options.lead().settled()]);
  };

  const hasUndeliveredReport = async (unread: readonly ReceivedMail[]) => {
    for (const { id, body, refused } of unread)
      if (body.kind === "idle_notification" && refused === undefined)
        if (!(await options.lead().hasPrompt(promptIdOfMail(id)))) return true;
    return false;
  };
  const states = () => JSON.stringify(present().map(({ name, state, since }) => [name, state, since]));
  const present = () => options.statuses().filter(({ state }) => state !== "ended");
  const isEverybodyIdle = () =>
    options.statuses().length > 0 && awaitingReport.size === 0 && present().every(({ state }) => state === "idle");

  return {
    get isSettling() {
      return pending > 0 || isReportPending;
    },
    hasUnreportedWork: (name) => awaitingReport.has(name) || withUnreadMail.has(name),
    onWorkSent(name) {
      awaitingReport.add(name);
    },
    onReport(name) {
      forget(name);
      hasChanged = true;
      check();
    },
    onFarewell: (id) => void farewells.add(promptIdOfMail(id)),
    onTasksChanged() {
      hasChanged = true;
    },
    onStatus({ name, state }) {
      if (state === "ended") forget(name);
      if (state === "ended" || state === "working") hasChanged = true;
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
