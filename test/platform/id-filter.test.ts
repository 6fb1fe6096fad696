import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createIdFilter, createIdFactory } from "../../src/platform/index.ts";
import { heldBytes } from "../support/processes/held-bytes.ts";

const ids = () => createIdFactory({ now: () => 1_700_000_000_000 });

describe("id filter", () => {
  it("recognizes every id seen before, in any order, and never an unseen one", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 300 }), fc.integer({ min: 1, max: 8 }), (all, exact) => {
        const seen = createIdFilter({ exact });
        const [come, missing] = [all.slice(all.length / 2), all.slice(0, all.length / 2)];
        for (const id of come) seen.add(id);
        expect(come.filter((id) => seen.has(id) === "no")).toEqual([]);
        expect(missing.filter((id) => seen.has(id) === "yes")).toEqual([]);
      }),
    );
  });

  it("is certain about a new id that sorts after them, and nearly certain about a late one", () => {
    const createId = ids();
    const seen = createIdFilter();
    const late: string[] = [];
    for (let i = 0; i < 5_000; i++) {
      const id = createId("mail");
      expect(seen.has(id)).toBe("no");
      if (i % 5 === 0) late.push(id);
      else seen.add(id);
    }
    expect(late.filter((id) => seen.has(id) !== "no").length).toBeLessThan(late.length / 10);
  });

  it("memory does not grow with the number of ids", () => {
    const createId = ids();
    const seen = createIdFilter();
    const come = (count: number) => {
      for (let i = 0; i < count; i++) seen.add(createId("mail"));
      return heldBytes();
    };
    const few = come(5_000);
    expect(come(50_000) - few).toBeLessThan(500_000);
  });
});
