import { expect, test } from "vitest";
import { sameName } from "../../../src/platform/index.ts";

test.each([
  ["tester", ["Tester", "tester"], "tester"],
  ["TESTER", ["tester", "tester"], "tester"],
  ["TESTER", ["Tester", "tester"], undefined],
  ["taster", ["tester"], undefined],
])("%s among %j means %s", (wanted, names, name) => {
  expect(sameName(wanted, names)).toBe(name);
});
