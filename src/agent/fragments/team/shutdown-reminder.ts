import { troupeNotice } from "../notice.ts";

/** Reminds a teammate that answered a shutdown request in plain words, or not at all. */
export const shutdownReminder = (requestId: string): string =>
  troupeNotice(
    `You were asked to end, and have not answered: only SendMessage counts. To agree: SendMessage with to "team-lead" and message ${shutdownApproval(requestId)}. To refuse: the same with "approve":false and "reason". Without an answer you are stopped soon.`,
  );

/** The message that agrees to a shutdown request. */
export const shutdownApproval = (requestId: string): string =>
  `{"type":"shutdown_response","request_id":"${requestId}","approve":true}`;
