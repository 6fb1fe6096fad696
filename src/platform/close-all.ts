import { TroupeError } from "../protocol/index.ts";

/**
 * Runs all steps in order, even if some fail, and then throws the failures. So one failure does not leave other things
 * open.
 */
export async function closeAll(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 0) return;
  const [first] = failures;
  if (failures.length === 1) throw first;
  const cause = new AggregateError(failures, "several errors while closing");
  if (!TroupeError.is(first) || !failures.every(TroupeError.is)) throw cause;
  // The first error is usually the cause of the others.
  throw new TroupeError(first.code, `${first.message} (${failures.length - 1} more errors while closing.)`, {
    cause,
  });
}
