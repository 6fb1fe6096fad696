import * as z from "zod";

const tokens = z.number().int().nonnegative().nullish();
const WireUsage = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_input_tokens: tokens,
  cache_creation_input_tokens: tokens,
});
export type WireUsage = z.infer<typeof WireUsage>;

const index = z.number().int();
const text = z.string().optional();

/** The events of a message stream, reduced to the fields that are used. */
const WireEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message_start"), message: z.object({ usage: WireUsage.optional() }) }),
  z.object({
    type: z.literal("content_block_start"),
    index,
    content_block: z.object({
      type: z.string(),
      text,
      thinking: text,
      signature: text,
      data: text,
      id: text,
      name: text,
      input: z.unknown().optional(),
    }),
  }),
  z.object({
    type: z.literal("content_block_delta"),
    index,
    delta: z.object({ type: z.string(), text, thinking: text, signature: text, partial_json: text }),
  }),
  z.object({ type: z.literal("content_block_stop"), index }),
  z.object({
    type: z.literal("message_delta"),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: WireUsage.nullish(),
  }),
  z.object({ type: z.literal("message_stop") }),
]);
export type WireEvent = z.infer<typeof WireEvent>;

const knownTypes: ReadonlySet<unknown> = new Set(WireEvent.options.map((option) => option.shape.type.value));

/** Ignores event types that are newer than this program. A known type in another format is an error. */
export function readWireEvent(value: unknown): WireEvent | "unknown" | "malformed" {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  if (!knownTypes.has(type)) return typeof type === "string" ? "unknown" : "malformed";
  const parsed = WireEvent.safeParse(value);
  return parsed.success ? parsed.data : "malformed";
}
