import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolderWatcher, idMaker, systemClock } from "../../../src/platform/index.ts";
import { createTeamLedger } from "../../../src/team/team-ledger.ts";

/** ledger-on-full-disk FOLDER: settles and asks for money while the small disk is full, then frees it; prints what came of it. */
const folder = process.argv[2] ?? "";
const path = join(folder, "spending.jsonl");
const ballast = join(folder, "ballast");
const open = (who: string) =>
  createTeamLedger({
    path,
    who,
    budget: { maxBudgetUsd: 1 },
    watcher: createFolderWatcher({ rescanMs: 20 }),
    clock: systemClock,
    createId: idMaker(systemClock),
  });
const usd = (amount: number) => ({ usd: amount, tokens: 0 });

const ledger = open("a");
// The first page of the file is used up, so that what comes next needs space.
for (let times = 0; times < 40; times++) (await ledger.hold(usd(0.1)))?.settle(usd(0));
const first = await ledger.hold(usd(0.5));
const { bavail, bsize } = statfsSync(folder);
writeFileSync(ballast, Buffer.alloc(bavail * bsize));
for (let times = 0; times < 60; times++) ledger.add(usd(0.001));
first?.settle(usd(0.4));
const waited = await new Promise<boolean>((resolve) => {
  const second = ledger.hold(usd(0.2), { onWait: () => resolve(true) });
  void second.then((hold) => {
    hold?.settle(usd(0.2));
    process.stdout.write(JSON.stringify({ waited, spent: open("b").spent.usd.toFixed(3) }));
    process.exit();
  });
});
rmSync(ballast);
