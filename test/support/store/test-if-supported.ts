import { it, type TestAPI } from "vitest";

/** Cases by their titles that are not a store's: what it cannot hold, and why. */
export type Cannot = Readonly<Record<string, string>>;

export function heldBy(cannot: Cannot): Pick<TestAPI, "for"> & ((title: string, test: () => Promise<void>) => void) {
  const run = (title: string, test: () => Promise<void>) => {
    if (!(title in cannot)) it(title, test);
  };
  return Object.assign(run, { for: it.for.bind(it) });
}
