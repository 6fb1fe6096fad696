import * as z from "zod";
import { ContentPart } from "./message.ts";

/** How a settled call is drawn, as data: every face draws it its own way. */
export const ToolDisplay = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("diff"), path: z.string(), patch: z.string() }),
  z.object({ kind: z.literal("terminal"), exitCode: z.number().int().nullable(), signal: z.string().nullable() }),
  z.object({ kind: z.literal("summary"), text: z.string() }),
]);
export type ToolDisplay = z.infer<typeof ToolDisplay>;

/** `denied` by policy or person, `interrupted` by an abort or by the end of the process that ran it. */
export const ToolOutcomeKind = z.enum(["ok", "failed", "denied", "interrupted"]);
export type ToolOutcomeKind = z.infer<typeof ToolOutcomeKind>;

/** What a call came to. `content` is what the model reads; on anything but `ok` it says what to do next. */
export const ToolOutcome = z.object({
  outcome: ToolOutcomeKind,
  content: z.array(ContentPart),
  display: ToolDisplay.optional(),
  /** Where the whole result is, when `content` is cut. */
  savedTo: z.string().optional(),
});
export type ToolOutcome = z.infer<typeof ToolOutcome>;
