import { TroupeError } from "../protocol/index.ts";

/** Does all of it, one after another, whatever goes wrong with any; then throws what did. Nothing stays open for want of something else. */
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
  const cause = new AggregateError(failures, "several things went wrong at the end");
  if (!TroupeError.is(first) || !failures.every(TroupeError.is)) throw cause;
  // What went wrong first is as a rule why the rest did.
  throw new TroupeError(first.code, `${first.message} (And ${failures.length - 1} more could not be ended well.)`, {
    cause,
  });
}
