import { expect, test } from "vitest";
import { definedFields } from "../../src/platform/index.ts";

test("undefined fields are left out, other empty values stay, in the same order", () => {
  const fields = definedFields({ b: undefined as string | undefined, z: "", a: 0, n: null, f: false });
  expect(Object.entries(fields)).toEqual([
    ["z", ""],
    ["a", 0],
    ["n", null],
    ["f", false],
  ]);
});
