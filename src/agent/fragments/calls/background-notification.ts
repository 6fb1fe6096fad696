import { escapeNotificationPart } from "../escape-markup.ts";
import { troupeNotice } from "../notice.ts";

export interface BackgroundNotice {
  readonly id: string;
  readonly description: string;
  readonly status: "completed" | "failed" | "killed";
  readonly exitCode: number | null;
  readonly outputFile: string;
  /** The last lines of its output. */
  readonly tail?: string | undefined;
  /** Why it did not end by itself. */
  readonly reason?: string | undefined;
  /** One line, for an agent that ended the command itself and knows it. */
  readonly isBrief?: boolean | undefined;
  /** The agent has answered already, and only its last answer counts. */
  readonly hasAnswered?: boolean | undefined;
}

/** Notifies an agent that its background command has ended. */
export const backgroundNotification = (notice: BackgroundNotice): string =>
  [
    "<task-notification>",
    `<task-id>${notice.id}</task-id>`,
    `<status>${notice.status}</status>`,
    ...(notice.exitCode === null ? [] : [`<exit-code>${notice.exitCode}</exit-code>`]),
    `<summary>${escapeNotificationPart(notice.description)}</summary>`,
    ...(notice.reason === undefined ? [] : [`<reason>${escapeNotificationPart(notice.reason)}</reason>`]),
    ...(notice.isBrief || !notice.tail ? [] : [`<output>\n${escapeNotificationPart(notice.tail)}\n</output>`]),
    ...(notice.isBrief ? [] : [`<output-file>${escapeNotificationPart(notice.outputFile)}</output-file>`]),
    "</task-notification>",
    ...(notice.isBrief || !notice.hasAnswered ? [] : [troupeNotice(onlyTheLastCounts)]),
  ].join(notice.isBrief ? "" : "\n");

const onlyTheLastCounts =
  "Only your last answer counts. You have answered before this command ended: when nothing is left to do, give the whole answer again, with this result.";
