import type { Agent } from "../../agent/index.ts";
import { type Envelope, type Member, teamLead, workMailKinds } from "../../protocol/index.ts";
import { promptIdOfMail } from "../mailbox/inbox-consumer.ts";
import type { Mailbox, ReceivedMail } from "../mailbox/mailbox.ts";

/** The members that a resumed lead waits for, and those for which it need not wait. */
export interface PendingOnResume {
  /**
   * Members that are expected to report: they have unread mail, or their report is in the lead's inbox but not in its
   * conversation.
   */
  readonly awaited: ReadonlySet<string>;
  /** Members that have failed and got no work since. They do not read their mail. */
  readonly failed: ReadonlySet<string>;
}

export interface PendingPorts {
  readonly mailbox: Pick<Mailbox, "readAll" | "readUnread">;
  readonly lead: Pick<Agent, "hasPrompt">;
  /** The stored events of the lead's previous runs. */
  readonly replayed: readonly Partial<Envelope>[];
  /** True for a member that ran on without the lead. Any other member starts again and reads its mail. */
  readonly ranOn: (name: string) => boolean;
}

export async function pendingOnResume(members: readonly Member[], ports: PendingPorts): Promise<PendingOnResume> {
  const { mailbox, lead, replayed, ranOn } = ports;
  const awaited = new Set<string>();
  const present = members.flatMap(({ name, ended }) => (ended === undefined ? [name] : []));
  const reports = (await mailbox.readAll(teamLead)).filter(isReport);
  const failed = new Set(present.filter((name) => ranOn(name) && hasFailed(name, reports, replayed)));
  for (const name of present)
    if (!failed.has(name) && (await mailbox.readUnread(name)).some(isWorkMail)) awaited.add(name);
  for (const { id, from, read } of reports) if (!read && !(await lead.hasPrompt(promptIdOfMail(id)))) awaited.add(from);
  return { awaited, failed };
}

/** True if the last report of the member says that it failed, and the lead sent no work since it got that report. */
function hasFailed(name: string, reports: readonly ReceivedMail[], replayed: readonly Partial<Envelope>[]): boolean {
  const last = reports.findLast(({ from }) => from === name);
  if (last?.body.kind !== "idle_notification" || last.body.idleReason !== "failed") return false;
  const heard = replayed.findIndex(({ event }) => event?.type === "mail.received" && event.mailId === last.id);
  const isNewWork = ({ event }: Partial<Envelope>) =>
    event?.type === "mail.sent" && event.to === name && workMailKinds.has(event.kind);
  return heard !== -1 && !replayed.slice(heard).some(isNewWork);
}

const isReport = ({ body, refused }: ReceivedMail): boolean =>
  body.kind === "idle_notification" && refused === undefined;

const isWorkMail = ({ body, wakes, refused }: ReceivedMail): boolean =>
  wakes && refused === undefined && workMailKinds.has(body.kind);
