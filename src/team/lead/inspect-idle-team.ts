import type { UnlandedWork } from "../../agent/index.ts";
import { type PromptId, teamLead, workMailKinds } from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";
import type { Mailbox, ReceivedMail } from "../mailbox/mailbox.ts";
import { promptIdOfMail } from "../mailbox/inbox-consumer.ts";
import type { Finding } from "./team-attention.ts";

export interface InspectIdleTeamPorts {
  /** True until the lead's attention knows of the report in this prompt. */
  readonly isOnItsWay: (report: PromptId) => Promise<boolean>;
  readonly tasks: Pick<TaskList, "list">;
  /** The work of members that the lead's branch does not have. */
  readonly unlanded?: (() => Promise<readonly UnlandedWork[]>) | undefined;
  readonly mailbox: Pick<Mailbox, "readUnread">;
  /** Publishes the current states of the members. A change of them makes the result of this inspection outdated. */
  readonly refresh: () => Promise<void>;
  /** The names of the members that have not ended. */
  readonly names: () => readonly string[];
  /** The members that wait for the lead's answer, by request id. */
  readonly askers: () => ReadonlyMap<string, { readonly from: string }>;
  /** True for members that have failed and do not read their mail. */
  readonly hasFailed: (name: string) => boolean;
  /** True for members that report only when they become idle. */
  readonly onlyReportsIdle?: ((name: string) => boolean) | undefined;
  /** Called with the members that have unread work. Empty at the end. */
  readonly onUnread: (names: readonly string[]) => void;
  /** Called for a member with unread work that reports only when it becomes idle. */
  readonly onWorkFound: (name: string) => void;
  /** Resolves after `ms`, or when the team is closed. */
  readonly pause: (ms: number) => Promise<void>;
}

/** How long idle members have to claim a free task before it counts as left. */
const claimMs = 300;

/** The pause before reading inboxes again grows up to this factor. After `maxLooks` reads, about a minute, it stops. */
const maxPauses = 10;
const maxLooks = 25;

/**
 * Looks closer at a team whose members all seem idle: unread mail, reports on their way to the lead, and tasks that a
 * member may be about to claim. Rejects if something cannot be read.
 */
async function inspectIdleTeam(ports: InspectIdleTeamPorts): Promise<Finding> {
  await ports.refresh();
  if ((await readInboxes(ports)) === "busy") return { kind: "busy" };
  // A member that was idle throughout had nothing to read.
  await ports.refresh();
  // An idle member has reported before. Its report may still be on the way to the lead.
  if (await hasUndeliveredReport(await ports.mailbox.readUnread(teamLead), ports)) return { kind: "report_on_its_way" };
  if ((await openTasks(ports)).length > 0) {
    // A member may be about to claim a task, or may have just claimed one.
    await ports.pause(claimMs);
    await ports.refresh();
  }
  return { kind: "idle", openTasks: await openTasks(ports), unlanded: await ports.unlanded?.() };
}

/** Failures in a row, with growing pauses, before the inspection fails. */
const maxFailures = 5;
const retryMs = 200;

/** A failed read may succeed later, and nothing else would try again. */
export async function inspectWithRetry(ports: InspectIdleTeamPorts): Promise<Finding> {
  for (let failures = 1; ; failures++) {
    try {
      return await inspectIdleTeam(ports);
    } catch (error) {
      if (failures > maxFailures) throw error;
      await ports.pause(failures * retryMs);
    }
  }
}

/** Waits until members have read their mail, but not forever for mail that is never marked. */
async function readInboxes(ports: InspectIdleTeamPorts): Promise<"read" | "busy"> {
  for (let looks = 1; ; looks++) {
    const { unread, isBusy, isAwaited } = await unreadWork(ports);
    ports.onUnread(unread);
    if (isAwaited) return "busy";
    if ((unread.length === 0 && !isBusy) || looks > maxLooks) break;
    await ports.pause(claimMs * Math.min(looks, maxPauses));
  }
  ports.onUnread([]);
  return "read";
}

/**
 * Resolves when the member is idle, has read its work and has no report on its way. A member publishes that it works
 * before it marks its mail, so it has nothing to report then. Resolves earlier when `isOver` says so.
 */
export async function untilNothingToReport(
  name: string,
  ports: Pick<InspectIdleTeamPorts, "mailbox" | "refresh" | "isOnItsWay" | "pause"> & {
    readonly isIdle: (name: string) => boolean;
    readonly isOver: () => boolean;
  },
): Promise<void> {
  const { mailbox, refresh, isIdle, isOver } = ports;
  for (let looks = 1; !isOver(); looks++) {
    const hasWork = (await mailbox.readUnread(name)).some(({ body }) => workMailKinds.has(body.kind));
    await refresh();
    const isDone = !hasWork && isIdle(name);
    if (isDone && !(await hasUndeliveredReport(await mailbox.readUnread(teamLead), ports))) return;
    await ports.pause(claimMs * Math.min(looks, maxPauses));
  }
}

async function unreadWork(ports: InspectIdleTeamPorts) {
  const unread: string[] = [];
  /** A member has control mail, after which it sends no idle report. */
  let isBusy = false;
  let isAwaited = false;
  const askers = new Set([...ports.askers().values()].map(({ from }) => from));
  for (const name of ports.names()) {
    // It reads its mail after the lead's answer, or when it gets new work.
    if (askers.has(name) || ports.hasFailed(name)) continue;
    const waking = (await ports.mailbox.readUnread(name)).filter(
      ({ wakes, refused }) => wakes && refused === undefined,
    );
    const hasWork = waking.some(({ body }) => workMailKinds.has(body.kind));
    // Its idle report was from before this work. It reports again afterwards.
    if (hasWork && ports.onlyReportsIdle?.(name)) {
      ports.onWorkFound(name);
      isAwaited = true;
    } else if (hasWork) unread.push(name);
    else if (waking.length > 0) isBusy = true;
  }
  return { unread, isBusy, isAwaited };
}

async function hasUndeliveredReport(
  unread: readonly ReceivedMail[],
  { isOnItsWay }: Pick<InspectIdleTeamPorts, "isOnItsWay">,
): Promise<boolean> {
  for (const { id, body, refused } of unread)
    if (body.kind === "idle_notification" && refused === undefined)
      if (await isOnItsWay(promptIdOfMail(id))) return true;
  return false;
}

const openTasks = async ({ tasks }: Pick<InspectIdleTeamPorts, "tasks">) =>
  (await tasks.list()).filter(({ status }) => status === "pending" || status === "in_progress");
