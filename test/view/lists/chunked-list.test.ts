import * as fc from "fast-check";
import { expect, test } from "vitest";
import { append, type ChunkedList, emptyList, itemAt, replaceAt, toArray } from "../../../src/view/index.ts";
import { deepFreeze } from "../../support/view/deep-freeze.ts";

const fill = (length: number): ChunkedList<number> => {
  let list = emptyList<number>();
  for (let index = 0; index < length; index++) list = append(list, index);
  return list;
};

test("holds appended items, at every length around the node boundaries", () => {
  let list = emptyList<number>();
  for (let index = 0; index < 34_000; index++) {
    list = append(list, index);
    if (index % 32 > 1 && index % 32 < 31) continue;
    expect(list.length).toBe(index + 1);
    for (const at of [0, index >> 1, index - 33, index - 32, index]) if (at >= 0) expect(itemAt(list, at)).toBe(at);
    expect(itemAt(list, index + 1)).toBeUndefined();
  }
  expect(toArray(list)).toEqual(Array.from({ length: 34_000 }, (_, index) => index));
  expect(itemAt(list, -1)).toBeUndefined();
});

test("equals an array for any appends and replacements, and never changes an older list", () => {
  const step = fc.oneof(fc.record({ value: fc.nat() }), fc.record({ value: fc.nat(), at: fc.nat() }));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1200 }), fc.array(step, { maxLength: 100 }), (length, steps) => {
      let list = deepFreeze(fill(length));
      const array = toArray(list);
      for (const change of steps) {
        if ("at" in change) {
          if (array.length === 0) continue;
          const at = change.at % array.length;
          list = replaceAt(list, at, change.value);
          array[at] = change.value;
        } else {
          list = append(list, change.value);
          array.push(change.value);
        }
        deepFreeze(list);
      }
      expect(toArray(list)).toEqual(array);
    }),
    { numRuns: 60 },
  );
});

test("reads from any position, and refuses to replace a missing item", () => {
  expect(toArray(fill(100), 97)).toEqual([97, 98, 99]);
  expect(() => replaceAt(fill(3), 3, 0)).toThrow(RangeError);
});
