import { it, type TestAPI } from "vitest";

/** Cases by their titles that a store cannot hold, and why: they are skipped under that reason. */
export type Cannot = Readonly<Record<string, string>>;

export function heldBy(cannot: Cannot): Pick<TestAPI, "for"> & ((title: string, test: () => Promise<void>) => void) {
  const run = (title: string, test: () => Promise<void>) => {
    const why = cannot[title];
    if (why === undefined) it(title, test);
    else it.skip(`${title} [cannot: ${why}]`, test);
  };
  return Object.assign(run, { for: it.for.bind(it) });
}
