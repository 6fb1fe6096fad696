import type { OutputFormat } from "../../headless/index.ts";
import type { PermissionMode } from "../../protocol/index.ts";

/** The flags of a run, as parsed from the command line. */
export interface RunFlags {
  readonly print?: boolean;
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly outputFormat: OutputFormat;
  readonly inputFormat: "text" | "stream-json";
  readonly continue?: boolean;
  readonly resume?: string;
  readonly allowedTools?: string[];
  readonly disallowedTools?: string[];
  readonly addDir?: string[];
  readonly appendSystemPrompt?: string;
  readonly settings?: string;
  readonly agents?: string;
  readonly mcpConfig?: string[];
  readonly strictMcpConfig?: boolean;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly maxTokens?: number;
  readonly thinkingTokens?: number;
  readonly promptFile?: string;
  readonly forks?: boolean;
  readonly team?: string;
  /** The bus that carries the teams, instead of files on this machine. */
  readonly bus?: string;
  /** The program whose team files are used. */
  readonly teamStore?: string;
  /** Its name in a team that an external program leads. */
  readonly as?: string;
  readonly coordinator?: boolean;
  readonly record?: string;
  readonly verbose?: boolean;
  readonly trust?: boolean;
  /** The port of the dashboard. 0 means any free port. */
  readonly web?: number;
}
