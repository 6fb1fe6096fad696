import { parseJson } from "../protocol/index.ts";

/**
 * Parses a tool's input as the model wrote it. Invalid JSON stays text, and the tool's schema then reports the error to
 * the model.
 */
export function parseToolInput(json: string): unknown {
  if (json.trim() === "") return {};
  const value = parseJson(json);
  return value === undefined ? json : value;
}

/** Providers accept only objects, so any other value is wrapped. */
export function asInputObject(input: unknown): Record<string, unknown> {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject ? (input as Record<string, unknown>) : { unparsed: input };
}
