import { createIdFactory, systemClock } from "../../platform/index.ts";
import type { ModelClient, PermissionMode } from "../../protocol/index.ts";
import { createMemorySessionStore } from "../../store/index.ts";
import type { Tool } from "../../tool/index.ts";
import { type LibrarySession, toLibrarySession } from "./library-session.ts";
import type { PermissionAsker } from "../session-context.ts";
import { startSession } from "../start-session.ts";
import type { FolderTrust } from "../trust/withheld-settings.ts";

export interface CreateSessionOptions {
  /** The working directory of the lead. */
  readonly cwd?: string | undefined;
  /** A model name as on the command line, or your own client. `troupe/testing` has a scripted one. */
  readonly model?: string | ModelClient | undefined;
  /** Additional tools. A tool with the name of a built-in tool replaces it. */
  readonly tools?: readonly Tool[] | undefined;
  /** Keep the session in memory only. */
  readonly memory?: boolean | undefined;
  /** The id of the session to resume, or `latest` for the most recent session of `cwd`. */
  readonly resume?: string | undefined;
  /**
   * Trust for the hooks, servers, allow rules and similar settings in `cwd`. The default is the user's stored decision.
   */
  readonly trust?: FolderTrust | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  /** Answers permission questions. Without it, `permission.reply` answers them. `"nobody"` denies them all. */
  readonly onPermission?: PermissionAsker | undefined;
  readonly addDirectories?: readonly string[] | undefined;
  /** MCP servers by name, in the format of `.mcp.json`, in addition to those of the settings. */
  readonly mcpServers?: Readonly<Record<string, object>> | undefined;
  readonly appendSystemPrompt?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly thinkingTokens?: number | undefined;
  /** Start a fork of the caller when the Agent tool is called without a type. */
  readonly forks?: boolean | undefined;
  /** The lead only plans and delegates to workers. When omitted, a resumed session keeps its previous setting. */
  readonly coordinator?: boolean | undefined;
  /** The team to lead, created if it does not exist. Cannot be combined with `memory`. */
  readonly team?: string | undefined;
  /** The agents whose transcripts `view()` holds. The default is all. The logs have the rest. */
  readonly keep?: "all" | "lead" | "none" | undefined;
  /**
   * Lets a dashboard in another process follow and command the session. The default is false. Cannot be combined with
   * `memory`.
   */
  readonly observable?: boolean | undefined;
  /** The environment to read: keys, base URLs, TROUPE_HOME and all other variables. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Starts or resumes a session from code. It is the same session that the command line uses. */
export async function createSession(
  options: CreateSessionOptions & Required<Pick<CreateSessionOptions, "cwd" | "env">>,
): Promise<LibrarySession> {
  const { model } = options;
  const session = await startSession({
    cwd: options.cwd ?? "",
    env: options.env ?? {},
    flags: {
      model: typeof model === "string" ? model : undefined,
      permissionMode: options.permissionMode,
      allowedTools: options.allowedTools,
      disallowedTools: options.disallowedTools,
      addDir: options.addDirectories,
      mcpConfig: options.mcpServers && [JSON.stringify({ mcpServers: options.mcpServers })],
      appendSystemPrompt: options.appendSystemPrompt,
      maxTurns: options.maxTurns,
      maxBudgetUsd: options.maxBudgetUsd,
      maxTokens: options.maxTokens,
      thinkingTokens: options.thinkingTokens,
      forks: options.forks,
      team: options.team,
      coordinator: options.coordinator,
    },
    resume: options.resume,
    keep: options.keep,
    isObservable: options.observable ?? false,
    trust: options.trust,
    asker: options.onPermission ?? "reply",
    model: typeof model === "object" ? model : undefined,
    tools: options.tools,
    store: options.memory
      ? createMemorySessionStore({ clock: systemClock, createId: createIdFactory(systemClock) })
      : undefined,
  });
  return toLibrarySession(session);
}
