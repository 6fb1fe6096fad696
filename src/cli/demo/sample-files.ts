/** How the sample's tests are run: by the agent, and by the demo that checks the agent. */
export const testCommand = "node --test --test-reporter=spec";

export const faultyLines = `  const share = Math.round(totalCents / people);
  return Array.from({ length: people }, () => share);
`;

export const mendedLines = `  const share = Math.floor(totalCents / people);
  const left = totalCents % people;
  return Array.from({ length: people }, (_, index) => share + (index < left ? 1 : 0));
`;

/** The sample project, by path. */
export const sampleFiles: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "fair-share", private: true, type: "module", scripts: { test: testCommand } }, null, 2)}\n`,
  "src/split-bill.js": `/** What each of \`people\` pays of a bill, in whole cents. */
export function splitBill(totalCents, people) {
${faultyLines}}
`,
  "test/split-bill.test.js": `import assert from "node:assert/strict";
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

test("every cent of the bill is paid", () => {
  assert.equal(sum(splitBill(1000, 3)), 1000);
});
`,
};
