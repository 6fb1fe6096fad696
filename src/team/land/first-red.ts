/**
 * Of `count` things put on top of each other, where all together are red, the first one that makes it red: found by halving.
 * `isRed(n)` judges the first `n` of them.
 */
export async function firstRed(count: number, isRed: (count: number) => Promise<boolean>): Promise<number> {
  let green = 0;
  let red = count;
  while (red - green > 1) {
    const middle = Math.floor((green + red) / 2);
    if (await isRed(middle)) red = middle;
    else green = middle;
  }
  return red - 1;
}
