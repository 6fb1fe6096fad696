import * as z from "zod";
import { messageOf, type ToolOutcome } from "../protocol/index.ts";
import type { Tool, ToolContext } from "./define-tool.ts";

export type ParsedInput<I> =
  | { readonly ok: true; readonly value: I }
  | { readonly ok: false; readonly message: string };

/** The error message names each invalid field, so that the model can fix the input. */
export function parseInput<I>(tool: Tool<I>, input: unknown): ParsedInput<I> {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems = parsed.error.issues.slice(0, 10).map((issue) => `- ${problem(issue)}`);
  const more = parsed.error.issues.length - problems.length;
  if (more > 0) problems.push(`- and ${more} more`);
  return {
    ok: false,
    message: `${tool.name} was not run: its input is not valid.\n${problems.join("\n")}\nCorrect the input and call ${tool.name} again.`,
  };
}

function problem(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    return `${issue.keys.map((key) => `\`${key.slice(0, 100)}\``).join(", ")}: no such field`;
  }
  const field = issue.path.length === 0 ? "the input" : `\`${z.core.toDotPath(issue.path)}\``;
  return `${field}: ${issue.message.replace(/^Invalid input: /, "")}`;
}

/** Runs one call. A thrown error becomes a failed outcome, or an interrupted one after an abort. Never rejects. */
export async function executeTool<I>(tool: Tool<I>, value: I, context: ToolContext): Promise<ToolOutcome> {
  if (context.signal.aborted) return interrupted(`${tool.name} was interrupted before it started.`);
  try {
    const result = await tool.execute(value, context);
    const outcome: ToolOutcome = { ...result, content: [...result.content] };
    if (!context.signal.aborted || result.outcome === "ok") return outcome;
    return { ...outcome, outcome: "interrupted" };
  } catch (error) {
    if (context.signal.aborted) {
      return interrupted(`${tool.name} was interrupted. Changes it made before that were not undone.`);
    }
    const reason = messageOf(error);
    return { outcome: "failed", content: [{ type: "text", text: `${tool.name} failed: ${reason}` }] };
  }
}

const interrupted = (text: string): ToolOutcome => ({ outcome: "interrupted", content: [{ type: "text", text }] });
