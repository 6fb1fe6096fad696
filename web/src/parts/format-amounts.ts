import { isFile } from "./is-file.ts";

/** `$0.04`; below a cent with more digits. */
export function formatMoney(usd: number): string {
  if (usd === 0) return "$0.00";
  if (usd < 0.01) return `$${usd.toFixed(4)}`;
  return `$${usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** `18 Nov 2026, 11:41`. */
export const formatDate = (at: string): string =>
  new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** `950`, `12.3k`, `4.1M`, `1.4B`. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${round(count / 1_000)}k`;
  if (count < 999_500_000) return `${round(count / 1_000_000)}M`;
  return `${round(count / 1_000_000_000)}B`;
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

/** `just now`, `3 min ago`. In a file, which is read at any time: the date and the time. */
export function formatAgo(at: string, now: number): string {
  if (isFile()) return formatDate(at);
  const ms = now - Date.parse(at);
  return ms < 10_000 ? "just now" : `${formatDuration(ms)} ago`;
}

export const formatClock = (at: string): string => new Date(at).toLocaleTimeString("en-GB");
