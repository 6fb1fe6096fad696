import type { Effort, Thinking } from "../protocol/index.ts";

/** The tokens of each effort, for models that accept a number of thinking tokens. */
const tokensOf = {
  low: 4_096,
  medium: 10_240,
  high: 24_576,
  max: 65_536,
} as const satisfies Readonly<Record<Exclude<Effort, "off">, number>>;

/** Returns the maximum number of thinking tokens. 0 means no thinking. */
export const thinkingTokensOf = ({ effort, tokens }: Thinking): number =>
  effort === "off" ? 0 : (tokens ?? tokensOf[effort]);

/** Returns the effort that belongs to a number of thinking tokens. */
export function effortFor(tokens: number): Exclude<Effort, "off" | "max"> {
  if (tokens < tokensOf.low) return "low";
  return tokens < 16_384 ? "medium" : "high";
}
