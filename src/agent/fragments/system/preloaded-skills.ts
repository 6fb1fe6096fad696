export interface PreloadedSkill {
  readonly name: string;
  readonly folder: string;
  readonly files: readonly string[];
  readonly moreFiles: number;
  readonly body: string;
}

/** The skills that an agent's definition names: it has them from its start. */
export function preloadedSkills(skills: readonly PreloadedSkill[]): string {
  if (skills.length === 0) return "";
  return [
    "Skills that you have from the start. Follow each where the task calls for it; you need not load it. Paths in a skill are relative to its folder.",
    ...skills.map(block),
  ].join("\n\n");
}

function block({ name, folder, files, moreFiles, body }: PreloadedSkill): string {
  const more = moreFiles > 0 ? `, and ${moreFiles} more` : "";
  const beside = files.length === 0 ? [] : [`Files beside it: ${files.join(", ")}${more}`];
  return [
    `<skill name=${JSON.stringify(name)} folder=${JSON.stringify(folder)}>`,
    ...beside,
    body.trim(),
    "</skill>",
  ].join("\n");
}
