import * as z from "zod";
import type { Mail, MailId } from "../../protocol/index.ts";
import { type BodyContext, formatBody, parseBody } from "./message-body.ts";
import { idFromUuid, uuidFromId } from "./uuid-from-id.ts";

/** A message of an inbox with the fields that are used. Unknown fields are kept when the file is rewritten. */
const Message = z.looseObject({
  from: z.string().min(1),
  text: z.string(),
  summary: z.string().optional().catch(undefined),
  timestamp: z.iso.datetime().optional().catch(undefined),
  color: z.string().optional().catch(undefined),
  msg_id: z.string().min(1).optional().catch(undefined),
});

/** Returns undefined if it is not a message. */
export function parseMessage(raw: unknown, to: string, context: BodyContext): Mail | undefined {
  const parsed = Message.safeParse(raw);
  if (!parsed.success) return undefined;
  const { from, text, summary, timestamp, color, msg_id } = parsed.data;
  const body = parseBody(text, context) ?? { kind: "text", text };
  return {
    id: idFromUuid<MailId>("mail", msg_id ?? JSON.stringify([from, to, timestamp, text])),
    from,
    to,
    timestamp: timestamp ?? new Date(context.now()).toISOString(),
    ...(color !== undefined && { color }),
    ...(summary !== undefined && { summary }),
    wakes: body.kind !== "idle_notification",
    body,
  };
}

/** Returns undefined if the format cannot express the mail. */
export function formatMessage(mail: Mail, context: BodyContext): Readonly<Record<string, unknown>> | undefined {
  const text = formatBody(mail, context);
  if (text === undefined) return undefined;
  const { from, summary, timestamp, color, id } = mail;
  return {
    from,
    text,
    ...(summary !== undefined && { summary }),
    timestamp,
    ...(color !== undefined && { color }),
    msgV: 1,
    msg_id: uuidFromId(id),
    type: "message",
    read: false,
  };
}

/** True if a reader of the message gets the whole mail except its signature. */
export function isWhole(mail: Mail, message: unknown, context: BodyContext): boolean {
  const { signature: _, ...sent } = mail;
  const read = parseMessage(JSON.parse(JSON.stringify(message)), mail.to, context);
  return read !== undefined && JSON.stringify(sorted(read)) === JSON.stringify(sorted(sent));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]));
}
