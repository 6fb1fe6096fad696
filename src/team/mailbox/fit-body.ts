import { type MailBody, type MailId, TroupeError } from "../../protocol/index.ts";
import type { MailBodies } from "../../store/index.ts";

/**
 * The body as it is stored in the record. A text that is too large goes to a file, which is on disk before the mail,
 * and the record has its beginning. Throws `mail` if it is too large for any mail.
 */
export async function fitBody(body: MailBody, { id, bodies }: { id: MailId; bodies: MailBodies }): Promise<MailBody> {
  if (needsNoFile(body)) return body;
  const isText = body.kind === "text";
  const text = (isText ? body.text : body.kind === "idle_notification" ? body.result : undefined) ?? "";
  const bytes = Buffer.byteLength(text);
  if (bytes > largestBytes) throw tooLarge(bytes);
  if (bytes <= (isText ? recordBytes : reportBytes)) return body;
  const file = await bodies.save(id, text);
  const beginning = beginningOf(text);
  if (isText) return { ...body, text: beginning, file };
  return body.kind === "idle_notification" ? { ...body, result: beginning, file } : body;
}

/** Avoids counting bytes in most cases: a UTF-16 unit takes at most three bytes. */
export function needsNoFile(body: MailBody): boolean {
  if (body.kind === "text") return body.text.length * 3 <= recordBytes;
  return body.kind !== "idle_notification" || (body.result ?? "").length * 3 <= reportBytes;
}

/** A control message cannot be truncated, because its receiver must see all of it. */
export function assertFits(json: string): void {
  const bytes = Buffer.byteLength(json);
  if (bytes > largestBytes) throw tooLarge(bytes);
}

const recordBytes = 64 * 1024;
/** Smaller than for texts: the reader did not ask for a long report and decides how much to read. */
const reportBytes = 16_000;
const largestBytes = 10_000_000;
const beginningLength = 16_000;

const beginningOf = (text: string) => text.slice(0, beginningLength).replace(/[\ud800-\udbff]$/, "");

function tooLarge(bytes: number): TroupeError {
  const size = (bytes / 1_000_000).toFixed(1);
  return new TroupeError(
    "mail",
    `The message has ${size} MB; the limit is 10 MB. Write it to a file and send the file's path.`,
  );
}
