import * as z from "zod";

const tokens = z.number().int().nonnegative().nullish();
const text = z.string().nullish();

const WireCall = z.object({
  index: z.number().int().nullish(),
  id: text,
  function: z
    .object({ name: text, arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish() })
    .nullish(),
});
export type WireCall = z.infer<typeof WireCall>;

const WireUsage = z.object({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  prompt_tokens_details: z.object({ cached_tokens: tokens, cache_write_tokens: tokens }).nullish(),
});
export type WireUsage = z.infer<typeof WireUsage>;

/**
 * One chunk, reduced to the fields that are used. Compatible servers omit, repeat and add fields, so only present
 * fields are checked.
 */
export const WireChunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: text,
            refusal: text,
            reasoning_content: text,
            reasoning: text,
            tool_calls: z.array(WireCall).nullish(),
          })
          .nullish(),
        finish_reason: text,
      }),
    )
    .nullish(),
  usage: WireUsage.nullish(),
});
