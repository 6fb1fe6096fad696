import { openLineFile } from "../../platform/index.ts";
import { type createLedgerFold, LedgerEntry } from "./ledger-fold.ts";

/** Writes the entries of this process, and applies those of all processes to the fold in the order of the file. */
export function openLedgerJournal(path: string, fold: Pick<ReturnType<typeof createLedgerFold>, "apply">) {
  const file = openLineFile(path, { durability: "process" });
  let offset = 0;
  /** Spending that is not in the file yet. It is written with the next entry. */
  let unwritten: LedgerEntry[] = [];

  const read = () => {
    const { records, nextOffset } = file.readFrom(offset);
    offset = nextOffset;
    for (const { value } of records) {
      const entry = LedgerEntry.safeParse(value);
      if (entry.success) fold.apply(entry.data);
    }
  };

  return {
    read,
    /**
     * One write, visible to all processes when this returns. Rejects if it fails; spending is then kept for the next
     * write.
     */
    write(entry: LedgerEntry): Promise<void> {
      const entries = [...unwritten, entry];
      unwritten = [];
      const stored = file.append(entries);
      read();
      stored.catch(() => unwritten.push(...entries.filter((each) => each.do !== "hold")));
      return stored;
    },
    close: () => file.close(),
  };
}
