import { readFile, rm } from "node:fs/promises";
import { encodeLine, type RotatableLogFile, writeFileAtomic } from "../../../platform/index.ts";
import type { MailId } from "../../../protocol/index.ts";
import type { InboxFold } from "./inbox-fold.ts";
import { listSegments } from "./inbox-segments.ts";

/**
 * Removes read mail from the files that were rotated before `newest`, oldest first. Marks are in later files than their
 * mail, so no mark is removed before its mail. `newest` itself stays until the next time: a sender that was stopped
 * between its write and its check writes the same mail again, and is recognized by the id.
 */
export async function compactSegments({
  path,
  fold,
  file,
  newest,
}: {
  readonly path: string;
  readonly fold: InboxFold;
  readonly file: RotatableLogFile;
  readonly newest: number;
}): Promise<void> {
  for (const segment of listSegments(path)) {
    if (segment.number >= newest) return;
    const kept = unreadOf(fold, segment.number);
    const through = fold.forget(segment.number);
    if (through !== undefined && !(fold.compactedThrough !== undefined && through <= fold.compactedThrough)) {
      const record = { compacted: through };
      await file.append(record, "soon");
      fold.apply(record, newest);
    }
    if (kept === "") await rm(segment.path, { force: true });
    else if (kept !== (await readFile(segment.path, "utf8"))) await writeFileAtomic(segment.path, kept);
  }
}

function unreadOf(fold: InboxFold, segment: number): string {
  const delivered: MailId[] = [];
  let lines = "";
  for (const entry of fold.unread()) {
    if (entry.segment !== segment || entry.mail === undefined) continue;
    lines += encodeLine({ mail: entry.mail });
    if (entry.state === "delivered") delivered.push(entry.id);
  }
  return delivered.length === 0 ? lines : lines + encodeLine({ mark: "delivered", ids: delivered });
}
