import { realPathSync } from "../../platform/index.ts";
import type { PermissionDecision, PermissionMode } from "../../protocol/index.ts";
import {
  authorize,
  judgeSandbox,
  parseCallSyntax,
  parseRules,
  realDisk,
  type RuleSet,
  overlappingRules,
  ruleProblem,
  ruleProblems,
  splitRules,
} from "../../tool/index.ts";
import { folderSandbox } from "../config/folder-sandbox.ts";
import { type Config, type ConfigInput, loadConfig } from "../config/load-config.ts";

export interface ListedRule {
  readonly list: keyof RuleSet;
  readonly rule: string;
  readonly source: string;
  /** Rules that this rule overrides, and rules that override it. */
  readonly hides: readonly string[];
  readonly hiddenBy: readonly string[];
  /** A problem of the rule itself, for the user. */
  readonly problem?: string | undefined;
}

/** Returns every effective rule, and the configuration, which lists the folder's withheld rules. */
export async function listRules(input: ConfigInput): Promise<{ config: Config; rules: readonly ListedRule[] }> {
  const config = await loadConfig(input);
  const rules = parseRules(config.rules, []);
  const listed = (["deny", "ask", "allow"] as const).flatMap((list) =>
    rules[list].map((rule) => ({
      list,
      rule: rule.text,
      source: rule.source ?? "",
      ...overlappingRules(list, rule, rules),
      problem: ruleProblem(list, rule),
    })),
  );
  return { config, rules: listed };
}

/** Returns the problems of the rules in effect, one line each. */
export const configRuleProblems = (config: Pick<Config, "rules">): readonly string[] =>
  ruleProblems(parseRules(config.rules, []));

export interface JudgeCallsInput extends ConfigInput {
  /** Each entry is a tool with its argument, or a command line. */
  readonly calls: readonly ({ readonly call: string } | { readonly command: string })[];
  /** Rules to try, with higher precedence than the settings. */
  readonly tried: { readonly [K in keyof RuleSet]?: readonly string[] | undefined };
  readonly mode?: PermissionMode | undefined;
}

/** Returns the permission decisions for hypothetical calls. */
export async function judgeCalls(input: JudgeCallsInput): Promise<readonly PermissionDecision[]> {
  const config = await loadConfig(input);
  const texts = (list: keyof RuleSet) => [
    ...(input.tried[list] ?? [])
      .flatMap(splitRules)
      .map((value) => ({ value, source: `--${list}`, folder: config.cwd })),
    ...config.rules[list],
  ];
  const rules = parseRules({ allow: texts("allow"), ask: texts("ask"), deny: texts("deny") }, []);
  const { cwd, userHome: home } = config;
  const roots = [cwd, ...config.additionalDirectories.map(({ value }) => value)];
  const sandbox = folderSandbox(config, { roots, rules });
  const mode = input.mode ?? config.permissionMode;
  const { walls, refusal } = await judgeSandbox({ kind: "command", command: "" }, sandbox);
  await sandbox?.close();
  return input.calls.map((call) => {
    const { tool, subject } = parseCallSyntax(call, { cwd, home });
    if (refusal && subject.kind === "command") return refusal;
    return authorize({
      tool,
      subject,
      title: "command" in call ? call.command : call.call,
      mode,
      rules,
      roots,
      cwd,
      walls,
      home,
      stateRoot: realPathSync(config.home),
      disk: realDisk,
    });
  });
}
