/** Returns the effort for providers that accept no number of thinking tokens. */
export function effortFor(thinkingTokens: number): "low" | "medium" | "high" {
  if (thinkingTokens < 4_096) return "low";
  return thinkingTokens < 16_384 ? "medium" : "high";
}
