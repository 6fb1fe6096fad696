import type { Clock } from "../../platform/index.ts";
import type { Ack, ContentPart, LiveEvent } from "../../protocol/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { Config } from "../config/load-config.ts";
import type { ElicitPorts } from "./elicitation.ts";
import type { SlashCommand } from "../slash-commands/slash-commands.ts";

/** The MCP servers of one session. They start in the background, before the session exists. */
export interface SessionMcp {
  /** The currently available tools. */
  tools(): readonly Tool[];
  /** The prompts of servers, as slash commands. */
  commands(): readonly SlashCommand[];
  /**
   * Call it before a prompt is read. A prompt that uses a server's command waits for the servers, like the first turn.
   */
  beforePrompt(content: string | readonly ContentPart[]): Promise<void>;
  /** Connects the session. It receives earlier and later events of the servers. */
  attach(ports: McpPorts): void;
  /** Call it before each turn. The first call waits for servers that are still starting, up to a limit. */
  ready(signal: AbortSignal): Promise<void>;
  /** Returns the stored system prompt, refreshed with `refresh`. */
  system(stored: readonly string[], refresh: (stored: readonly string[]) => readonly string[]): readonly string[];
  /** The state of each server by name. */
  states(): ReadonlyMap<string, Extract<LiveEvent, { type: "mcp.changed" }>["state"]>;
  reconnect(server: string): Ack;
  /** Stops all servers. Rejects if an event could not be recorded in the session. */
  close(): Promise<void>;
}

export interface McpPorts extends ElicitPorts {
  readonly live: (event: LiveEvent) => void;
  /** The current system prompt. */
  readonly system: () => readonly string[];
  readonly turn: () => number;
  readonly outputFile: (name: string) => Promise<string>;
  /** The system prompt's text about the servers. The default is the servers' own instructions. */
  readonly describe?: (() => string) | undefined;
}

export interface StartSessionMcpOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** How long the first turn waits for servers. The settings override it. */
  readonly waitMs: number;
}

/**
 * Returns undefined, and loads no MCP code, if no servers are configured. Rejects when a required server is not
 * available.
 */
export async function startSessionMcp(options: StartSessionMcpOptions): Promise<SessionMcp | undefined> {
  if (options.config.mcpServers.length === 0) return undefined;
  const { openMcpServers: openMcp } = await import("./open-servers.ts");
  return openMcp(options);
}
