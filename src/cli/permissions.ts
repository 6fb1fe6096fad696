import { createInterface } from "node:readline";
import { realPathSync } from "../platform/index.ts";
import { type PermissionDecision, type PermissionMode, TroupeError } from "../protocol/index.ts";
import { type Config, loadConfig } from "../session/index.ts";
import { authorize, judgedCall, parseRules, type RuleSet, shadowsOf, splitRules } from "../tool/index.ts";
import { visibleLine } from "../view/index.ts";

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
  const config = await loadConfig({ cwd: process.cwd(), env: process.env });
  const rules = parseRules(config.rules, []);
  const listed = (["deny", "ask", "allow"] as const).flatMap((list) =>
    rules[list].map((rule) => {
      const { hides, hiddenBy } = shadowsOf(list, rule, rules);
      return { list, rule: rule.text, source: rule.source ?? "", hides, hiddenBy };
    }),
  );
  const withheld = config.untrusted.filter(({ key }) => key.startsWith("permissions."));
  if (flags.json) {
    const { permissionMode: mode, settingsFiles } = config;
    return void process.stdout.write(`${JSON.stringify({ mode, rules: listed, withheld, settingsFiles })}\n`);
  }
  const lines = [`mode ${config.permissionMode}`];
  if (listed.length === 0) lines.push("no rules: what the mode says holds for everything");
  for (const { list, rule, source, hides, hiddenBy } of listed) {
    lines.push(`${list.padEnd(5)}  ${rule}  (${source})`);
    if (hiddenBy.length > 0) lines.push(`       has no effect: ${hiddenBy.join(", ")} is looked at first`);
    if (hides.length > 0) lines.push(`       hides ${hides.join(", ")}`);
  }
  for (const { key, source } of withheld) lines.push(`not used: ${key} of ${source}, which is not trusted`);
  process.stdout.write(lines.map((line) => `${visibleLine(line)}\n`).join(""));
}

/** The verdict on calls that nobody makes: `Bash(git push)`, or with `--stdin` one command line a line. */
export async function testPermissions(calls: readonly string[], flags: RuleFlags): Promise<void> {
  const given = [...calls, ...(flags.stdin ? await inputLines() : [])];
  if (given.length === 0)
    throw new TroupeError("usage", "what should be tested? Give a call such as 'Bash(git push)', or --stdin");
  const config = await loadConfig({ cwd: process.cwd(), env: process.env });
  const tried = (list: keyof RuleSet) => [
    ...(flags[list] ?? []).flatMap(splitRules).map((value) => ({ value, source: `--${list}`, folder: config.cwd })),
    ...config.rules[list],
  ];
  const rules = parseRules({ allow: tried("allow"), ask: tried("ask"), deny: tried("deny") }, []);
  const mode = flags.mode ?? config.permissionMode;
  for (const [index, call] of given.entries()) {
    const command = flags.stdin === true && index >= calls.length;
    print(call, decide(command ? { command: call } : { call }, { config, rules, mode }), flags);
  }
}

function decide(
  what: { readonly command: string } | { readonly call: string },
  { config, rules, mode }: { config: Config; rules: RuleSet; mode: PermissionMode },
): PermissionDecision {
  const { tool, subject } = judgedCall(what, { cwd: config.cwd, home: config.userHome });
  const roots = [config.cwd, ...config.additionalDirectories.map(({ value }) => value)];
  return authorize({
    tool,
    subject,
    title: "command" in what ? what.command : what.call,
    mode,
    rules,
    roots,
    cwd: config.cwd,
    home: config.userHome,
    stateRoot: realPathSync(config.home),
    realPath: realPathSync,
  });
}

function print(call: string, decision: PermissionDecision, { json, stdin }: RuleFlags): void {
  const { behavior, rule, reason } = decision;
  const words = reason ?? (behavior === "allow" ? `allowed by ${rule}` : `asked because of ${rule}`);
  if (json)
    return void process.stdout.write(
      `${JSON.stringify({ decision: behavior, rule, reason: words, ...suggested(decision) })}\n`,
    );
  const what = stdin ? `  ${visibleLine(call)}` : "";
  process.stdout.write(visibleLine(`${behavior}${what}  ${rule}${reason === undefined ? "" : `: ${reason}`}`) + "\n");
}

const suggested = (decision: PermissionDecision) =>
  decision.behavior === "ask" && decision.suggestions.length > 0 ? { suggestions: decision.suggestions } : {};

async function inputLines(): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: process.stdin, crlfDelay: 0 }))
    if (line.trim() !== "") lines.push(line);
  return lines;
}
