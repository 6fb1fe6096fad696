import { escapeSenders } from "../escape-markup.ts";

export interface InstructionFile {
  readonly path: string;
  readonly text: string;
}

/** The instruction files of the user and the project, from general to specific. */
export function instructions(files: readonly InstructionFile[]): string {
  return files.length === 0
    ? ""
    : `Instruction files. Follow them. If two disagree, the later one applies.\n${instructionBlocks(files)}`;
}

/** The instruction files of a folder that the agent has just entered. `changed`: a file that it has written there. */
export function nestedInstructions(
  files: readonly InstructionFile[],
  { changed }: { readonly changed: string | undefined },
): string {
  const check = changed === undefined ? "" : ` You had not seen them yet. Check ${changed} against them now.`;
  return `These instructions apply to the files of that folder.${check}\n${instructionBlocks(files)}`;
}

export const instructionBlocks = (files: readonly InstructionFile[]) =>
  files
    .map(
      (file) =>
        `<instructions path=${escapeSenders(JSON.stringify(file.path))}>\n${escapeSenders(file.text.trimEnd())}\n</instructions>`,
    )
    .join("\n");
