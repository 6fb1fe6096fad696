import * as z from "zod";
import type { MailId, MailState, Member } from "../../protocol/index.ts";
import { failedResult, textResult, type ToolResult } from "../../tool/index.ts";

/** Asks how far a message of the caller has come. Sends nothing. */
export interface ReceiptRequest {
  readonly type: "receipt_request";
  readonly message_id: string;
}

export const receiptInput = () =>
  z.strictObject({ type: z.literal("receipt_request"), message_id: z.string().min(1).max(100) });

export interface ReceiptPorts {
  /** The link to the team that this member is in. */
  linkTo(member: Member): {
    /** Rejects with a `TroupeError` if there was never such a mail to this member. */
    receipt(id: MailId, to: string): Promise<MailState>;
  };
}

/** For a member that has ended, it says whether the mail was read before that. */
export async function checkReceipt(
  { message_id: id }: ReceiptRequest,
  members: readonly Member[],
  ports: ReceiptPorts,
): Promise<ToolResult> {
  const [member] = members;
  if (!member) return failedResult('No member has this name. Set "to" to the member that the message went to.');
  const state = await ports.linkTo(member).receipt(id as MailId, member.name);
  return textResult(`${id} to ${member.name}: ${state} (${meanings[state]}).`);
}

const meanings: Readonly<Record<MailState, string>> = {
  queued: "stored, not received yet",
  delivered: "received; it is read at the next safe moment",
  read: "in its conversation",
  failed: "it will not be read: its receiver ended without reading it, or it was damaged",
};
