import { type Agent, type Conversation, teamIdlePrompt } from "../../agent/index.ts";
import { type MailId, type MemberStatus, type PromptId, teamLead, workMailKinds } from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";
import type { Mailbox, ReceivedMail } from "../mailbox/mailbox.ts";
import { promptIdOfMail } from "../mailbox/inbox-consumer.ts";

/** Notices when all members of a team are idle, and wakes the lead once if something is left for it. */
export interface TeamIdleDetector {
  /** True while it is not yet known whether the lead has something to do. */
  readonly isSettling: boolean;
  /** True if this member got work and has not reported idle since. */
  hasUnreportedWork(name: string): boolean;
  /** The member is running and now has work. */
  onWorkSent(name: string): void;
  onReport(name: string): void;
  /**
   * A shutdown message of a member that had reported everything. It waits for the lead's next turn and does not cause
   * one.
   */
  onFarewell(id: MailId): void;
  /** The lead changed the task list, so an idle member may claim a task. */
  onTasksChanged(): void;
  onStatus(status: MemberStatus): void;
  /** The lead announced that it is idle. Its run ends only after that. */
  onLeadIdle(): void;
  close(): Promise<void>;
}

export interface TeamIdleOptions {
  readonly lead: () => Agent;
  readonly conversation: () => Pick<Conversation, "waiting" | "hasReason">;
  readonly tasks: TaskList;
  readonly mailbox: Mailbox;
  /** Refreshes the result of `statuses`. */
  readonly refresh: () => Promise<void>;
  readonly statuses: () => readonly MemberStatus[];
  /** True for members that report only when they become idle. */
  readonly onlyReportsIdle?: ((name: string) => boolean) | undefined;
  /** Resolves after `ms`, or when the team is closed. */
  readonly pause: (ms: number) => Promise<void>;
  /** Called after each check. The lead is woken by then if it has something to do. */
  readonly onSettled: () => void;
  /** Called after repeated failures. */
  readonly onFailure: (error: unknown) => void;
}

/** Failures in a row, with growing pauses, before the lead fails. */
const maxFailures = 5;
const retryMs = 200;

/** How long idle members have to claim a free task before it counts as left. */
const claimMs = 300;

/** The pause before reading inboxes again grows up to this factor. After `maxLooks` reads, about a minute, it stops. */
const maxPauses = 10;
const maxLooks = 25;

export function createTeamIdleDetector(options: TeamIdleOptions): TeamIdleDetector {
  const awaitingReport = new Set<string>();
  /**
   * Idle members with unread mail at the last refresh. They are about to read it, or have read it and only the mark is
   * missing.
   */
  const withUnreadMail = new Set<string>();
  /** The number of refreshes in a row with unread mail. */
  let refreshes = 0;
  const farewells = new Set<PromptId>();
  /** Something happened since the lead was last woken. Otherwise the same idle state would wake it forever. */
  let hasChanged = false;
  let closed = false;
  let pending = 0;
  /** A check is queued and will see everything up to then. */
  let isCheckQueued = false;
  /** A report is in the lead's inbox, but not yet in its conversation. */
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

  /** A failed read may succeed later, and nothing else would try again. */
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
    /** A member has control mail, after which it sends no idle report. */
    let isBusy = false;
    for (const { name } of present()) {
      const unread = await options.mailbox.readUnread(name);
      const wakingMail = unread.filter(({ wakes, refused }) => wakes && refused === undefined);
      const hasWorkMail = wakingMail.some(({ body }) => workMailKinds.has(body.kind));
      // Its idle report was from before this work. It reports again afterwards.
      if (hasWorkMail && options.onlyReportsIdle?.(name)) awaitingReport.add(name);
      else if (hasWorkMail) withUnreadMail.add(name);
      else if (wakingMail.length > 0) isBusy = true;
    }
    if (awaitingReport.size > 0) return;
    // The member starts when it has read the mail. Do not wait forever for mail that is never marked.
    if ((withUnreadMail.size > 0 || isBusy) && refreshes < maxLooks) {
      refreshes += 1;
      await options.pause(claimMs * Math.min(refreshes, maxPauses));
      return check();
    }
    refreshes = 0;
    withUnreadMail.clear();
    // A member that was idle throughout had nothing to read. If a state changed, check again.
    await options.refresh();
    if (states() !== before) return check();
    // An idle member has reported before. Its report may still be on the way to the lead.
    const leadMail = await options.mailbox.readUnread(teamLead);
    isReportPending = await hasUndeliveredReport(leadMail);
    if (isReportPending) return;
    const left = (await options.tasks.list()).filter(({ status }) => status === "pending" || status === "in_progress");
    // A member may be about to claim a task, or may have just claimed one.
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

  /** A failed lead reports that itself. */
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
