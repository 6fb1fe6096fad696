import type * as z from "zod";

export type JsonFault =
  | { readonly kind: "unreadable"; readonly reason: string }
  | { readonly kind: "empty" | "syntax" | "deep" | "duplicate" | "prototype" }
  | { readonly kind: "shape"; readonly issues: readonly z.core.$ZodIssue[] };

const depthLimit = 64;

/**
 * Parses JSON that people write by hand. Unlike `JSON.parse`, it rejects duplicate keys, `__proto__` and nesting that
 * is too deep.
 */
export function parseStrictJson(text: string): { readonly value: unknown } | { readonly fault: JsonFault } {
  if (text.trim() === "") return { fault: { kind: "empty" } };
  const { keys, depth } = scanStructure(text);
  if (depth > depthLimit) return { fault: { kind: "deep" } };
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return { fault: { kind: "syntax" } };
    throw error;
  }
  const found = keysOf(value);
  if (found.includes("__proto__")) return { fault: { kind: "prototype" } };
  return found.length === keys ? { value } : { fault: { kind: "duplicate" } };
}

/** Counts the keys and the nesting depth without building a value. */
function scanStructure(text: string): { keys: number; depth: number } {
  let keys = 0;
  let depth = 0;
  let deepest = 0;
  for (const [token, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[[\]{}]/gs)) {
    if (token === "{" || token === "[") deepest = Math.max(deepest, ++depth);
    else if (token === "}" || token === "]") depth--;
    else if (colon !== undefined) keys++;
  }
  return { keys, depth: deepest };
}

function keysOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysOf)];
}
