import * as z from "zod";
import { Mail, type MailId } from "../../../protocol/index.ts";

/** A record in an inbox's file. Any sender writes mail; only the reader writes the rest. */
export type InboxRecord =
  | { readonly mail: Mail }
  | { readonly mark: "delivered" | "read"; readonly ids: readonly MailId[] }
  /** Missing mail up to this id was read. */
  | { readonly compacted: MailId }
  /** Digests of damaged lines that are already quarantined and reported. */
  | { readonly aside: readonly string[] };

export type ParsedRecord =
  | { readonly ok: true; readonly record: InboxRecord }
  | { readonly ok: false; readonly reason: string };

/** Strict about unknown keys: one may be a checksum whose name was hit by a bit error. */
export function parseInboxRecord(value: unknown): ParsedRecord {
  const isMail = typeof value === "object" && value !== null && "mail" in value;
  const envelope = isMail ? MailEnvelope.safeParse(value) : undefined;
  if (envelope?.success) return parseMail(envelope.data.mail);
  const parsed = ReaderRecord.safeParse(value);
  if (parsed.success) return { ok: true, record: parsed.data as InboxRecord };
  return { ok: false, reason: "it is not an inbox record" };
}

function parseMail(value: unknown): ParsedRecord {
  const parsed = Mail.safeParse(value);
  if (parsed.success) return { ok: true, record: { mail: parsed.data } };
  const unknown = UnknownMail.safeParse(value);
  // A kind from a newer version is shown as text and never acted on.
  if (unknown.success && !knownKinds.has(unknown.data.body.kind)) {
    const { body, ...rest } = unknown.data;
    return { ok: true, record: { mail: { ...rest, body: { kind: "text", text: JSON.stringify(body) } } } };
  }
  const issue = parsed.error.issues[0];
  return {
    ok: false,
    reason: `it is not a mail (${issue?.path.join(".") ?? ""}: ${issue?.message ?? "unknown form"})`,
  };
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
