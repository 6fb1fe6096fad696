export interface InstructionFile {
  readonly path: string;
  readonly text: string;
}

/** The instruction files of the user and the project, from general to specific. */
export function instructions(files: readonly InstructionFile[]): string {
  return files.length === 0
    ? ""
    : `Instruction files. Follow them. If two disagree, the later one applies.\n${blocks(files)}`;
}

/** The instruction files of a folder that the agent has just entered. */
export const nestedInstructions = (files: readonly InstructionFile[]): string =>
  `These instructions apply to the files of that folder:\n${blocks(files)}`;

const blocks = (files: readonly InstructionFile[]) =>
  files
    .map((file) => `<instructions path=${JSON.stringify(file.path)}>\n${file.text.trimEnd()}\n</instructions>`)
    .join("\n");
