import type { MailId, MailReading, SessionId } from "../protocol/index.ts";

/** The mail of the team that a session leads or is in. Everything rejects with a TroupeError that says what to do. */
export interface MailApi {
  /** All that is held, by when it was sent; with `since`, a time, what was sent from then on. Looking marks nothing as read. */
  list(session: SessionId, options: { readonly since?: string | undefined }): Promise<MailReading>;
  /** The whole text of a mail whose listing has its beginning. */
  text(session: SessionId, id: MailId): Promise<string>;
}
