import { createHash } from "node:crypto";
import type { Clock } from "../../platform/index.ts";

/** A piece of a prompt as the cache sees it, in this order: a tool, a system block, a part of a message. */
export interface PromptBlock {
  /** Identifies the content and its role. Must not depend on the breakpoints. */
  readonly digest: string;
  readonly tokens: number;
  /** Set where `cache_control` is: how long the entry is kept after each use. */
  readonly breakpointMs?: number;
}

export interface PromptTokens {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export interface PromptCache {
  /**
   * Returns the current cost of the prompt. `store` adds its prefixes to the cache; a provider does so when the answer
   * begins.
   */
  look(model: string, blocks: readonly PromptBlock[]): { readonly tokens: PromptTokens; store(): void };
}

export interface PromptCacheOptions {
  readonly clock: Pick<Clock, "now">;
  readonly minimumTokens?: number;
  /** The number of blocks to try backwards from each breakpoint, including its own. */
  readonly lookback?: number;
}

export const cacheTtlMs = 5 * 60_000;

/**
 * Prompt caching as the Anthropic API documents it. An entry is a whole prefix, written at breakpoints only. The lookup
 * goes backwards from the last breakpoint, and each use renews the entry.
 */
export function createPromptCache(options: PromptCacheOptions): PromptCache {
  const { clock, minimumTokens = 1024, lookback = 20 } = options;
  const entries = new Map<string, { expires: number; lifeMs: number }>();
  return {
    look(model, blocks) {
      const prefixes = prefixesOf(model, blocks);
      const total = prefixes.at(-1)?.tokens ?? 0;
      const breakpoints = prefixes.filter((it) => it.lifeMs !== undefined && it.tokens >= minimumTokens);
      const hit = find(prefixes, breakpoints);
      const cached = Math.max(breakpoints.at(-1)?.tokens ?? 0, hit?.tokens ?? 0);
      const read = hit?.tokens ?? 0;
      return {
        tokens: { inputTokens: total - cached, cacheReadTokens: read, cacheWriteTokens: cached - read },
        store() {
          if (hit) touch(hit.key);
          for (const { key, lifeMs = cacheTtlMs } of breakpoints) {
            entries.set(key, { expires: clock.now() + lifeMs, lifeMs });
          }
          if (entries.size > 10_000) forgetExpired();
        },
      };
    },
  };

  function find(prefixes: readonly Prefix[], breakpoints: readonly Prefix[]): Prefix | undefined {
    for (const { index } of breakpoints.toReversed()) {
      for (let at = index; at > index - lookback && at >= 0; at--) {
        const prefix = prefixes[at];
        if (prefix && (entries.get(prefix.key)?.expires ?? 0) > clock.now()) return prefix;
      }
    }
    return undefined;
  }

  function touch(key: string): void {
    const entry = entries.get(key);
    if (entry) entry.expires = clock.now() + entry.lifeMs;
  }

  function forgetExpired(): void {
    for (const [key, entry] of entries) if (entry.expires <= clock.now()) entries.delete(key);
  }
}

interface Prefix {
  readonly index: number;
  readonly key: string;
  readonly tokens: number;
  readonly lifeMs: number | undefined;
}

/** Derives each prefix key from the previous key and the block's digest: one pass over digests, not over the text. */
function prefixesOf(model: string, blocks: readonly PromptBlock[]): Prefix[] {
  let key = model;
  let tokens = 0;
  return blocks.map((block, index) => {
    key = createHash("sha256").update(key).update("\n").update(block.digest).digest("base64");
    tokens += block.tokens;
    return { index, key, tokens, lifeMs: block.breakpointMs };
  });
}
