import { it, type TestAPI } from "vitest";

/** Titles of the cases that a store does not support, with the reason. */
export type Cannot = Readonly<Record<string, string>>;

export function heldBy(cannot: Cannot): Pick<TestAPI, "for"> & ((title: string, test: () => Promise<void>) => void) {
  const run = (title: string, test: () => Promise<void>) => {
    if (!(title in cannot)) it(title, test);
  };
  return Object.assign(run, { for: it.for.bind(it) });
}
