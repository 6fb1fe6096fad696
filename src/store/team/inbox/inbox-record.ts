import * as z from "zod";
import { Mail, type MailId } from "../../../protocol/index.ts";

/** What an inbox's file holds: mail by anybody, the rest by its reader alone. */
export type InboxRecord =
  | { readonly mail: Mail }
  | { readonly mark: "delivered" | "read"; readonly ids: readonly MailId[] }
  /** Mail up to this id that is not there any more was read. */
  | { readonly compacted: MailId }
  /** Damaged lines, by a digest of their bytes, that are set aside and told of already. */
  | { readonly aside: readonly string[] };

export type ParsedRecord =
  | { readonly ok: true; readonly record: InboxRecord }
  | { readonly ok: false; readonly reason: string };

/** Strict about its own form: a key too many is a check sum whose name was hit by a flipped bit. */
export function parseInboxRecord(value: unknown): ParsedRecord {
  const isMail = typeof value === "object" && value !== null && "mail" in value;
  const envelope = isMail ? MailEnvelope.safeParse(value) : undefined;
  if (envelope?.success) return parseMail(envelope.data.mail);
  const parsed = ReaderRecord.safeParse(value);
  if (parsed.success) return { ok: true, record: parsed.data as InboxRecord };
  return { ok: false, reason: "it is no record of an inbox" };
}

function parseMail(value: unknown): ParsedRecord {
  const parsed = Mail.safeParse(value);
  if (parsed.success) return { ok: true, record: { mail: parsed.data } };
  const unknown = UnknownMail.safeParse(value);
  // Of a kind that a newer version has: shown for what it says, and never acted on.
  if (unknown.success && !knownKinds.has(unknown.data.body.kind)) {
    const { body, ...rest } = unknown.data;
    return { ok: true, record: { mail: { ...rest, body: { kind: "text", text: JSON.stringify(body) } } } };
  }
  const issue = parsed.error.issues[0];
  return { ok: false, reason: `it is no mail (${issue?.path.join(".") ?? ""}: ${issue?.message ?? "unknown form"})` };
}

const MailEnvelope = z.strictObject({ mail: z.unknown() });
const UnknownMail = Mail.extend({ body: z.looseObject({ kind: z.string() }) });
const knownKinds: ReadonlySet<string> = new Set(
  Mail.shape.body.options.map((option) => option.shape.kind.value as string),
);

const ReaderRecord = z.union([
  z.strictObject({ mark: z.enum(["delivered", "read"]), ids: z.array(z.string()) }),
  z.strictObject({ compacted: z.string() }),
  z.strictObject({ aside: z.array(z.string()) }),
]);
