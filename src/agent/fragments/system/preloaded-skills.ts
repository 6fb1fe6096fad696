import { escapeSenders } from "../escape-markup.ts";

export interface PreloadedSkill {
  readonly name: string;
  readonly folder: string;
  readonly files: readonly string[];
  readonly moreFiles: number;
  readonly body: string;
}

/** The skills that an agent's definition names. The agent has them from the start. */
export function preloadedSkills(skills: readonly PreloadedSkill[]): string {
  if (skills.length === 0) return "";
  return [
    "Skills that are already loaded. Follow each one where the task calls for it. Paths in a skill are relative to its folder.",
    ...skills.map(block),
  ].join("\n\n");
}

function block({ name, folder, files, moreFiles, body }: PreloadedSkill): string {
  const more = moreFiles > 0 ? `, and ${moreFiles} more` : "";
  const beside = files.length === 0 ? [] : [`Other files in its folder: ${files.join(", ")}${more}`];
  return [
    `<skill name=${JSON.stringify(name)} folder=${JSON.stringify(folder)}>`,
    ...beside,
    escapeSenders(body.trim()),
    "</skill>",
  ].join("\n");
}
