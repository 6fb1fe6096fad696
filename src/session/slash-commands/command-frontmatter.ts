import * as z from "zod";

/** A YAML list, or words separated by commas. Commas within parentheses belong to the rule. */
const ToolList = z.union([z.string(), z.array(z.string())]).nullish();

/** An unquoted `[file]` is a list in YAML, so convert it back to text. */
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

/** Unknown fields belong to other programs and are ignored. */
export const SkillFrontmatter = z.looseObject({ ...common, name: text, "user-invocable": z.boolean().nullish() });

export const CommandFrontmatter = z.looseObject({ ...common, model: text });

/** Accepts both `Read, Bash(git log:*), Edit` and `Read Edit`. */
export function toolList(tools: string | readonly string[] | null | undefined): string[] {
  const texts = typeof tools === "string" ? [tools] : (tools ?? []);
  return texts.flatMap((each) => each.match(/[^\s,()]+(?:\([^()]*\))?/g) ?? []);
}
