import * as z from "zod";

/** A list as YAML, or as words with commas; commas within brackets belong to the rule they are in. */
const ToolList = z.union([z.string(), z.array(z.string())]).nullish();

/** People write `[file]`, which YAML takes for a list. */
const Hint = z
  .union([
    z.string(),
    z.array(z.union([z.string(), z.number()])).transform((words) => words.map((word) => `[${word}]`).join(" ")),
  ])
  .nullish()
  .transform((hint) => hint ?? undefined);

const text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .transform((value) => value?.trim() || undefined);

const common = {
  description: text,
  "argument-hint": Hint,
  "allowed-tools": ToolList,
  "disable-model-invocation": z.boolean().nullish(),
};

/** Fields that are not known here belong to other programs and are left alone. */
export const SkillFrontmatter = z.looseObject({ ...common, name: text, "user-invocable": z.boolean().nullish() });

export const CommandFrontmatter = z.looseObject({ ...common, model: text });

/** `Read, Bash(git log:*), Edit` and `Read Edit` alike. */
export function toolList(tools: string | readonly string[] | null | undefined): string[] {
  const texts = typeof tools === "string" ? [tools] : (tools ?? []);
  return texts.flatMap((each) => each.match(/[^\s,()]+(?:\([^()]*\))?/g) ?? []);
}
