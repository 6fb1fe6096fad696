import { realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ProviderEnv } from "../../model/index.ts";
import { hasErrorCode, projectName } from "../../platform/index.ts";
import { type PermissionMode, type Settings, TroupeError } from "../../protocol/index.ts";
import type { BusAddress } from "../../store/index.ts";
import { splitRules } from "../../tool/index.ts";
import { definitionPrivileges } from "../agent-types/definition-privileges.ts";
import { pluginFolders } from "../agent-types/plugin-folders.ts";
import { busConfig } from "./bus-config.ts";
import { claudeCodeFolder } from "./claude-code-folder.ts";
import { childEnvironment } from "./child-env.ts";
import { areHooksOff, enabledHooks } from "../hooks/enabled-hooks.ts";
import { type FoundCommands, findCommands, commandPrivileges } from "../slash-commands/find-commands.ts";
import {
  mergeSettings,
  type MergedSettings,
  type Placed,
  type Sourced,
  type SourcedRule,
} from "./settings/merge-settings.ts";
import { projectFolders } from "./project-folders.ts";
import { providerEnvironment } from "./provider-env.ts";
import { mcpConfigFlag, readSettingsFiles, type SettingsLayer } from "./settings/read-settings-files.ts";
import { searchPath } from "./search-path.ts";
import { type TelemetryConfig, telemetryConfig } from "../telemetry/telemetry-settings.ts";
import type { SettingsProblem } from "./settings/settings-problems.ts";
import { homeFolder, userHomeFolder } from "./home-folder.ts";
import { applyTrust } from "../trust/apply-trust.ts";
import type { FolderTrust, WithheldSetting } from "../trust/withheld-settings.ts";

export interface ConfigInput {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags?: ConfigFlags;
  /** The user's home folder; by default what the environment says. */
  readonly userHome?: string;
  readonly managedFile?: string;
  /** How far the settings of the folder itself are believed; without it what the user has said about the folder decides. */
  readonly trust?: FolderTrust | undefined;
}

/** The part of the command line that is about settings. */
export interface ConfigFlags {
  /** A path, or JSON. */
  readonly settings?: string | undefined;
  readonly model?: string | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly addDir?: readonly string[] | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly appendSystemPrompt?: string | undefined;
  /** Paths, or JSON. */
  readonly mcpConfig?: readonly string[] | undefined;
  /** Only the servers of `mcpConfig`. */
  readonly strictMcpConfig?: boolean | undefined;
  /** More agent definitions: JSON, or a path. */
  readonly agents?: string | undefined;
}

/** Everything that was decided outside of a session, found and checked. */
export interface Config {
  /** Real paths. `projectFolders` leads from the root of the repository down to `cwd`. */
  readonly cwd: string;
  readonly projectFolders: readonly string[];
  /** `TROUPE_HOME`, not made yet. */
  readonly home: string;
  readonly userHome: string;
  /** Undefined: nothing was said; the model layer then goes by whose key is there. */
  readonly model: string | undefined;
  readonly smallModel: string | undefined;
  readonly aliases: NonNullable<Settings["aliases"]>;
  readonly models: NonNullable<Settings["models"]>;
  readonly providerEnv: ProviderEnv;
  readonly permissionMode: PermissionMode;
  /** The strongest source first; `--allowedTools` and `--disallowedTools` are among them. */
  readonly rules: { readonly [K in "allow" | "ask" | "deny"]: readonly SourcedRule[] };
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly additionalDirectories: readonly Sourced<string>[];
  readonly childEnv: Readonly<Record<string, string>>;
  readonly maxTurns: number | undefined;
  readonly maxBudgetUsd: number | undefined;
  readonly limits: NonNullable<Settings["limits"]>;
  readonly watchdog: NonNullable<Settings["watchdog"]>;
  readonly retry: NonNullable<Settings["retry"]>;
  /** Where both are said, `atTokens` holds. */
  readonly compaction: NonNullable<Settings["compaction"]>;
  readonly bash: NonNullable<Settings["bash"]>;
  readonly sandbox: NonNullable<Settings["sandbox"]>;
  readonly worktree: NonNullable<Settings["worktree"]>;
  readonly land: NonNullable<Settings["land"]>;
  readonly hooks: readonly Placed<unknown>[];
  /** False where `disableAllHooks` holds: then those of agent definitions do not run either. */
  readonly hooksAllowed: boolean;
  /** Objects of servers by their names, the strongest first. */
  readonly mcpServers: readonly Placed<unknown>[];
  /** Only servers that the command line names. */
  readonly strictMcp: boolean;
  readonly mcp: NonNullable<Settings["mcp"]>;
  readonly appendSystemPrompt: string | undefined;
  readonly subagents: NonNullable<Settings["subagents"]>;
  readonly teams: NonNullable<Settings["teams"]>;
  /** Undefined: teams are in files of this machine. */
  readonly bus: BusAddress | undefined;
  /** The folder of Claude Code, where its teams are the ones that are wanted. */
  readonly claudeFolder: string | undefined;
  readonly terminal: NonNullable<Settings["terminal"]>;
  /** Undefined: nothing is exported. */
  readonly telemetry: TelemetryConfig | undefined;
  /** The model for all agents that others start, whatever their definitions say; the source is the variable. */
  readonly subagentModel: Sourced<string> | undefined;
  /** The lead of a new session is a coordinator. */
  readonly coordinatorMode: boolean;
  /** Workers of a coordinator have only the few tools that everything can be done with. */
  readonly simpleWorkers: boolean;
  readonly agentsFlag: string | undefined;
  /** The administrator's folder of agent definitions, which need not be there. */
  readonly managedAgents: string;
  /** Folders of plugins, which are there. */
  readonly plugins: readonly string[];
  /** What the project's agent definitions ask for that needs trust. */
  readonly definitionPrivileges: readonly WithheldSetting[];
  /** Whether what the folder brings along may act: hooks, servers, rules that allow. */
  readonly trust: FolderTrust;
  /** What the folder asks for, in settings, skills and commands, and does not get before it is trusted. */
  readonly untrusted: readonly WithheldSetting[];
  readonly slash: FoundCommands;
  /** The user's own settings for this folder, kept where the folder cannot write; "always" is remembered there. */
  readonly localSettings: string;
  /** Which file or flag a value comes from, by its dotted name. */
  readonly sources: ReadonlyMap<string, string>;
  readonly settingsFiles: readonly string[];
  /** Things the user should hear about that stop nothing. */
  readonly notices: readonly string[];
}

/** The only reader of the environment and the settings files. A file that is broken is an error, never passed over. */
export async function loadConfig(input: ConfigInput): Promise<Config> {
  const places = findSettingsPaths(input);
  const { layers, problems } = await readSettingsFiles(places);
  const [first] = problems;
  if (first) throw await settingsError(first, problems.length - 1);

  const slash = await findCommands(places);
  const privileges = await definitionPrivileges(places);
  const trusted = applyTrust(layers, {
    ...places,
    trust: input.trust,
    otherPrivileges: [...commandPrivileges(slash), ...privileges],
  });
  const merged = mergeSettings(insertFlags(trusted.layers, input.flags ?? {}, places.cwd));
  const { values, sources } = merged;
  const env = { ...input.env, ...values.env };
  const firm = new Set(layers.filter(isFirm).map(({ source }) => source));
  const providerEnv = providerEnvironment({
    env,
    providers: values.providers,
    isFirm: (provider) => firm.has(sources.get(`providers.${provider}.baseUrl`) ?? ""),
  });
  const { directories, notices } = addedDirectories(merged, places.userHome);
  const { plugins, notices: pluginNotices } = pluginFolders(trusted.layers, places.userHome);
  return {
    cwd: places.cwd,
    projectFolders: places.projectFolders,
    home: places.home,
    userHome: places.userHome,
    model: values.model,
    smallModel: values.smallModel,
    aliases: values.aliases ?? {},
    models: values.models ?? {},
    providerEnv,
    permissionMode: merged.defaultMode ?? "default",
    rules: { allow: merged.allow, ask: merged.ask, deny: merged.deny },
    allowedTools: input.flags?.allowedTools ?? [],
    disallowedTools: input.flags?.disallowedTools ?? [],
    additionalDirectories: directories,
    childEnv: childEnvironment(
      { ...env, PATH: searchPath(env["PATH"], { ...places, ...trusted }) },
      values.childEnv?.allow,
    ),
    maxTurns: values.maxTurns,
    maxBudgetUsd: values.maxBudgetUsd,
    limits: values.limits ?? {},
    watchdog: values.watchdog ?? {},
    retry: values.retry ?? {},
    compaction: values.compaction ?? {},
    bash: values.bash ?? {},
    sandbox: values.sandbox ?? {},
    worktree: values.worktree ?? {},
    land: values.land ?? {},
    hooks: enabledHooks(merged.hooks, trusted.layers),
    hooksAllowed: !areHooksOff(trusted.layers),
    mcpServers: input.flags?.strictMcpConfig
      ? merged.mcpServers.filter(({ source }) => source.startsWith(mcpConfigFlag))
      : merged.mcpServers,
    strictMcp: input.flags?.strictMcpConfig ?? false,
    mcp: values.mcp ?? {},
    appendSystemPrompt: input.flags?.appendSystemPrompt,
    subagents: values.subagents ?? {},
    teams: values.teams ?? {},
    bus: busConfig(values.bus ?? {}, { env, userHome: places.userHome }),
    claudeFolder: claudeCodeFolder(env, places.userHome),
    terminal: values.terminal ?? {},
    telemetry: telemetryConfig(values.telemetry ?? {}, env),
    subagentModel: subagentModel(env),
    coordinatorMode: isSet(env["TROUPE_COORDINATOR_MODE"]),
    simpleWorkers: isSet(env["TROUPE_SIMPLE"]),
    agentsFlag: input.flags?.agents,
    managedAgents: join(dirname(places.managedFile), "agents"),
    plugins,
    definitionPrivileges: privileges,
    trust: trusted.trust,
    untrusted: trusted.withheld,
    slash,
    localSettings: places.localSettings,
    sources,
    settingsFiles: layers.map(({ source }) => source),
    notices: [...trusted.notices, ...notices, ...pluginNotices],
  };
}

/** All that is wrong with the settings, for `troupe doctor`: the errors that `loadConfig` would throw, as a list. */
export async function settingsProblems(input: ConfigInput): Promise<readonly SettingsProblem[]> {
  return (await readSettingsFiles(findSettingsPaths(input))).problems;
}

function workingFolder(cwd: string): string {
  try {
    const real = realpathSync(cwd);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT") && !hasErrorCode(error, "ENOTDIR")) throw error;
  }
  throw new TroupeError("usage", `the folder to work in is not there: ${cwd}; make it, or start in another one`);
}

function findSettingsPaths({ cwd, env, flags, userHome, managedFile = "/etc/troupe/settings.json" }: ConfigInput) {
  const real = workingFolder(cwd);
  const user = userHome ?? userHomeFolder(env);
  const home = homeFolder(env, user);
  return {
    cwd: real,
    projectFolders: projectFolders(real),
    home,
    userHome: user,
    managedFile,
    localSettings: join(home, "projects", projectName(real), "settings.local.json"),
    flag: flags?.settings,
    mcpConfig: flags?.mcpConfig,
  };
}

function subagentModel(env: ConfigInput["env"]): Sourced<string> | undefined {
  return ["TROUPE_SUBAGENT_MODEL", "CLAUDE_CODE_SUBAGENT_MODEL"]
    .map((source) => ({ source, value: env[source]?.trim() ?? "" }))
    .find(({ value }) => value !== "");
}

/** A variable that is a switch: anything but nothing, 0 and false is on. */
const isSet = (value: string | undefined) => !/^(|0|false|no|off)$/i.test(value?.trim() ?? "");

async function settingsError(first: SettingsProblem, more: number): Promise<TroupeError> {
  const { problemLine } = await import("./settings/settings-problems.ts");
  const rest = more === 0 ? "" : ` (and ${more} more: 'troupe doctor' lists them)`;
  return new TroupeError("settings", `${problemLine(first)}${rest}`);
}

const isFirm = ({ level }: SettingsLayer): boolean => level === "managed" || level === "flags";

/** The flags stand between what the administrator and what any file says, `--settings` included; each is named as its source. */
function insertFlags(layers: readonly SettingsLayer[], flags: ConfigFlags, folder: string): SettingsLayer[] {
  const { model, permissionMode, maxTurns, maxBudgetUsd, maxTokens, allowedTools, disallowedTools, addDir } = flags;
  if (permissionMode === "bubble") {
    throw new TroupeError("usage", "--permission-mode bubble is for forks alone: choose another mode");
  }
  const said: [string, Settings][] = [
    ["--model", { model }],
    ["--permission-mode", { permissions: { defaultMode: permissionMode } }],
    ["--max-turns", { maxTurns }],
    ["--max-budget-usd", { maxBudgetUsd }],
    ["--max-tokens", { limits: { maxTokens } }],
    ["--allowedTools", { permissions: { allow: allowedTools?.flatMap(splitRules) } }],
    ["--disallowedTools", { permissions: { deny: disallowedTools?.flatMap(splitRules) } }],
    ["--add-dir", { permissions: { additionalDirectories: addDir && [...addDir] } }],
  ];
  return [
    ...layers.filter(({ level }) => level === "managed"),
    ...said.map(([source, settings]) => ({ level: "flags", source, folder, settings }) as const),
    ...layers.filter(({ level }) => level !== "managed"),
  ];
}

/** A folder that a flag names must be there; one that a file names may be missing on this machine, and that is said. */
function addedDirectories(merged: MergedSettings, userHome: string) {
  const directories: Sourced<string>[] = [];
  const notices: string[] = [];
  for (const { value, source, folder, level } of merged.directories) {
    const path = value === "~" || value.startsWith("~/") ? join(userHome, value.slice(1)) : resolve(folder, value);
    const real = realFolder(path);
    if (real !== undefined) {
      if (!directories.some((known) => known.value === real)) directories.push({ value: real, source });
    } else if (level === "flags") {
      throw new TroupeError("usage", `${source} ${value}: there is no such folder`);
    } else {
      notices.push(`${source}: the folder ${path} of permissions.additionalDirectories is not there and is left out`);
    }
  }
  return { directories, notices };
}

function realFolder(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES")) return undefined;
    throw error;
  }
}
