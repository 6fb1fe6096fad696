import { type CommandSandbox, createCommandSandbox, parseRules, type RuleSet } from "../../tool/index.ts";
import type { Config } from "./load-config.ts";

/** Returns the function that makes the sandboxes for checks in folders of this configuration. */
export const sandboxesOf = (config: Config) => (folder: string) =>
  folderSandbox(config, { roots: [folder], rules: parseRules(config.rules) });

type SandboxSource = Pick<Config, "cwd" | "home" | "userHome" | "sandbox" | "trust" | "childEnv">;

/** The sandbox for commands that no agent runs, such as the check of a landing. Undefined if the sandbox is off. */
export const folderSandbox = (
  config: SandboxSource,
  { roots, rules }: { readonly roots: readonly string[]; readonly rules: RuleSet },
): CommandSandbox | undefined =>
  createCommandSandbox({
    settings: config.sandbox,
    userHome: config.userHome,
    stateRoot: config.home,
    roots,
    bases: [...new Set([config.cwd, ...roots.slice(0, 1)])],
    rules: () => rules,
    trusted: config.trust === "all",
    env: config.childEnv,
    readable: () => [config.cwd],
  });
