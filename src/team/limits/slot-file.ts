import { statSync } from "node:fs";
import { openLineFile, storageError } from "../../platform/index.ts";
import { SlotEntry } from "./slot-entry.ts";

/**
 * The file of the slot entries. Others may remove or truncate it while it is in use. Calls `makeFolder` before the first
 * write.
 */
export function openSlotFile(path: string, makeFolder?: () => void) {
  const open = () => openLineFile(path, { durability: "process" });
  let file = open();
  let offset = 0;
  /** The file that was read so far. */
  let knownFile: ReturnType<typeof fileAt>;
  return {
    /** True if the part that was read is gone. */
    isLost() {
      if (offset === 0) return false;
      const found = fileAt(path);
      return !found || found.size < offset || found.identity !== knownFile?.identity;
    },
    /** Opens the file that replaces a lost one. Says whether another process has written the state into it again. */
    reopen(): { readonly isRestored: boolean } {
      file.close().catch(() => undefined); // its content is no longer needed
      file = open();
      knownFile = undefined;
      const { records, nextOffset } = file.readFrom(0);
      const resetEntry = records.findLast(({ value }) => SlotEntry.safeParse(value).data?.do === "again");
      offset = resetEntry?.offset ?? nextOffset;
      knownFile = fileAt(path);
      return { isRestored: resetEntry !== undefined };
    },
    /** Returns the entries since the last read. */
    read(): readonly SlotEntry[] {
      const { records, nextOffset } = file.readFrom(offset);
      offset = nextOffset;
      if (records.length > 0) knownFile ??= fileAt(path);
      return records.flatMap(({ value }) => SlotEntry.safeParse(value).data ?? []);
    },
    async append(entries: readonly SlotEntry[]): Promise<void> {
      if (offset === 0 && entries.length > 0) makeFolder?.();
      await file.append(entries);
    },
    close: () => file.close(),
  };
}

/** Undefined if there is no file. */
function fileAt(path: string): { readonly identity: string; readonly size: number } | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { identity: `${found.dev}:${found.ino}`, size: found.size };
  } catch (error) {
    throw storageError("read", path, error);
  }
}
