import { mkdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, type Config } from "../../src/session/config/load-config.ts";
import type { AgentInstructions, InstructionFiles } from "../../src/session/instructions/instruction-files.ts";
import { type SessionHost, type StartFiles, systemHost } from "../../src/session/session-host.ts";
import type { MemoryProcess } from "../../src/store/index.ts";
import type { ModelClient } from "../../src/protocol/index.ts";
import type { Tool } from "../../src/tool/index.ts";
import type { Scenario } from "../scenario.ts";
import type { MemoryPanes } from "./memory-panes.ts";
import type { MemoryRepository } from "./memory-worktrees.ts";
import { withOwnAgents } from "./own-agents.ts";

/** The settings and files of an empty machine. They are read once and serve all runs. */
export interface EmptyMachine {
  readonly cwd: string;
  readonly config: Config;
  readonly files: StartFiles;
}

/**
 * Reads the settings of an empty folder with an empty home. Only permission checks look at the folder later. `agents`
 * is a file or folder with agent definitions.
 */
export async function loadEmptyMachine({
  agents,
}: {
  readonly agents?: string | undefined;
} = {}): Promise<EmptyMachine> {
  // Always the same folder: its path is in the conversations.
  const root = join(realpathSync(tmpdir()), "troupe-simulation");
  const cwd = join(root, "project");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(root, "home"), { recursive: true });
  // A look for a real sandbox takes real time, which stops the virtual clock.
  const env = { HOME: join(root, "home"), PATH: process.env["PATH"], TROUPE_SANDBOX: "off" };
  const config = await loadConfig({ cwd, env, flags: {}, trust: "all" });
  const files = await systemHost().loadFiles(config);
  const definitions = agents === undefined ? files.definitions : await withOwnAgents(files.definitions, agents);
  return { cwd, config, files: { ...files, definitions } };
}

export interface MemoryHostOptions {
  readonly machine: EmptyMachine;
  readonly scenario: Scenario;
  readonly tools: readonly Tool[];
  readonly model: ModelClient;
  readonly panes: Pick<MemoryPanes, "open">;
  readonly repository: Pick<MemoryRepository, "open">;
}

/** The host of one simulated process. */
export function createMemoryHost(
  process: MemoryProcess,
  { machine, scenario, tools, model, panes, repository }: MemoryHostOptions,
): SessionHost {
  return {
    clock: process.clock,
    createId: process.createId,
    builtinTools: () => tools,
    loadConfig: async ({ flags, cwd }) => ({
      ...machine.config,
      cwd,
      permissionMode: flags?.permissionMode ?? scenario.leadMode,
      maxTurns: flags?.maxTurns,
      maxBudgetUsd: scenario.maxBudgetUsd,
      subagentModel: undefined,
      models: { ...machine.config.models, ...prices },
      teams: { backend: scenario.backend, enabled: true },
    }),
    loadFiles: async () => ({ ...machine.files, instructions: noInstructions }),
    openTeamStore: () => process.teams,
    createModel: async () => model,
    openPanes: async () => panes.open(process),
    worktrees: repository.open(process.clock),
    memory: { sessions: process.sessions, ownTasks: async () => process.openTaskList("own-tasks") },
  };
}

const nothing = { files: [], notices: [] };
const agentInstructions: AgentInstructions = {
  enter: () => nothing,
  told: () => [],
  forget: () => undefined,
  copy: () => agentInstructions,
};
/** No look at real folders: it would only cost time. */
const noInstructions: InstructionFiles = { initial: () => nothing, forAgent: () => agentInstructions };

const prices: Config["models"] = { "local/simulated": { price: { input: 100, output: 500 } } };
