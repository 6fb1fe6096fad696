import { realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ProviderEnv } from "../../model/index.ts";
import { hasErrorCode, projectName } from "../../platform/index.ts";
import {
  type Effort,
  type PermissionMode,
  type SessionOptions,
  type Settings,
  TroupeError,
} from "../../protocol/index.ts";
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
import { type SandboxConfig, sandboxConfig } from "./sandbox-config.ts";
import { searchPath } from "./search-path.ts";
import { storeVariables } from "./store-variables.ts";
import { type TelemetryConfig, telemetryConfig } from "../telemetry/telemetry-settings.ts";
import type { SettingsProblem } from "./settings/settings-problems.ts";
import { homeFolder, userHomeFolder } from "./home-folder.ts";
import { applyTrust } from "../trust/apply-trust.ts";
import type { FolderTrust, WithheldSetting } from "../trust/withheld-settings.ts";

export interface ConfigInput {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags?: SessionOptions;
  /** The user's home folder. The default comes from the environment. */
  readonly userHome?: string;
  readonly managedFile?: string;
  /** Trust in the folder's own settings. The default is the user's stored decision. */
  readonly trust?: FolderTrust | undefined;
}

/** The validated configuration of a session, from all sources. */
export interface Config {
  /** Real paths. `projectFolders` goes from the root of the repository down to `cwd`. */
  readonly cwd: string;
  readonly projectFolders: readonly string[];
  /** The path of `TROUPE_HOME`, which may not exist yet. */
  readonly home: string;
  readonly userHome: string;
  /** Undefined if not configured: then the available keys decide. */
  readonly model: string | undefined;
  readonly effort: Effort | undefined;
  readonly smallModel: string | undefined;
  readonly aliases: NonNullable<Settings["aliases"]>;
  readonly models: NonNullable<Settings["models"]>;
  readonly providerEnv: ProviderEnv;
  readonly permissionMode: PermissionMode;
  /** Highest precedence first. Includes `--allowedTools` and `--disallowedTools`. */
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
  /** If both values are set, `atTokens` applies. */
  readonly compaction: NonNullable<Settings["compaction"]>;
  readonly bash: NonNullable<Settings["bash"]>;
  readonly sandbox: SandboxConfig;
  readonly checkpoints: NonNullable<Settings["checkpoints"]>;
  readonly worktree: NonNullable<Settings["worktree"]>;
  readonly land: NonNullable<Settings["land"]>;
  readonly hooks: readonly Placed<unknown>[];
  /** False if `disableAllHooks` applies: then hooks of agent definitions do not run either. */
  readonly hooksAllowed: boolean;
  /** Objects with servers by name, highest precedence first. */
  readonly mcpServers: readonly Placed<unknown>[];
  /** Use only servers from the command line. */
  readonly strictMcp: boolean;
  readonly mcp: NonNullable<Settings["mcp"]>;
  readonly appendSystemPrompt: string | undefined;
  readonly subagents: NonNullable<Settings["subagents"]>;
  readonly teams: NonNullable<Settings["teams"]>;
  /** Undefined if teams are stored in files on this machine. */
  readonly bus: BusAddress | undefined;
  /** Claude Code's folder, if its teams are used. */
  readonly claudeFolder: string | undefined;
  readonly terminal: NonNullable<Settings["terminal"]>;
  /** Undefined if nothing is exported. */
  readonly telemetry: TelemetryConfig | undefined;
  /** The model for all subagents, which overrides their definitions. `source` is the variable. */
  readonly subagentModel: Sourced<string> | undefined;
  /** The lead of a new session is a coordinator. */
  readonly coordinatorMode: boolean;
  /** A coordinator's workers get only Bash, Edit and Read. */
  readonly simpleWorkers: boolean;
  readonly agentsFlag: string | undefined;
  /** The administrator's folder of agent definitions, which may not exist. */
  readonly managedAgents: string;
  /** Existing plugin folders. */
  readonly plugins: readonly string[];
  /** The fields of the project's agent definitions that need trust. */
  readonly definitionPrivileges: readonly WithheldSetting[];
  /** Trust in the folder's own hooks, servers and allow rules. */
  readonly trust: FolderTrust;
  /** Settings, skills and commands of the folder that are withheld until it is trusted. */
  readonly untrusted: readonly WithheldSetting[];
  readonly slash: FoundCommands;
  /** The user's settings for this folder, stored outside of it. Rules that are allowed "always" are saved here. */
  readonly localSettings: string;
  /** The file or flag of each value, by its dotted name. */
  readonly sources: ReadonlyMap<string, string>;
  readonly settingsFiles: readonly string[];
  /** Warnings for the user that do not prevent a start. */
  readonly notices: readonly string[];
}

/** The only reader of the environment and the settings files. A broken file is an error, it is never ignored. */
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
    effort: values.effort,
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
      { ...env, ...storeVariables(input.flags ?? {}), PATH: searchPath(env["PATH"], { ...places, ...trusted }) },
      values.childEnv?.allow,
    ),
    maxTurns: values.maxTurns,
    maxBudgetUsd: values.maxBudgetUsd,
    limits: values.limits ?? {},
    watchdog: values.watchdog ?? {},
    retry: values.retry ?? {},
    compaction: values.compaction ?? {},
    bash: values.bash ?? {},
    sandbox: sandboxConfig(values.sandbox, input.env),
    checkpoints: values.checkpoints ?? {},
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
    bus: busConfig(values.bus ?? {}, { env, userHome: places.userHome, flag: input.flags?.bus }),
    claudeFolder: claudeCodeFolder(input.flags?.teamStore, { env, userHome: places.userHome }),
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

/** Returns all problems of the settings, for `troupe doctor`. `loadConfig` throws the first of them. */
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
  throw new TroupeError("usage", `working directory not found: ${cwd}. Create it, or start in another folder.`);
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

/** True for a variable that is set to anything except an empty value, 0, false, no or off. */
const isSet = (value: string | undefined) => !/^(|0|false|no|off)$/i.test(value?.trim() ?? "");

async function settingsError(first: SettingsProblem, more: number): Promise<TroupeError> {
  const { problemLine } = await import("./settings/settings-problems.ts");
  const rest = more === 0 ? "" : ` (and ${more} more: 'troupe doctor' lists them)`;
  return new TroupeError("settings", `${problemLine(first)}${rest}`);
}

const isFirm = ({ level }: SettingsLayer): boolean => level === "managed" || level === "flags";

/**
 * Inserts the flags below the administrator's settings and above all other files, including `--settings`. The source of
 * each value is its flag.
 */
function insertFlags(layers: readonly SettingsLayer[], flags: SessionOptions, folder: string): SettingsLayer[] {
  const { model, effort, permissionMode, maxTurns, maxBudgetUsd, maxTokens, allowedTools, disallowedTools, addDir } =
    flags;
  if (permissionMode === "bubble") {
    throw new TroupeError("usage", "--permission-mode bubble is only for forks. Choose another mode.");
  }
  const said: [string, Settings][] = [
    ["--model", { model }],
    ["--effort", { effort }],
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

/**
 * A folder from a flag must exist. A missing folder from a settings file only gives a notice, because the file may come
 * from another machine.
 */
function addedDirectories(merged: MergedSettings, userHome: string) {
  const directories: Sourced<string>[] = [];
  const notices: string[] = [];
  for (const { value, source, folder, level } of merged.directories) {
    const path = value === "~" || value.startsWith("~/") ? join(userHome, value.slice(1)) : resolve(folder, value);
    const real = realFolder(path);
    if (real !== undefined) {
      if (!directories.some((known) => known.value === real)) directories.push({ value: real, source });
    } else if (level === "flags") {
      throw new TroupeError("usage", `${source} ${value}: folder not found`);
    } else {
      notices.push(`${source}: the folder ${path} in permissions.additionalDirectories does not exist and is ignored`);
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
