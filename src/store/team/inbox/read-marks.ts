import type { MailId } from "../../../protocol/index.ts";
import { readLines } from "../../../platform/index.ts";
import { parseInboxRecord } from "./inbox-record.ts";
import { listSegments } from "./inbox-segments.ts";

/** The read marks of an inbox, read from its files on demand. */
export interface ReadMarks {
  has(id: MailId): boolean;
  /** Drops the cached file contents: the files may have grown. */
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
