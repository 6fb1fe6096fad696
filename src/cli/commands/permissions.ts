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

/** Every rule in force, where it comes from, and which of them never have a say because of another. */
export async function listPermissions(flags: Pick<RuleFlags, "json">): Promise<void> {
  const { config, rules } = await listRules({ cwd: process.cwd(), env: process.env });
  const { permissionMode: mode, settingsFiles } = config;
  const withheld = config.untrusted.filter(({ key }) => key.startsWith("permissions."));
  if (flags.json) {
    return void process.stdout.write(`${JSON.stringify({ mode, rules, withheld, settingsFiles })}\n`);
  }
  const lines = [`mode ${mode}`];
  if (rules.length === 0) lines.push("no rules: what the mode says holds for everything");
  lines.push(...rules.flatMap(ruleLines));
  for (const { key, source } of withheld) lines.push(`not used: ${key} of ${source}, which is not trusted`);
  process.stdout.write(lines.map((line) => `${visibleLine(line)}\n`).join(""));
}

const ruleLines = ({ list, rule, source, hides, hiddenBy }: ListedRule) => [
  `${list.padEnd(5)}  ${rule}  (${source})`,
  ...(hiddenBy.length > 0 ? [`       has no effect: ${hiddenBy.join(", ")} is looked at first`] : []),
  ...(hides.length > 0 ? [`       hides ${hides.join(", ")}`] : []),
];

/** The verdict on calls that nobody makes: `Bash(git push)`, or with `--stdin` one command line a line. */
export async function testPermissions(given: readonly string[], flags: RuleFlags): Promise<void> {
  const commands = flags.stdin ? await inputLines() : [];
  const calls = [...given.map((call) => ({ call })), ...commands.map((command) => ({ command }))];
  if (calls.length === 0) {
    throw new TroupeError("usage", "what should be tested? Give a call such as 'Bash(git push)', or --stdin");
  }
  const tried = { allow: flags.allow, ask: flags.ask, deny: flags.deny };
  const decisions = await judgeCalls({ cwd: process.cwd(), env: process.env, calls, tried, mode: flags.mode });
  const shown = [...given, ...commands];
  for (const [index, decision] of decisions.entries()) print(shown[index] ?? "", decision, flags);
}

function print(call: string, decision: PermissionDecision, { json, stdin }: RuleFlags): void {
  const { behavior, rule, reason } = decision;
  const words = reason ?? (behavior === "allow" ? `allowed by ${rule}` : `asked because of ${rule}`);
  if (json) {
    const line = { decision: behavior, rule, reason: words, ...suggested(decision) };
    return void process.stdout.write(`${JSON.stringify(line)}\n`);
  }
  const what = stdin ? `  ${call}` : "";
  process.stdout.write(`${visibleLine(`${behavior}${what}  ${rule}${reason === undefined ? "" : `: ${reason}`}`)}\n`);
}

const suggested = (decision: PermissionDecision) =>
  decision.behavior === "ask" && decision.suggestions.length > 0 ? { suggestions: decision.suggestions } : {};

/** Only a newline ends a line: a carriage return or a Unicode line end is part of the command, and is judged. */
async function inputLines(): Promise<string[]> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += String(chunk);
  return text.split("\n").filter((line) => line.trim() !== "");
}
