import type * as z from "zod";
import { messageOf, type ToolOutcome } from "../protocol/index.ts";
import type { Tool, ToolContext } from "./define-tool.ts";
import { fieldFor, type Path, repairInput } from "./repair-input.ts";
import { specOf } from "./tool-specs.ts";

export type ParsedInput<I> =
  | { readonly ok: true; readonly value: I }
  | { readonly ok: false; readonly message: string };

/** How often an input is corrected: each round may bring the next mistake to light. */
const maxRepairs = 3;

/** Checks an input that a program or a user wrote. The error message names each invalid field. */
export function parseInput<I>(tool: Tool<I>, input: unknown): ParsedInput<I> {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, message: explain(tool.name, parsed.error.issues, fieldsIn(tool)) };
}

/** Checks an input that a model wrote, and accepts harmless variants of it. An error names only what is still wrong. */
export function parseModelInput<I>(tool: Tool<I>, input: unknown): ParsedInput<I> {
  let best: unknown = input;
  for (let times = 0; times < maxRepairs; times++) {
    const parsed = tool.input.safeParse(best);
    if (parsed.success) return { ok: true, value: parsed.data };
    const repaired = repairInput(best, parsed.error.issues, fieldsIn(tool));
    if (repaired === undefined) break;
    best = repaired;
  }
  return parseInput(tool, best);
}

const fieldsIn = (tool: Tool) => (path: Path) => fieldsOf(specOf(tool).inputSchema, path);

function explain(name: string, issues: readonly z.core.$ZodIssue[], fieldsAt: (path: Path) => readonly string[]) {
  const problems = issues.slice(0, 10).map((issue) => `- ${problem(issue, fieldsAt(issue.path))}`);
  const more = issues.length - problems.length;
  if (more > 0) problems.push(`- and ${more} more`);
  return `${name} was not run: its input is not valid.\n${problems.join("\n")}\nCorrect the input and call ${name} again.`;
}

function problem(issue: z.core.$ZodIssue, fields: readonly string[]): string {
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownField(key, fields)).join("; ");
  const field = issue.path.length === 0 ? "the input" : `\`${fieldName(issue.path)}\``;
  return `${field}: ${issue.message.replace(/^Invalid input: /, "")}`;
}

function unknownField(key: string, fields: readonly string[]): string {
  const near = fieldFor(key, fields);
  const hint = near !== undefined ? ` (did you mean ${near}?)` : fields.length > 0 ? ` (${fields.join(", ")})` : "";
  return `\`${key.slice(0, 100)}\`: no such field${hint}`;
}

/** `todos[0].name`, `-C`. */
const fieldName = (path: Path): string =>
  path.map((key, at) => (typeof key === "number" ? `[${key}]` : `${at === 0 ? "" : "."}${String(key)}`)).join("");

/** The field names of the object at this place of the input. */
function fieldsOf(schema: Readonly<Record<string, unknown>>, path: Path): readonly string[] {
  let at: unknown = schema;
  for (const key of path) at = typeof key === "number" ? child(at, "items") : child(child(at, "properties"), key);
  const properties = child(at, "properties");
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

const child = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined;

/** Runs one call. A thrown error becomes a failed outcome, or an interrupted one after an abort. Never rejects. */
export async function executeTool<I>(tool: Tool<I>, value: I, context: ToolContext): Promise<ToolOutcome> {
  if (context.signal.aborted) return interrupted(`${tool.name} was interrupted before it started.`);
  try {
    const result = await tool.execute(value, context);
    const { files, ...rest } = result;
    const outcome: ToolOutcome = { ...rest, content: [...result.content], ...(files && { files: [...files] }) };
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
