import type * as z from "zod";

/**
 * Builds the input schema of a tool on first use and shares it between all agents. Building schemas is most of the cost
 * of loading a tool. A cache, not state.
 */
export function lazyInput<I>(build: () => z.ZodType<I>): () => z.ZodType<I> {
  let made: z.ZodType<I> | undefined;
  return () => (made ??= build());
}
