import type { MailId, MailReading, SessionId } from "../protocol/index.ts";

/**
 * The mail of the team that a session leads or belongs to. All methods reject with a TroupeError that tells what to do.
 */
export interface MailApi {
  /** Returns all mail in the order of sending, or only mail sent since `since`. Marks nothing as read. */
  list(session: SessionId, options: { readonly since?: string | undefined }): Promise<MailReading>;
  /** Returns the full text of a mail whose listing contains only its beginning. */
  text(session: SessionId, id: MailId): Promise<string>;
}
