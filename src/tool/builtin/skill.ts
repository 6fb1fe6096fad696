import * as z from "zod";
import { nearestName } from "../../platform/index.ts";
import { defineTool, failedResult, type LoadedSkill, textResult } from "../define-tool.ts";

const SkillInput = z.strictObject({
  skill: z.string().min(1).max(200).describe("The name of the skill, as listed"),
  args: z.string().max(20_000).optional().describe("What the skill works on, if it takes arguments"),
});

/** Only in sessions that have skills. */
export const skillTool = defineTool<z.infer<typeof SkillInput>>({
  name: "Skill",
  description: `Loads a skill: instructions, and sometimes files, that the user or the project keeps for one kind of task. Your instructions list the skills by name and description. Load the one that fits before you begin such a task, and do not guess its content. Its text applies from then on; loading it again returns it again.`,
  input: SkillInput,
  access: "read",
  resultLimit: 60_000,
  subject: (input) => ({ kind: "name", name: nameOf(input.skill) }),
  title: (input) => `Skill ${nameOf(input.skill)}`,
  async execute(input, context) {
    const name = nameOf(input.skill);
    const known = context.skills?.names() ?? [];
    if (!context.skills || !known.includes(name)) return failedResult(noSuchSkill(name, known));
    const loaded = await context.skills.load(name, input.args ?? "");
    if ("problem" in loaded) return failedResult(`${loaded.problem}. Continue without the skill, and tell the user.`);
    return textResult(render(loaded), { kind: "summary", text: `loaded the skill ${name}` });
  },
});

/** Also accepts the form that people write, `/review`. */
const nameOf = (skill: string) => skill.trim().replace(/^\//, "");

function render({ name, body, folder, files, moreFiles }: LoadedSkill): string {
  const beside = [...files.map((file) => `- ${file}`), ...(moreFiles > 0 ? [`- … and ${moreFiles} more`] : [])];
  return [
    `The skill ${name}. Paths in it are relative to its folder, ${folder}.`,
    ...(beside.length === 0
      ? []
      : [`Other files in its folder, to read or run when it calls for them:\n${beside.join("\n")}`]),
    body.trim(),
  ].join("\n\n");
}

function noSuchSkill(name: string, known: readonly string[]): string {
  if (known.length === 0) return "There are no skills here. Continue without one.";
  const near = nearestName(name, known);
  const hint = near === undefined ? `Available: ${known.slice(0, 50).join(", ")}.` : `Did you mean ${near}?`;
  return `There is no skill ${JSON.stringify(name)}. ${hint}`;
}
