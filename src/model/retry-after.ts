/** Returns the wait that a server asked for in its headers, or undefined if there is none or it cannot be parsed. */
export function readRetryAfter(headers: { get(name: string): string | null }, now: number): number | undefined {
  const milliseconds = numberIn(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const text = headers.get("retry-after");
  const seconds = numberIn(text);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse accepts almost anything, but a date in a header begins with a weekday.
  const date = text !== null && /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function numberIn(text: string | null): number | undefined {
  const trimmed = text?.trim() ?? "";
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}
