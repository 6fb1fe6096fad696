/**
 * Of `count` things put on top of each other, where all together are red, the first one that makes it red: found by halving.
 * `isRed(n)` judges the first `n` of them.
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
