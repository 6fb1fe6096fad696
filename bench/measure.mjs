/**
 * Runs every task once a round, so that other load on the machine affects all of them alike. Stops after `rounds`, or
 * when `seconds` are over and each has run `least` times. Each task returns a number, or an object of numbers.
 */
export async function interleave(tasks, { rounds, seconds = 30, warmUp = 1, least = 3 }) {
  const values = new Map(Object.keys(tasks).map((name) => [name, []]));
  const end = performance.now() + seconds * 1000;
  for (let round = 0; round < rounds + warmUp; round++) {
    if (round >= warmUp + least && performance.now() > end) break;
    for (const [name, task] of Object.entries(tasks)) {
      const value = await task();
      if (round >= warmUp) values.get(name).push(value);
    }
  }
  return Object.fromEntries(values);
}

export const sum = (values) => values.reduce((total, value) => total + value, 0);

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  return sorted[low] + ((sorted[Math.ceil(at)] ?? sorted[low]) - sorted[low]) * (at - low);
}

export const median = (values) => quantile(values, 0.5);

/** One row of the report. `values` and `bare` are lists of the same unit. */
export function row({ what, unit = "ms", values, bare, against, goal }) {
  const value = median(values);
  const base = bare === undefined ? undefined : median(bare);
  return {
    what,
    unit,
    median: round(value),
    low: round(quantile(values, 0.1)),
    high: round(quantile(values, 0.9)),
    rounds: values.length,
    ...(base !== undefined && {
      against,
      bare: round(base),
      ratio: round(value / base),
      more: round(value - base),
    }),
    ...(goal !== undefined && { goal: goal.text, reached: goal.reached(value, base) }),
  };
}

export const round = (value) => (Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

/** At most this much more than the bare minimum. */
export const atMostMore = (limit, unit) => ({
  text: `≤ +${limit} ${unit}`,
  reached: (value, base) => value - base <= limit,
});

export const atMost = (limit, unit) => ({ text: `≤ ${limit} ${unit}`, reached: (value) => value <= limit });

/** At most this many times the bare minimum. */
export const atMostTimes = (limit) => ({ text: `≤ ${limit}×`, reached: (value, base) => value <= limit * base });

export const atLeast = (limit, unit) => ({ text: `≥ ${limit} ${unit}`, reached: (value) => value >= limit });
