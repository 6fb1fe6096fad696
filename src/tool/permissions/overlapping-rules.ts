import { matchCommand } from "../shell/command-pattern.ts";
import { type Rule, type RuleSet, ruleName } from "./permission-rules.ts";

/** Lists the rules that this rule makes redundant and those that make it redundant, as far as their text shows. */
export function overlappingRules(
  list: keyof RuleSet,
  rule: Rule,
  rules: RuleSet,
): { hides: string[]; hiddenBy: string[] } {
  const order = ["deny", "ask", "allow"] as const;
  const place = order.indexOf(list);
  const named = (wanted: readonly (typeof order)[number][], test: (other: Rule) => boolean) =>
    wanted.flatMap((each) =>
      rules[each].filter((other) => other !== rule && test(other)).map((other) => ruleName(each, other)),
    );
  const earlier = (other: Rule) => rules[list].indexOf(other) < rules[list].indexOf(rule);
  return {
    hides: named(order.slice(place + 1), (other) => covers(rule, other)),
    hiddenBy: [
      ...named(order.slice(0, place), (other) => covers(other, rule)),
      ...named([list], (other) => covers(other, rule) && (!covers(rule, other) || earlier(other))),
    ],
  };
}

/** True if `wide` matches every call that `narrow` matches. */
function covers(wide: Rule, narrow: Rule): boolean {
  const tool =
    wide.tool === "*" ||
    wide.tool === narrow.tool ||
    (wide.tool.startsWith("mcp__") && narrow.tool.startsWith(`${wide.tool}__`));
  if (!tool) return false;
  if (wide.specifier === undefined || wide.command?.everything) return true;
  if (narrow.specifier === undefined) return false;
  if (wide.specifier.trim() === narrow.specifier.trim() && wide.folder === narrow.folder) return true;
  if (!wide.command || !narrow.command?.words) return /\/?\*\*$/.test(wide.specifier) && sharesPrefix(wide, narrow);
  const values = narrow.command.words.map((word) => (typeof word === "string" ? word : undefined));
  return matchCommand(wide.command, values) !== undefined && (wide.command.open || !narrow.command.open);
}

const sharesPrefix = (wide: Rule, narrow: Rule) =>
  wide.folder === narrow.folder && narrow.specifier?.startsWith(wide.specifier?.replace(/\*\*$/, "") ?? "\0") === true;
