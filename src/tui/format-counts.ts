/** Formats a duration: `45s`, `3m 20s`, `2h 5m`. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`;
}

/** Formats how long ago something was: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. */
export function formatAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days === 1 ? "yesterday" : `${days} days ago`;
}

/** Formats dollars: three digits for small amounts. */
export const formatCost = (usd: number): string => `$${usd < 10 ? usd.toFixed(3) : usd.toFixed(2)}`;

export function formatTokens(count: number): string {
  if (count < 1_000) return `${count} tokens`;
  return count < 999_500 ? `${(count / 1_000).toFixed(1)}k tokens` : `${(count / 1_000_000).toFixed(2)}M tokens`;
}
