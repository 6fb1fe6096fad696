/** The candidate with the fewest typing mistakes between it and `text`, if they are few enough to be mistakes. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = Math.max(2, Math.floor(text.length / 4)) + 1;
  for (const candidate of candidates) {
    const mistakes = editDistance(text.toLowerCase(), candidate.toLowerCase());
    if (mistakes < fewest) {
      best = candidate;
      fewest = mistakes;
    }
  }
  return best;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const swap = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
