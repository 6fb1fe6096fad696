/**
 * Parses a tool's input as the model wrote it. Invalid JSON stays text, and the tool's schema then reports the error to
 * the model.
 */
export function parseToolInput(json: string): unknown {
  if (json.trim() === "") return {};
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return json;
    throw error;
  }
}

/** Providers accept only objects, so any other value is wrapped. */
export function asInputObject(input: unknown): Record<string, unknown> {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject ? (input as Record<string, unknown>) : { unparsed: input };
}
