/** The command that runs the sample's tests, for the agents and for the demo's own check. */
export const testCommand = "node --test --test-reporter=spec";

/** The sample's only bug: its file, the test that shows it, and the fix. */
export const fault = {
  source: "src/split-bill.js",
  test: "test/split-bill.test.js",
  failing: "every cent of the bill is paid",
  faulty: `  const share = Math.round(totalCents / people);
  return Array.from({ length: people }, () => share);
`,
  mended: `  const share = Math.floor(totalCents / people);
  const left = totalCents % people;
  const pays = (_, i) => (i < left ? share + 1 : share);
  return Array.from({ length: people }, pays);
`,
} as const;

/** Runs until it is stopped. */
export const watchCommand = `${testCommand} --watch ${fault.test}`;

/** The test that the tester adds. */
export const newTest = {
  path: "test/every-bill.test.js",
  text: `import assert from "node:assert/strict";
import { test } from "node:test";
import { splitBill } from "../src/split-bill.js";

test("no bill loses a cent", () => {
  for (let people = 1; people <= 9; people++)
    for (let cents = 0; cents <= 500; cents++) {
      const paid = splitBill(cents, people).reduce((a, b) => a + b);
      assert.equal(paid, cents);
    }
});\n`,
} as const;

/** The sample project, by path. It needs no installation. */
export const sampleFiles: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "fair-share", private: true, type: "module", scripts: { test: testCommand } }, null, 2)}\n`,
  [fault.source]: `/** Returns what each of \`people\` pays of a bill, in whole cents. */
export function splitBill(totalCents, people) {
${fault.faulty}}\n`,
  "src/format-amount.js": `/** Cents as people read them: 1250 is "12.50". */
export function formatAmount(cents) {
  return (cents / 100).toFixed(2);
}
`,
  [fault.test]: `import assert from "node:assert/strict";
import { test } from "node:test";
import { splitBill } from "../src/split-bill.js";

const sum = (shares) => shares.reduce((total, share) => total + share, 0);

test("two friends pay the same", () => {
  assert.deepEqual(splitBill(1000, 2), [500, 500]);
});

test("shares differ by at most one cent", () => {
  const shares = splitBill(1001, 3);
  assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
});

test("${fault.failing}", () => {
  assert.equal(sum(splitBill(1000, 3)), 1000);
});\n`,
  "test/format-amount.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAmount } from "../src/format-amount.js";

test("cents become an amount", () => {
  assert.equal(formatAmount(1250), "12.50");
});
`,
};
