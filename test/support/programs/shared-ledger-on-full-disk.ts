import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolderWatcher, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createSharedLedger } from "../../../src/team/limits/shared-ledger.ts";

/**
 * shared-ledger-on-full-disk FOLDER: each ledger settles and asks for budget while the small disk is full, then gets
 * space again. Prints the results. The files begin with empty lines, one more in each, so that the disk cuts an entry
 * at each of its bytes.
 */
const folder = process.argv[2] ?? "";
const ballast = join(folder, "ballast");
const watcher = createFolderWatcher({ rescanMs: 20 });
const createId = createIdFactory(systemClock);
const usd = (amount: number) => ({ usd: amount, tokens: 0 });
const open = (path: string) =>
  createSharedLedger({ path, sessionId: "a", budget: { maxBudgetUsd: 1 }, watcher, clock: systemClock, createId });

const all = await Promise.all(
  Array.from({ length: 200 }, async (_, emptyLines) => {
    const path = join(folder, String(emptyLines));
    writeFileSync(path, "\n".repeat(emptyLines));
    const ledger = open(path);
    return { path, ledger, first: await ledger.hold(usd(0.5)) };
  }),
);
const { bavail, bsize } = statfsSync(folder);
writeFileSync(ballast, Buffer.alloc(bavail * bsize));
let waiting = 0;
const done = all.map(async ({ path, ledger, first }) => {
  // More than the current page of the file has left.
  for (let times = 0; times < 60; times++) ledger.add(usd(0.001));
  first?.settle(usd(0.4));
  const second = await ledger.hold(usd(0.2), { onWait: () => (waiting += 1) });
  second?.settle(usd(0.2));
  return open(path).spent.usd.toFixed(3);
});
while (waiting < all.length) await new Promise((resolve) => setTimeout(resolve, 10));
rmSync(ballast);
process.stdout.write(JSON.stringify([...new Set(await Promise.all(done))]));
process.exit();
