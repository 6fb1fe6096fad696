import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { repositoryFolder } from "../../platform/index.ts";
import { messageOf } from "../../protocol/index.ts";
import { type Config, loadConfig, searchPath, settingsProblems } from "../../session/index.ts";

/** The facts that the checks examine, gathered once. */
export interface Machine {
  /** Undefined if the current folder no longer exists. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodeVersion: string;
  /** TROUPE_HOME, even if the settings cannot be read. */
  readonly home: string;
  /** Undefined if a run could not load its settings. `configError` tells why. */
  readonly config: Config | undefined;
  readonly configError: string | undefined;
  readonly settingsProblems: Awaited<ReturnType<typeof settingsProblems>>;
  readonly terminal: { readonly isTerminal: boolean; readonly columns: number | undefined };
}

export async function inspectMachine(process: NodeJS.Process): Promise<Machine> {
  const { env, stdout } = process;
  const cwd = currentFolder(process);
  const input = { cwd: cwd ?? "/", env };
  const [config, problems] = await Promise.allSettled([loadConfig(input), settingsProblems(input)]);
  return {
    cwd,
    env: { ...env, PATH: ownSearchPath(env, input.cwd) },
    nodeVersion: process.version,
    // The same path as in the settings loader, needed here when the settings cannot be read.
    home: resolve(input.cwd, env["TROUPE_HOME"] || join(env["HOME"] || homedir(), ".troupe")),
    config: config.status === "fulfilled" ? config.value : undefined,
    configError: config.status === "rejected" ? messageOf(config.reason) : undefined,
    settingsProblems: problems.status === "fulfilled" ? problems.value : [],
    terminal: { isTerminal: stdout.isTTY, columns: stdout.columns },
  };
}

/** Never has entries of the project: doctor runs the programs that it finds, and the folder may not be trusted. */
const ownSearchPath = (env: NodeJS.ProcessEnv, cwd: string) =>
  searchPath(env["PATH"], {
    cwd,
    projectFolders: [repositoryFolder(cwd) ?? cwd],
    userHome: env["HOME"] || homedir(),
    trust: "none",
  });

function currentFolder(process: NodeJS.Process): string | undefined {
  try {
    return process.cwd();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
