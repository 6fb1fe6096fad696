import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFolderWatcher, currentProcess, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createSharedLedger } from "../../../src/team/limits/shared-ledger.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { needUserNamespaces } from "../../support/processes/required-tools.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

function open(path: string, who: string, maxBudgetUsd = 1) {
  const watcher = createFolderWatcher({ rescanMs: 20 });
  const ports = { watcher, clock: systemClock, createId: createIdFactory(systemClock) };
  const ledger = createSharedLedger({ path, sessionId: who, budget: { maxBudgetUsd }, ...ports });
  onTestFinished(async () => {
    await ledger.close();
    watcher.close();
  });
  return ledger;
}

const usd = (amount: number) => ({ usd: amount, tokens: 0 });
const file = () => join(tempTree({ "here/.keep": "" }).path("here"), "spending.jsonl");

test("an amount held by one process is not free for another until it settles", async () => {
  const path = file();
  const [a, b] = [open(path, "a"), open(path, "b")];
  const first = await a.hold(usd(0.8));
  let waits = false;
  const second = b.hold(usd(0.5), { onWait: () => (waits = true) });
  await expect.poll(() => waits).toBe(true);
  first?.settle(usd(0.1));
  (await second)?.settle(usd(0.2));
  await expect.poll(() => a.spent.usd).toBeCloseTo(0.3);
  expect(b.spent.usd).toBeCloseTo(0.3);
});

test("a budget used up together is used up for each, by at most one call more", async () => {
  const path = file();
  const ledgers = ["a", "b", "c", "d"].map((who) => open(path, who));
  let calls = 0;
  const work = async (ledger: ReturnType<typeof open>) => {
    for (;;) {
      const hold = await ledger.hold(usd(0.3));
      if (!hold) return;
      calls += 1;
      await new Promise((resolve) => setImmediate(resolve));
      hold.settle(usd(0.3));
    }
  };
  await Promise.all(ledgers.map(work));
  expect(calls).toBe(4);
  expect(ledgers[0]?.spent.usd).toBeCloseTo(1.2);
  expect(ledgers[3]?.usedUp()).toContain("$1");
});

test("a process that died does not hold its amount for ever", async () => {
  const path = file();
  const dead = { ...currentProcess(), pid: 999_999_999 };
  appendFileSync(path, `\n${JSON.stringify({ do: "hold", id: "hold_x", who: "x", most: usd(1), by: dead })}\n`);
  const hold = await open(path, "a").hold(usd(0.5));
  expect(hold).toBeDefined();
  hold?.settle(usd(0.5));
});

test("spending from a session's logs is recorded once, however often it is opened", async () => {
  const path = file();
  const cost = {
    type: "cost.recorded" as const,
    purpose: "answer" as const,
    model: "m",
    usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    costUsd: 0.25,
  };
  const first = open(path, "a");
  first.recall(cost);
  expect(first.spent.usd).toBeCloseTo(0.25);
  const again = open(path, "a");
  again.recall(cost);
  expect(again.spent.usd).toBeCloseTo(0.25);
  expect(open(path, "b").spent.usd).toBeCloseTo(0.25);
});

test("on a full disk no budget is granted, and spending is recorded when there is space", async () => {
  needUserNamespaces();
  const program = await buildProgram("shared-ledger-on-full-disk.ts");
  onTestFinished(() => program.remove());
  const script = 'mount -t tmpfs -o size=4m none "$2" && exec "$0" "$1" "$2"';
  const folder = tempTree({ "here/.keep": "" }).path("here");
  const args = ["-Urm", "sh", "-c", script, process.execPath, program.path, folder];
  const spent = JSON.parse(execFileSync("unshare", args, { encoding: "utf8" })) as unknown;
  expect(spent).toEqual(["0.660"]);
});

test("requests and settlements of others count before a new request", async () => {
  const path = file();
  const [a, b] = [open(path, "a"), open(path, "b")];
  (await a.hold(usd(0.1)))?.settle(usd(0));
  // In the same tick as the request of b below, so that b cannot read in between.
  const by = currentProcess();
  appendFileSync(path, `\n${JSON.stringify({ do: "hold", id: "hold_x", who: "x", most: usd(0.1), by })}\n`);
  appendFileSync(path, `\n${JSON.stringify({ do: "settle", id: "hold_x", amount: usd(1) })}\n`);
  expect(await b.hold(usd(0.1))).toBeUndefined();
  expect(open(path, "c").spent.usd).toBeCloseTo(1);
});

test("entries of version 0.1, which have no id, count each time", async () => {
  const path = file();
  const entry = JSON.stringify({ do: "add", who: "x", amount: usd(0.1) });
  appendFileSync(path, `\n${entry}\n\n${entry}\n`);
  const ledger = open(path, "a");
  await expect.poll(() => ledger.spent.usd).toBeCloseTo(0.2);
});
