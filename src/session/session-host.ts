import {
  type Clock,
  type CreateId,
  createIdFactory,
  gitBranch,
  type GitState,
  gitState,
  systemClock,
} from "../platform/index.ts";
import { createModel } from "../model/index.ts";
import { openTeamStore, type SessionStore, type TaskList } from "../store/index.ts";
import {
  type Backend,
  createTmuxBackend,
  gitWorktrees,
  type TmuxBackendOptions,
  type WorktreeEngine,
} from "../team/index.ts";
import { builtinTools, type Tool } from "../tool/index.ts";
import { type LoadedAgents, loadAgentDefinitions } from "./agent-types/load-definitions.ts";
import { docsFolder } from "./config/docs-folder.ts";
import { ownExecutable } from "./config/own-executable.ts";
import { type Config, type ConfigInput, loadConfig } from "./config/load-config.ts";
import { createInstructionFiles, type InstructionFiles } from "./instructions/instruction-files.ts";
import { type CommandCatalog, openCommandCatalog } from "./slash-commands/command-catalog.ts";

/** The machine that sessions run on: its time, its files, its tools and its stores. */
export interface SessionHost {
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly builtinTools: () => readonly Tool[];
  readonly loadConfig: (input: ConfigInput) => Promise<Config>;
  readonly loadFiles: (config: Config) => Promise<StartFiles>;
  readonly openTeamStore: typeof openTeamStore;
  readonly createModel: typeof createModel;
  /** Opens panes for members that run in their own processes. */
  readonly openPanes: (options: Omit<TmuxBackendOptions, "program">) => Promise<Backend>;
  readonly worktrees: WorktreeEngine;
  /** Replaces the session files of this machine. */
  readonly memory?: MemoryStores | undefined;
}

/** Stores without files. */
export interface MemoryStores {
  readonly sessions: SessionStore;
  /** The session's own task list, for tasks without a team. */
  readonly ownTasks: () => Promise<TaskList>;
}

/** The files that a session reads at its start. */
export interface StartFiles {
  readonly definitions: LoadedAgents;
  readonly instructions: InstructionFiles;
  readonly commands: CommandCatalog;
  /** Undefined if nothing is known. */
  readonly git: GitState | "no repository" | undefined;
  /** Returns the branch of a folder of an agent below the lead. */
  readonly branchOf: (cwd: string) => ReturnType<typeof gitBranch>;
  /** The folder of the documentation. */
  readonly docs: string | undefined;
}

/** This machine. */
export const systemHost = (): SessionHost => ({
  clock: systemClock,
  createId: createIdFactory(systemClock),
  builtinTools,
  loadConfig,
  loadFiles,
  openTeamStore,
  createModel,
  openPanes: (options) => createTmuxBackend({ ...options, program: ownExecutable() }),
  worktrees: gitWorktrees,
});

async function loadFiles(config: Config): Promise<StartFiles> {
  const git = gitState(config.cwd, config.childEnv);
  const definitions = await loadAgentDefinitions(config);
  return {
    definitions,
    instructions: createInstructionFiles(config),
    commands: openCommandCatalog(config),
    docs: docsFolder(),
    git: await git,
    branchOf: (cwd) => gitBranch(cwd, config.childEnv),
  };
}
