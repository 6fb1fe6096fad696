import * as z from "zod";
import type { ToolSpec } from "../protocol/index.ts";
import type { Tool } from "./define-tool.ts";

/**
 * Returns the tools for the model, sorted by name: the same tools give the same bytes in any order. Each spec is
 * computed once.
 */
export function toolSpecs(tools: readonly Tool[]): readonly ToolSpec[] {
  return [...tools].sort((a, b) => (a.name < b.name ? -1 : 1)).map(specOf);
}

export function specOf(tool: Tool): ToolSpec {
  const known = specs.get(tool);
  if (known) return known;
  const spec: ToolSpec = {
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema ?? schemaOf(tool.input),
  };
  specs.set(tool, spec);
  return spec;
}

/** The JSON schema of an input, computed once. */
export function schemaOf(input: z.ZodType): Record<string, unknown> {
  const known = schemas.get(input);
  if (known) return known;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", override: withoutDefaultLimit });
  schemas.set(input, schema);
  return schema;
}

/** Zod gives every integer the largest one as its limit. That tells a model nothing. */
function withoutDefaultLimit({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** Caches for pure functions of immutable objects. Different tool objects of agents can share a schema. */
const specs = new WeakMap<Tool, ToolSpec>();
const schemas = new WeakMap<z.ZodType, Record<string, unknown>>();
