import { teamLead } from "../../../protocol/index.ts";
import { troupeNotice } from "../notice.ts";

/** Reminds a teammate that answered a shutdown request in plain words, or not at all. */
export const shutdownReminder = (requestId: string): string =>
  troupeNotice(
    `You were asked to end, and have not answered: only SendMessage counts. To agree: ${shutdownAnswerCall({ from: teamLead, requestId })}. To refuse: the same with "approve":false and "reason". Without an answer you are stopped soon.`,
  );

/** The message that agrees to a shutdown request. */
export const shutdownApproval = (requestId: string): string =>
  `{"type":"shutdown_response","request_id":"${requestId}","approve":true}`;

/** The exact call that agrees to end. */
export const shutdownAnswerCall = ({
  from,
  requestId,
}: {
  readonly from: string;
  readonly requestId: string;
}): string => `SendMessage with to ${JSON.stringify(from)} and message ${shutdownApproval(requestId)}`;
