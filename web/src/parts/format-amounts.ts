/** `$0.04`; below a cent with more digits. */
export function formatMoney(usd: number): string {
  if (usd === 0) return "$0.00";
  if (usd < 0.01) return `$${usd.toFixed(4)}`;
  return `$${usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** `950`, `12.3k`, `4.1M`. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${round(count / 1_000)}k`;
  return `${round(count / 1_000_000)}M`;
}

const round = (value: number): string => (value < 100 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0));

/** `3 s`, `2 min`, `5 h`, `12 d`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1).replace(/\.0$/, "")} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** `just now`, `3 min ago`. */
export function formatAgo(at: string, now: number): string {
  const ms = now - Date.parse(at);
  return ms < 10_000 ? "just now" : `${formatDuration(ms)} ago`;
}

export const formatClock = (at: string): string => new Date(at).toLocaleTimeString("en-GB");
