/** How the sample's tests are run: by the agents, and by the demo that checks the agents. */
export const testCommand = "node --test --test-reporter=spec";

/** One fault of the sample: where it is, the test that shows it, and how it is mended. */
export interface Fault {
  readonly source: string;
  readonly test: string;
  readonly failing: string;
  readonly faulty: string;
  readonly mended: string;
}

/** Three faults that have nothing to do with each other. */
export const faults = {
  split: {
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
  },
  parse: {
    source: "src/parse-amount.js",
    test: "test/parse-amount.test.js",
    failing: "no cent is lost in reading",
    faulty: "  return Math.floor(Number(text) * 100);\n",
    mended: "  return Math.round(Number(text) * 100);\n",
  },
  format: {
    source: "src/format-amount.js",
    test: "test/format-amount.test.js",
    failing: "five cents are not fifty",
    faulty: "  return `${Math.floor(cents / 100)}.${cents % 100}`;\n",
    mended: "  return (cents / 100).toFixed(2);\n",
  },
} as const satisfies Record<string, Fault>;

/** The sample project, by path. Nothing in it has to be installed. */
export const sampleFiles: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "fair-share", private: true, type: "module", scripts: { test: testCommand } }, null, 2)}\n`,
  [faults.split.source]: `/** What each of \`people\` pays of a bill, in whole cents. */
export function splitBill(totalCents, people) {
${faults.split.faulty}}
`,
  [faults.parse.source]: `/** The cents of an amount as people write it: "12.50" is 1250. */
export function parseAmount(text) {
${faults.parse.faulty}}
`,
  [faults.format.source]: `/** Cents as people read them: 1250 is "12.50". */
export function formatAmount(cents) {
${faults.format.faulty}}
`,
  [faults.split.test]: `import assert from "node:assert/strict";
import { test } from "node:test";
import { splitBill } from "../src/split-bill.js";

const sum = (shares) => shares.reduce((total, share) => total + share, 0);

test("two friends pay the same", () => {
  assert.deepEqual(splitBill(1000, 2), [500, 500]);
});

test("nobody pays more than a cent above the others", () => {
  const shares = splitBill(1001, 3);
  assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
});

test("${faults.split.failing}", () => {
  assert.equal(sum(splitBill(1000, 3)), 1000);
});
`,
  [faults.parse.test]: `import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAmount } from "../src/parse-amount.js";

test("an amount is read as cents", () => {
  assert.equal(parseAmount("12.50"), 1250);
});

test("${faults.parse.failing}", () => {
  assert.equal(parseAmount("19.99"), 1999);
});
`,
  [faults.format.test]: `import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAmount } from "../src/format-amount.js";

test("cents become an amount", () => {
  assert.equal(formatAmount(1250), "12.50");
});

test("${faults.format.failing}", () => {
  assert.equal(formatAmount(1205), "12.05");
});
`,
};
