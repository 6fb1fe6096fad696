import { TroupeError } from "../protocol/index.ts";

/** A line of the settings: `Tool`, or `Tool(specifier)`. `text` is how it was written. */
export interface Rule {
  readonly text: string;
  readonly tool: string;
  readonly specifier: string | undefined;
}

export interface RuleSet {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

export const noRules: RuleSet = { allow: [], ask: [], deny: [] };

/** Throws a `TroupeError` for what is not a rule; a rule that means nothing would protect nothing. */
export function parseRule(text: string): Rule {
  const found = /^([A-Za-z][\w-]*|\*)(?:\((.*)\))?$/s.exec(text.trim());
  const [, tool, specifier] = found ?? [];
  if (tool === undefined || specifier?.trim() === "") {
    throw new TroupeError(
      "settings",
      `${JSON.stringify(text)} is not a permission rule: write a tool's name, such as Bash, or Bash(git status).`,
    );
  }
  return { text: text.trim(), tool, specifier };
}

export function parseRules(texts: {
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
}): RuleSet {
  return { allow: parseAll(texts.allow), ask: parseAll(texts.ask), deny: parseAll(texts.deny) };
}

const parseAll = (texts: readonly string[] = []) => texts.map(parseRule);
