/** How long a server asked us to wait, from its headers; undefined when it did not say, or not in words we can read. */
export function readRetryAfter(headers: { get(name: string): string | null }, now: number): number | undefined {
  const milliseconds = numberIn(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const text = headers.get("retry-after");
  const seconds = numberIn(text);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse makes a date of almost anything; a date in a header begins with a day of the week.
  const date = text !== null && /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function numberIn(text: string | null): number | undefined {
  const trimmed = text?.trim() ?? "";
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}
