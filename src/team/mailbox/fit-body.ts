import { type MailBody, type MailId, TroupeError } from "../../protocol/index.ts";
import type { MailBodies } from "../../store/index.ts";

/**
 * The body as it goes into the record: a text that is too large for one is in a file, on disk before the mail is, and the
 * record has its beginning. Throws with `mail` for what is too large altogether.
 */
export function fitBody(
  body: MailBody,
  { id, bodies }: { id: MailId; bodies: MailBodies },
): MailBody | Promise<MailBody> {
  const text = body.kind === "text" ? body.text : body.kind === "idle_notification" ? body.result : undefined;
  const most = body.kind === "idle_notification" ? reportBytes : recordBytes;
  // Three bytes for each unit at most: most texts need not be counted.
  if (text === undefined || text.length * 3 <= most) return body;
  const bytes = Buffer.byteLength(text);
  if (bytes > largestBytes) throw tooLarge(bytes);
  if (bytes <= most) return body;
  return bodies.save(id, text).then((file) => {
    const beginning = beginningOf(text);
    return body.kind === "text" ? { ...body, text: beginning, file } : { ...body, result: beginning, file };
  });
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
