/** What a model wrote as a tool's input. What is not JSON stays the text it is, and the tool's own schema says so to the model. */
export function parseToolInput(json: string): unknown {
  if (json.trim() === "") return {};
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return json;
    throw error;
  }
}

/** Providers take back objects only; anything else a model wrote goes back wrapped. */
export function asInputObject(input: unknown): Record<string, unknown> {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject ? (input as Record<string, unknown>) : { unparsed: input };
}
