import { type MailBody, type MailId, TroupeError } from "../../protocol/index.ts";
import type { MailBodies } from "../../store/index.ts";

/**
 * The body as it goes into the record: a text that is too large for one is in a file, on disk before the mail is, and the
 * record has its beginning. Throws with `mail` for what is too large altogether.
 */
export async function fitBody(body: MailBody, { id, bodies }: { id: MailId; bodies: MailBodies }): Promise<MailBody> {
  if (needsNoFile(body)) return body;
  const text = longTextOf(body) ?? "";
  const bytes = Buffer.byteLength(text);
  if (bytes > largestBytes) throw tooLarge(bytes);
  if (bytes <= mostBytes(body)) return body;
  const file = await bodies.save(id, text);
  const beginning = beginningOf(text);
  if (body.kind === "text") return { ...body, text: beginning, file };
  return body.kind === "idle_notification" ? { ...body, result: beginning, file } : body;
}

/** Most need not even be counted: three bytes for each unit at most. What is no text at all is for the schema to refuse. */
export function needsNoFile(body: MailBody): boolean {
  const text = longTextOf(body);
  return typeof text !== "string" || text.length * 3 <= mostBytes(body);
}

const longTextOf = (body: MailBody) =>
  body.kind === "text" ? body.text : body.kind === "idle_notification" ? body.result : undefined;

const mostBytes = ({ kind }: MailBody) => (kind === "idle_notification" ? reportBytes : recordBytes);

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
