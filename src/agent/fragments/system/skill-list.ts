export interface ListedSkill {
  readonly name: string;
  readonly description: string;
}

const descriptionLimit = 500;
const listLimit = 16_000;

/** The skills that `Skill` can load, sorted by name. Beyond the limit it lists only names, then a number. */
export function skillList(skills: readonly ListedSkill[]): string {
  if (skills.length === 0) return "";
  const lines: string[] = [];
  const names: string[] = [];
  let size = 0;
  for (const { name, description } of skills.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const line = `- ${name}: ${cut(description)}`;
    if (names.length === 0 && size + line.length <= listLimit * 0.8) lines.push(line);
    else if (size + name.length <= listLimit) names.push(name);
    else break;
    size += names.length === 0 ? line.length : name.length + 2;
  }
  const left = skills.length - lines.length - names.length;
  const more = left > 0 ? `, and ${left} more, not listed` : "";
  return [
    "Skills. Each is a set of instructions for one kind of task. Load it with the Skill tool before you begin such a task.",
    ...lines,
    ...(names.length > 0 ? [`- without descriptions: ${names.join(", ")}${more}`] : []),
  ].join("\n");
}

const cut = (text: string) => (text.length > descriptionLimit ? `${text.slice(0, descriptionLimit).trimEnd()}…` : text);
