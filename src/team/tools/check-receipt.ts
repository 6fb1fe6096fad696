import * as z from "zod";
import type { MailId, MailState, Member } from "../../protocol/index.ts";
import { failedResult, textResult, type ToolResult } from "../../tool/index.ts";

/** Asks how far a message of one's own has come. Nothing is sent by it. */
export interface ReceiptRequest {
  readonly type: "receipt_request";
  readonly message_id: string;
}

export const receiptInput = () =>
  z.strictObject({ type: z.literal("receipt_request"), message_id: z.string().min(1).max(100) });

export interface ReceiptPorts {
  /** Rejects with a `TroupeError` if there never was such a mail to this member. */
  receipt(to: Member, id: MailId): Promise<MailState>;
}

/** Also of a member that has ended: then it says whether it was read before that. */
export async function checkReceipt(
  { message_id: id }: ReceiptRequest,
  members: readonly Member[],
  ports: ReceiptPorts,
): Promise<ToolResult> {
  const [member] = members;
  if (!member)
    return failedResult("Give in to the name of the member that the message went to: nobody there has this one.");
  const state = await ports.receipt(member, id as MailId);
  return textResult(`${id} to ${member.name}: ${state} (${meanings[state]}).`);
}

const meanings: Readonly<Record<MailState, string>> = {
  queued: "stored, and not taken in yet",
  delivered: "taken in, and heard at its next safe moment",
  read: "in its conversation",
  failed: "it will not be read: its receiver has ended without it, or it was damaged",
};
