import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createIdFilter, createIdFactory } from "../../src/platform/index.ts";
import { heldBytes } from "../support/processes/held-bytes.ts";

const ids = () => createIdFactory({ now: () => 1_700_000_000_000 });

describe("ids that have come before", () => {
  it("are known, whatever they are and in whatever order they come; and one that has not come is never taken for one", () => {
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

  it("leave no doubt about a new one that sorts after them, and little about one that comes late", () => {
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

  it("take no more room, however many they are", () => {
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
