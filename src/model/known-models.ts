/** USD per million tokens. `long` applies to the whole request once its prompt has more than `over` tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Default: 0.1 × input. */
  readonly cacheRead?: number;
  /** Default: 1.25 × input. */
  readonly cacheWrite?: number;
  readonly long?: { readonly over: number; readonly input: number; readonly output: number };
}

export interface KnownModel {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** How to request thinking: with a token budget, with an effort, or not at all. */
  readonly thinking: "budget" | "effort" | "none";
  readonly price?: Price;
}

const million = 1_000_000;

const claude = (price: Price): KnownModel => ({
  contextWindow: million,
  maxOutputTokens: 128_000,
  thinking: "effort",
  price,
});
const olderClaude = (price: Price): KnownModel => ({
  contextWindow: 200_000,
  maxOutputTokens: 64_000,
  thinking: "budget",
  price,
});
const gpt = (contextWindow: number, price: Price): KnownModel => ({
  contextWindow,
  maxOutputTokens: 128_000,
  thinking: "effort",
  price,
});
const withoutThinking = (contextWindow: number, maxOutputTokens: number, price: Price): KnownModel => ({
  contextWindow,
  maxOutputTokens,
  thinking: "none",
  price,
});
const longOver = (over: number, input: number, output: number) => ({ long: { over, input, output } });

const opus5: Price = { input: 5, output: 25 };
const sonnet4: Price = { input: 3, output: 15 };

/** Known models of the providers. Other models work too, with safe limits and without a price. */
export const knownModels: Readonly<Record<string, KnownModel>> = {
  "anthropic/claude-fable-5-2": claude({ input: 8, output: 40, cacheRead: 0.2 }),
  "anthropic/claude-mythos-5-2": claude({ input: 8, output: 40, cacheRead: 0.2 }),
  "anthropic/claude-fable-5-1": claude({ input: 10, output: 50, cacheRead: 0.25 }),
  "anthropic/claude-mythos-5-1": claude({ input: 10, output: 50, cacheRead: 0.25 }),
  "anthropic/claude-fable-5": claude({ input: 10, output: 50 }),
  "anthropic/claude-mythos-5": claude({ input: 10, output: 50 }),
  "anthropic/claude-opus-5-5": claude({ input: 4, output: 20, cacheRead: 0.2 }),
  "anthropic/claude-opus-5": claude(opus5),
  "anthropic/claude-opus-4-8": claude(opus5),
  "anthropic/claude-opus-4-7": claude(opus5),
  "anthropic/claude-opus-4-6": claude(opus5),
  "anthropic/claude-opus-4-5": olderClaude(opus5),
  "anthropic/claude-opus-4-5-20251101": olderClaude(opus5),
  "anthropic/claude-sonnet-5-5": claude({ input: 2, output: 10, cacheRead: 0.1 }),
  "anthropic/claude-sonnet-5": claude({ input: 2, output: 10 }),
  "anthropic/claude-sonnet-4-6": { ...claude(sonnet4), maxOutputTokens: 64_000 },
  "anthropic/claude-sonnet-4-5": olderClaude(sonnet4),
  "anthropic/claude-sonnet-4-5-20250929": olderClaude(sonnet4),
  "anthropic/claude-haiku-5-5": claude({ input: 0.1, output: 0.5, ...longOver(100_000, 0.5, 2.5) }),
  "anthropic/claude-haiku-4-5": olderClaude({ input: 1, output: 5 }),
  "anthropic/claude-haiku-4-5-20251001": olderClaude({ input: 1, output: 5 }),

  "openai/gpt-5.6-sol": gpt(1_050_000, { input: 4, output: 20, ...longOver(272_000, 8, 30) }),
  "openai/gpt-5.6-terra": gpt(1_050_000, { input: 2, output: 12, ...longOver(272_000, 4, 18) }),
  "openai/gpt-5.6-luna": gpt(1_050_000, { input: 0.2, output: 1.2, ...longOver(272_000, 0.4, 1.8) }),
  "openai/gpt-5.4": gpt(1_050_000, { input: 2.5, output: 15, ...longOver(272_000, 5, 22.5) }),
  "openai/gpt-5.4-mini": gpt(400_000, { input: 0.75, output: 4.5 }),
  "openai/gpt-5.4-nano": gpt(400_000, { input: 0.2, output: 1.25 }),
  "openai/gpt-5.2": gpt(400_000, { input: 1.75, output: 14 }),
  "openai/gpt-5.1": gpt(400_000, { input: 1.25, output: 10 }),
  "openai/gpt-5": gpt(400_000, { input: 1.25, output: 10 }),
  "openai/gpt-5-mini": gpt(400_000, { input: 0.25, output: 2 }),
  "openai/gpt-5-nano": gpt(400_000, { input: 0.05, output: 0.4 }),
  "openai/gpt-4.1": withoutThinking(1_047_576, 32_768, { input: 2, output: 8, cacheRead: 0.5 }),
  "openai/gpt-4.1-mini": withoutThinking(1_047_576, 32_768, { input: 0.4, output: 1.6, cacheRead: 0.1 }),
  "openai/gpt-4o": withoutThinking(128_000, 16_384, { input: 2.5, output: 10, cacheRead: 1.25 }),
  "openai/gpt-4o-mini": withoutThinking(128_000, 16_384, { input: 0.15, output: 0.6, cacheRead: 0.075 }),
};

/** The models that each family name stands for, per provider. Settings can override them. */
export const familyAliases = {
  opus: { anthropic: "anthropic/claude-opus-5-5", openai: "openai/gpt-5.6-sol" },
  sonnet: { anthropic: "anthropic/claude-sonnet-5-5", openai: "openai/gpt-5.6-terra" },
  haiku: { anthropic: "anthropic/claude-haiku-5-5", openai: "openai/gpt-5.6-luna" },
} as const;
