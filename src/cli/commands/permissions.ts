import { type PermissionDecision, type PermissionMode, TroupeError } from "../../protocol/index.ts";
import { judgeCalls, type ListedRule, listRules } from "../../session/index.ts";
import { visibleLine } from "../../view/index.ts";

export interface RuleFlags {
  readonly allow?: string[];
  readonly ask?: string[];
  readonly deny?: string[];
  readonly mode?: PermissionMode;
  readonly json?: boolean;
  readonly stdin?: boolean;
}

/** Prints every effective rule, its source, and the rules that another rule hides. */
export async function listPermissions(flags: Pick<RuleFlags, "json">): Promise<void> {
  const { config, rules } = await listRules({ cwd: process.cwd(), env: process.env });
  const { permissionMode: mode, settingsFiles } = config;
  const withheld = config.untrusted.filter(({ key }) => key.startsWith("permissions."));
  if (flags.json) {
    return void process.stdout.write(`${JSON.stringify({ mode, rules, withheld, settingsFiles })}\n`);
  }
  const lines = [`mode ${mode}`];
  if (rules.length === 0) lines.push("no rules: the mode decides every call");
  lines.push(...rules.flatMap(ruleLines));
  for (const { key, source } of withheld)
    lines.push(`not used: ${key} of ${source}, because the folder is not trusted`);
  process.stdout.write(lines.map((line) => `${visibleLine(line)}\n`).join(""));
}

const ruleLines = ({ list, rule, source, hides, hiddenBy, problem }: ListedRule) => [
  `${list.padEnd(5)}  ${rule}  (${source})`,
  ...(hiddenBy.length > 0 ? [`       has no effect: ${hiddenBy.join(", ")} takes precedence`] : []),
  ...(problem === undefined ? [] : [`       ${problem}`]),
  ...(hides.length > 0 ? [`       hides ${hides.join(", ")}`] : []),
];

/**
 * Prints the decision for calls that are not executed: `Bash(git push)`, or with `--stdin` one command on each line.
 */
export async function testPermissions(given: readonly string[], flags: RuleFlags): Promise<void> {
  const commands = flags.stdin ? await inputLines() : [];
  const calls = [...given.map((call) => ({ call })), ...commands.map((command) => ({ command }))];
  if (calls.length === 0) {
    throw new TroupeError("usage", "no call to test. Give a call such as 'Bash(git push)', or use --stdin.");
  }
  const tried = { allow: flags.allow, ask: flags.ask, deny: flags.deny };
  const decisions = await judgeCalls({ cwd: process.cwd(), env: process.env, calls, tried, mode: flags.mode });
  const shown = [...given, ...commands];
  for (const [index, decision] of decisions.entries()) print(shown[index] ?? "", decision, flags);
}

function print(call: string, decision: PermissionDecision, { json, stdin }: RuleFlags): void {
  const { behavior, rule, reason } = decision;
  const words = reason ?? (behavior === "allow" ? `allowed by ${rule}` : `ask because of ${rule}`);
  if (json) {
    const line = { decision: behavior, rule, reason: words, ...suggested(decision) };
    return void process.stdout.write(`${JSON.stringify(line)}\n`);
  }
  const what = stdin ? `  ${call}` : "";
  process.stdout.write(`${visibleLine(`${behavior}${what}  ${rule}${reason === undefined ? "" : `: ${reason}`}`)}\n`);
}

const suggested = (decision: PermissionDecision) =>
  decision.behavior === "ask" && decision.suggestions.length > 0 ? { suggestions: decision.suggestions } : {};

/** Only a newline ends a line. A carriage return or a Unicode line end is part of the command and is judged. */
async function inputLines(): Promise<string[]> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += String(chunk);
  return text.split("\n").filter((line) => line.trim() !== "");
}
