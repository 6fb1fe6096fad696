import { realPathSync } from "../../platform/index.ts";
import type { PermissionDecision, PermissionMode } from "../../protocol/index.ts";
import {
  authorize,
  parseCallSyntax,
  parseRules,
  type RuleSet,
  overlappingRules,
  splitRules,
} from "../../tool/index.ts";
import { type Config, type ConfigInput, loadConfig } from "../config/load-config.ts";

export interface ListedRule {
  readonly list: keyof RuleSet;
  readonly rule: string;
  readonly source: string;
  /** Rules that have no effect because of this one, and those because of which this one has none. */
  readonly hides: readonly string[];
  readonly hiddenBy: readonly string[];
}

/** Every rule in force, and what of the folder's own is not. */
export async function listRules(input: ConfigInput): Promise<{ config: Config; rules: readonly ListedRule[] }> {
  const config = await loadConfig(input);
  const rules = parseRules(config.rules, []);
  const listed = (["deny", "ask", "allow"] as const).flatMap((list) =>
    rules[list].map((rule) => ({
      list,
      rule: rule.text,
      source: rule.source ?? "",
      ...overlappingRules(list, rule, rules),
    })),
  );
  return { config, rules: listed };
}

export interface JudgeCallsInput extends ConfigInput {
  /** Each a tool and what it touches, or a command line. */
  readonly calls: readonly ({ readonly call: string } | { readonly command: string })[];
  /** Rules to try out, stronger than those of the settings. */
  readonly tried: { readonly [K in keyof RuleSet]?: readonly string[] | undefined };
  readonly mode?: PermissionMode | undefined;
}

/** What the policy would say of calls that nobody makes. */
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
  return input.calls.map((call) => {
    const { tool, subject } = parseCallSyntax(call, { cwd, home });
    return authorize({
      tool,
      subject,
      title: "command" in call ? call.command : call.call,
      mode: input.mode ?? config.permissionMode,
      rules,
      roots: [cwd, ...config.additionalDirectories.map(({ value }) => value)],
      cwd,
      home,
      stateRoot: realPathSync(config.home),
      realPath: realPathSync,
    });
  });
}
