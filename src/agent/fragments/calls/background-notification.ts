import { escapeNotificationPart } from "../escape-markup.ts";

export interface BackgroundNotice {
  readonly id: string;
  readonly description: string;
  readonly status: "completed" | "failed" | "killed";
  readonly exitCode: number | null;
  readonly outputFile: string;
}

/** Notifies an agent that its background command has ended. */
export const backgroundNotification = (notice: BackgroundNotice): string =>
  [
    "<task-notification>",
    `<task-id>${notice.id}</task-id>`,
    `<status>${notice.status}</status>`,
    ...(notice.exitCode === null ? [] : [`<exit-code>${notice.exitCode}</exit-code>`]),
    `<summary>${escapeNotificationPart(notice.description)}</summary>`,
    `<output-file>${escapeNotificationPart(notice.outputFile)}</output-file>`,
    "</task-notification>",
  ].join("\n");
