import { isDeeperThan, parseJson } from "../protocol/index.ts";

/**
 * Parses a tool's input as the model wrote it. Invalid or very deep JSON stays text, and the tool's schema then reports the error to
 * the model.
 */
export function parseToolInput(json: string): unknown {
  if (json.trim() === "") return {};
  const value = parseJson(json);
  if (isDeeperThan(maxLevels, value)) return `(not read: the input is nested deeper than ${maxLevels} levels)`;
  return value === undefined ? json : value;
}

/** A deeper value could not be stored and read again. */
const maxLevels = 200;

/** Providers accept only objects, so any other value is wrapped. */
export function asInputObject(input: unknown): Record<string, unknown> {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject ? (input as Record<string, unknown>) : { unparsed: input };
}
