import * as z from "zod";
import { ModelFailure, StopReason, Usage } from "../../protocol/index.ts";
import type { Ask } from "./ask.ts";

const count = z.number().int().nonnegative();
const wait = z.number().nonnegative();

/** `hang` sends nothing more until the request is aborted. The other kinds are those of `ModelFailure`. */
export const Fault = z.strictObject({
  kind: z.enum([...ModelFailure.shape.kind.exclude(["aborted"]).options, "hang"]),
  /** The number of pieces of the answer that arrive first. */
  after: count.optional(),
  /** The number of attempts that fail. `turn` means every attempt of the turn in which it first failed. */
  times: z.union([z.number().int().positive(), z.literal("turn")], 'must be a number from 1, or "turn"').optional(),
  message: z.string().optional(),
  status: z.number().int().optional(),
  retryAfterMs: wait.optional(),
});
export type Fault = z.infer<typeof Fault>;

const Call = z.strictObject({
  tool: z.string().min(1),
  input: z.unknown().optional(),
  id: z.string().min(1).max(200).optional(),
});

const Part = z
  .strictObject({
    text: z.string().optional(),
    thinking: z.string().optional(),
    signature: z.string().optional(),
    redacted: z.string().optional(),
    ...Call.partial().shape,
  })
  .refine(
    (part) => [part.text, part.thinking ?? part.redacted, part.tool].filter((it) => it !== undefined).length === 1,
    "must be one of { text }, { thinking }, { redacted }, { tool, input }",
  );

export const Answer = z
  .strictObject({
    text: z.string().optional(),
    thinking: z.string().optional(),
    calls: z.array(Call).optional(),
    parts: z.array(Part).optional(),
    stop: StopReason.optional(),
    usage: z.strictObject(Usage.partial().shape).optional(),
    delayMs: wait.optional(),
    chunk: z.number().int().positive().optional(),
    chunkDelayMs: wait.optional(),
    fault: Fault.optional(),
  })
  .refine(
    (answer) => !answer.parts || (answer.text ?? answer.thinking ?? answer.calls) === undefined,
    "has `parts` together with `text`, `thinking` or `calls`: use one or the other",
  );
export type Answer = z.infer<typeof Answer>;
/** A function that returns nothing leaves the answer to the next rule or step. */
export type AnswerFunction = (ask: Ask) => Answer | undefined | Promise<Answer | undefined>;

export type TextMatch = string | RegExp | { regex: string; flags?: string | undefined };
const TextMatch = z.custom<TextMatch>(isTextMatch, "must be a string, or { regex } with a valid expression");

const When = z.strictObject({
  agent: z.string().min(1).optional(),
  type: z.string().min(1).optional(),
  turn: z.union([count, z.strictObject({ from: count.optional(), to: count.optional() })]).optional(),
  purpose: z.enum(["answer", "compact", "summary", "check"]).optional(),
  said: TextMatch.optional(),
  tool: z.string().min(1).optional(),
  result: TextMatch.optional(),
  system: TextMatch.optional(),
});
export type When = z.infer<typeof When>;

const Step = withFunction<Answer, AnswerFunction>(Answer);
const Rule = z.strictObject({
  name: z.string().optional(),
  when: withFunction<When, (ask: Ask) => boolean>(When).optional(),
  times: z.number().int().positive().optional(),
  answer: Step,
});
export type Rule = z.infer<typeof Rule>;
export type Step = z.infer<typeof Step>;

export const Script = z.strictObject({
  version: z.literal(1),
  model: z
    .strictObject({
      contextWindow: z.number().int().positive().optional(),
      maxOutputTokens: z.number().int().positive().optional(),
    })
    .optional(),
  /** Facts about the recorded run. They have no effect. */
  recorded: z.record(z.string(), z.unknown()).optional(),
  templates: z.boolean().optional(),
  rules: z.array(Rule).optional(),
  steps: z.array(Step).optional(),
  agents: z.record(z.string().min(1), z.strictObject({ steps: z.array(Step) })).optional(),
});
export type Script = z.infer<typeof Script>;

/** Gives an editor the types for a script in code. */
export const script = (value: Script): Script => value;

/** A plain union would report "invalid input" for the whole answer. This keeps the path to the wrong field. */
function withFunction<T, F>(schema: z.ZodType<T>): z.ZodType<T | F> {
  return z.unknown().superRefine((value, context) => {
    if (typeof value === "function") return;
    const parsed = schema.safeParse(value);
    for (const issue of parsed.error?.issues ?? []) context.issues.push({ ...issue, input: value } as never);
  }) as unknown as z.ZodType<T | F>;
}

function isTextMatch(value: unknown): boolean {
  if (typeof value === "string" || value instanceof RegExp) return true;
  const parsed = z.strictObject({ regex: z.string(), flags: z.string().optional() }).safeParse(value);
  if (!parsed.success) return false;
  try {
    return new RegExp(parsed.data.regex, parsed.data.flags) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
