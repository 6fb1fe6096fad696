/** The names of an agent's tools. Text for the agent is built from them: it names no tool that the agent lacks. */
export type ToolNames = Pick<ReadonlySet<string>, "has">;

/** `Read`, `Read and Grep`, `Read, Grep and Glob`. */
export const joinNames = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** For texts that are the same for every agent. */
export const anyTool: ToolNames = { has: () => true };

/** The tools that change files. An agent with none of them only reads. */
export const editingTools: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"]);
