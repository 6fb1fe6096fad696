import { allowsAnyCode } from "../shell/command-pattern.ts";
import { isInterpreter, wrappers } from "../shell/programs.ts";
import { globPattern } from "./glob-pattern.ts";
import type { Rule, RuleSet } from "./permission-rules.ts";

/**
 * Returns what the user should know about a rule: that it can match no call, or that it allows any code. Undefined for
 * all other rules. Only the text of the rule counts.
 */
export function ruleProblem(list: keyof RuleSet, rule: Rule): string | undefined {
  const why = neverMatchesReason(rule);
  if (why !== undefined) return `The ${list} rule ${name(rule)} has no effect: ${why}.`;
  if (list !== "allow" || !rule.command) return undefined;
  const [first, second] = rule.command.words ?? [];
  if (allowsAnyCode(rule.command))
    return `The allow rule ${name(rule)} lets agents run any code: ${String(first)} runs what it is given. To allow less, name the whole command.`;
  if (!rule.command.open || rule.command.everything || typeof first !== "string") return undefined;
  if (isInterpreter(first, typeof second === "string" ? second : undefined))
    return `The allow rule ${name(rule)} has no effect: ${first} changes how bash reads the rest of the line. Name the whole command.`;
  if (wrappers.has(first) && rule.command.words?.length === 1)
    return `The allow rule ${name(rule)} has no effect: ${first} runs another command, which needs its own rule.`;
  return undefined;
}

/** Returns the problems of all rules, one line each. */
export function ruleProblems(rules: RuleSet): readonly string[] {
  return (["deny", "ask", "allow"] as const).flatMap((list) =>
    rules[list].flatMap((rule) => ruleProblem(list, rule) ?? []),
  );
}

const name = ({ text, source }: Rule) => (source === undefined ? text : `${text} (${source})`);

/** Tools whose rules can have a specifier. */
const specified = new Set(
  "Agent Bash Edit Glob Grep LS NotebookEdit NotebookRead Read Skill SlashCommand WebFetch WebSearch Write".split(" "),
);
const files = new Set("Edit Glob Grep LS NotebookEdit NotebookRead Read Write".split(" "));

function neverMatchesReason({ tool, specifier, command }: Rule): string | undefined {
  if (specifier === undefined) return undefined;
  if (!specified.has(tool)) return `rules for ${tool} have no brackets. Write ${tool}`;
  if (files.has(tool) && globPattern(specifier.trim()) === undefined) return "its pattern has an open bracket or brace";
  if (tool === "WebFetch" && !/^(domain|https?):/.test(specifier.trim()))
    return `it names no host. Write WebFetch(domain:${specifier.trim()})`;
  const operator =
    command?.open && command.words?.find((word) => typeof word === "string" && /^([|&;<>]+|.*;)$/.test(word));
  if (operator) return `it joins commands with ${String(operator)}. Write one rule for each command`;
  return undefined;
}
