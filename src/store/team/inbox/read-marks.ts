import type { MailId } from "../../../protocol/index.ts";
import { readLines } from "../../../platform/index.ts";
import { parseInboxRecord } from "./inbox-record.ts";
import { listSegments } from "./inbox-segments.ts";

/** What of an inbox is marked as read, read from its files when it is asked for. */
export interface ReadMarks {
  has(id: MailId): boolean;
  /** What was read of the files is let go: they may have grown. */
  forget(): void;
}

export function createReadMarks(path: string): ReadMarks {
  let ids: Set<MailId> | undefined;
  return {
    has: (id) => (ids ??= readMarks(path)).has(id),
    forget() {
      ids = undefined;
    },
  };
}

function readMarks(path: string): Set<MailId> {
  const ids = new Set<MailId>();
  for (const file of [...listSegments(path).map((segment) => segment.path), path])
    for (const { value } of readLines(file).records) {
      if (typeof value !== "object" || value === null || !("mark" in value)) continue;
      const parsed = parseInboxRecord(value);
      if (parsed.ok && "mark" in parsed.record && parsed.record.mark === "read")
        for (const id of parsed.record.ids) ids.add(id);
    }
  return ids;
}
