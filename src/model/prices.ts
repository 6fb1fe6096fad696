import type { Usage } from "../protocol/index.ts";
import { type ModelOverrides, parseRef } from "./catalog.ts";
import { knownModels, type Price } from "./known-models.ts";

export interface Cost {
  readonly usd: number;
  /** False if the price is unknown: the real cost is then unknown, not 0. */
  readonly known: boolean;
}

/** Returns the cost of an answer in USD. Local and scripted models cost nothing unless the settings give a price. */
export function costOf(ref: string, usage: Usage, overrides?: ModelOverrides): Cost {
  const price = overrides?.models?.[ref]?.price ?? knownModels[ref]?.price;
  if (price) return { usd: multiply(price, usage), known: true };
  const provider = parseRef(ref)?.provider;
  return { usd: 0, known: provider === "local" || provider === "scripted" };
}

function multiply(price: Price, usage: Usage): number {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const long = price.long && prompt > price.long.over ? price.long : undefined;
  const input = long?.input ?? price.input;
  const scale = price.input === 0 ? 1 : input / price.input;
  const read = (price.cacheRead ?? price.input * 0.1) * scale;
  const write = (price.cacheWrite ?? price.input * 1.25) * scale;
  const total =
    usage.inputTokens * input +
    usage.outputTokens * (long?.output ?? price.output) +
    usage.cacheReadTokens * read +
    usage.cacheWriteTokens * write;
  return total / 1_000_000;
}
