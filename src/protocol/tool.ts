import * as z from "zod";
import { ContentPart } from "./message.ts";

/** A settled call as data for display. Each frontend draws it in its own way. */
export const ToolDisplay = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("diff"), path: z.string(), patch: z.string() }),
  z.object({ kind: z.literal("terminal"), exitCode: z.number().int().nullable(), signal: z.string().nullable() }),
  z.object({ kind: z.literal("summary"), text: z.string() }),
]);
export type ToolDisplay = z.infer<typeof ToolDisplay>;

export const KnownFile = z.object({ path: z.string(), digest: z.string() });
export type KnownFile = z.infer<typeof KnownFile>;

/** `denied`: by policy or person. `interrupted`: by an abort or the end of the process that ran it. */
export const ToolOutcomeKind = z.enum(["ok", "failed", "denied", "interrupted"]);
export type ToolOutcomeKind = z.infer<typeof ToolOutcomeKind>;

/** The outcome of a call. `content` is for the model; unless it is `ok` it says what to do next. */
export const ToolOutcome = z.object({
  outcome: ToolOutcomeKind,
  content: z.array(ContentPart),
  /** Why the call was refused: a clause without the call and without advice. */
  reason: z.string().optional(),
  display: ToolDisplay.optional(),
  /** The path of the whole result when `content` is cut. */
  savedTo: z.string().optional(),
  /** The files that the agent knows from this call on, as real path and digest. It may change these versions. */
  files: z.array(KnownFile).optional(),
});
export type ToolOutcome = z.infer<typeof ToolOutcome>;
