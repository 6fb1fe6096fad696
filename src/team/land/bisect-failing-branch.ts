/**
 * Finds the first of `count` stacked items that makes the stack fail, by bisecting. The whole stack must fail.
 * `isFailing(n)` checks the first `n` items.
 */
export async function findFirstFailing(count: number, isFailing: (count: number) => Promise<boolean>): Promise<number> {
  let passingCount = 0;
  let failingCount = count;
  while (failingCount - passingCount > 1) {
    const middle = Math.floor((passingCount + failingCount) / 2);
    if (await isFailing(middle)) failingCount = middle;
    else passingCount = middle;
  }
  return failingCount - 1;
}
