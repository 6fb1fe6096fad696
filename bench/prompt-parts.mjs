/** The most that system prompt and tools of an agent of a team may have, in tokens of four characters. */
export const limits = { lead: 6500, teammate: 6000 };

/** Returns the size of the system prompt, of `more` and of each tool, in tokens of four characters. */
export function promptParts({ system, tools }, more = {}) {
  const parts = [
    { part: "system", text: system.join("\n\n") },
    ...Object.entries(more).map(([part, text]) => ({ part, text })),
    ...tools.map(({ name, description, inputSchema }) => ({
      part: name,
      text: JSON.stringify({ name, description, input_schema: inputSchema }),
    })),
  ];
  return parts.map(({ part, text }) => ({ part, tokens: Math.round(text.length / 4) }));
}

export const totalTokens = (parts) => parts.reduce((sum, { tokens }) => sum + tokens, 0);
