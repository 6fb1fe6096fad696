/** The command that runs the sample's tests. `tryCommand` runs the program itself. */
export const testCommand = "node --test --test-reporter=spec";
export const tryCommand = "node till.js 3x0.95 10";
/** Three at 0.95 are 2.85, less a tenth 2.565. The faulty till charges two cents less. */
export const rightPrice = "2.57";

export const failing = "a discount is taken off once, from the whole";

export const total = {
  source: "src/total.js",
  faulty: "  return items.reduce((sum, { cents, count }) => sum + discounted(cents, percent) * count, 0);\n",
  mended:
    "  const whole = items.reduce((sum, { cents, count }) => sum + cents * count, 0);\n  return discounted(whole, percent);\n",
};
export const discount = {
  source: "src/discount.js",
  faulty: "  return Math.floor((cents * (100 - percent)) / 100);\n",
  mended: "  return Math.round((cents * (100 - percent)) / 100);\n",
};

/** The sample project, by path. It needs no installation. */
export const sampleAppFiles: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "till", private: true, type: "module", scripts: { test: testCommand } }, null, 2)}\n`,
  [discount.source]: `/** Returns an amount reduced by a percentage, in whole cents. */
export function discounted(cents, percent) {
${discount.faulty}}\n`,
  [total.source]: `import { discounted } from "./discount.js";

/** Returns the price of a basket, in cents. */
export function total(items, percent) {
${total.faulty}}\n`,
  "till.js": `import { total } from "./src/total.js";

const [basket = "", percent = "0"] = process.argv.slice(2);
const [count, price] = basket.split("x");
const cents = total([{ cents: Math.round(Number(price) * 100), count: Number(count) }], Number(percent));
console.log((cents / 100).toFixed(2));
`,
  "test/total.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/total.js";

test("without a discount things cost what they cost", () => {
  assert.equal(total([{ cents: 250, count: 2 }, { cents: 99, count: 1 }], 0), 599);
});

test("a tenth of ten is one", () => {
  assert.equal(total([{ cents: 1000, count: 1 }], 10), 900);
});

test("${failing}", () => {
  assert.equal(total([{ cents: 95, count: 3 }], 10), 257);
});
`,
};
