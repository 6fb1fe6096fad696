import { type MailBody, type MailId, TroupeError } from "../../protocol/index.ts";
import type { MailBodies } from "../../store/index.ts";

/**
 * The body as it goes into the record: a text that is too large for one is in a file, on disk before the mail is, and the
 * record has its beginning. Throws with `mail` for what is too large altogether.
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

/** Most need not even be counted: three bytes for each unit at most. */
export function needsNoFile(body: MailBody): boolean {
  if (body.kind === "text") return body.text.length * 3 <= recordBytes;
  return body.kind !== "idle_notification" || (body.result ?? "").length * 3 <= reportBytes;
}

/** A control message cannot be cut: whoever answers it answers all of it. */
export function assertFits(json: string): void {
  const bytes = Buffer.byteLength(json);
  if (bytes > largestBytes) throw tooLarge(bytes);
}

const recordBytes = 64 * 1024;
/** Nobody has asked for it to be long: its reader is to decide how much of it to read. */
const reportBytes = 16_000;
const largestBytes = 10_000_000;
const beginningLength = 16_000;

const beginningOf = (text: string) => text.slice(0, beginningLength).replace(/[\ud800-\udbff]$/, "");

function tooLarge(bytes: number): TroupeError {
  const size = (bytes / 1_000_000).toFixed(1);
  return new TroupeError(
    "mail",
    `The message has ${size} MB, and 10 MB is the most that can be sent. Write it to a file and send the file's path.`,
  );
}
