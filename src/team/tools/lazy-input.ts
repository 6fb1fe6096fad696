import type * as z from "zod";

/**
 * The schema of a tool's input, made when it is first asked for and then the same for every agent: building schemas is
 * most of what loading a tool costs. Not state: a memory of something that is always the same.
 */
export function lazyInput<I>(build: () => z.ZodType<I>): () => z.ZodType<I> {
  let made: z.ZodType<I> | undefined;
  return () => (made ??= build());
}
