/** Providers that take no number of thinking tokens take a word. */
export function effortFor(thinkingTokens: number): "low" | "medium" | "high" {
  if (thinkingTokens < 4_096) return "low";
  return thinkingTokens < 16_384 ? "medium" : "high";
}
