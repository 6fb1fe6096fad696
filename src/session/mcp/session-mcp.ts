import type { Clock } from "../../platform/index.ts";
import type { Ack, ContentPart, LiveEvent } from "../../protocol/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { Config } from "../config/load-config.ts";
import type { ElicitPorts } from "./elicitation.ts";
import type { SlashCommand } from "../slash-commands/slash-commands.ts";

/** The servers of tools of one session. They start in the background, before there is anything to tell it to. */
export interface SessionMcp {
  /** The tools there are now. */
  tools(): readonly Tool[];
  /** The prompts of servers, as slash commands. */
  commands(): readonly SlashCommand[];
  /** Before a prompt is read: one that calls a server's command waits for the servers, as the first turn does. */
  beforePrompt(content: string | readonly ContentPart[]): Promise<void>;
  /** The session is there: what happens is told to it from here on, and what happened before. */
  attach(ports: McpPorts): void;
  /** Before each turn. The first time it waits for servers that are still starting, within bounds. */
  ready(signal: AbortSignal): Promise<void>;
  /** The system prompt to go on with, given how to refresh the one that was stored. */
  system(stored: readonly string[], refresh: (stored: readonly string[]) => readonly string[]): readonly string[];
  /** Where each server stands, by its name. */
  states(): ReadonlyMap<string, Extract<LiveEvent, { type: "mcp.changed" }>["state"]>;
  reconnect(server: string): Ack;
  /** Ends every server. Rejects with what kept it from telling the session something. */
  close(): Promise<void>;
}

export interface McpPorts extends ElicitPorts {
  readonly live: (event: LiveEvent) => void;
  /** The system prompt in force. */
  readonly system: () => readonly string[];
  readonly turn: () => number;
  readonly outputFile: (name: string) => Promise<string>;
  /** What the system prompt says of the servers; without it what they say about their own tools. */
  readonly describe?: (() => string) | undefined;
}

export interface StartSessionMcpOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** How long the first request waits for servers, unless the settings say otherwise. */
  readonly waitMs: number;
}

/** Undefined where there are none: nothing of this is loaded then. Rejects when a required server cannot be had. */
export async function startSessionMcp(options: StartSessionMcpOptions): Promise<SessionMcp | undefined> {
  if (options.config.mcpServers.length === 0) return undefined;
  const { openMcpServers: openMcp } = await import("./open-servers.ts");
  return openMcp(options);
}
