/** The result of a call to a tool that does not exist. */
export const unknownTool = (name: string, known: readonly string[]): string =>
  `There is no tool named ${JSON.stringify(name.slice(0, 100))}. Your tools: ${known.join(", ")}.`;
