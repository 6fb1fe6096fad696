import { createIdFactory, systemClock } from "../../platform/index.ts";
import type { ModelClient, PermissionMode } from "../../protocol/index.ts";
import { createMemorySessionStore } from "../../store/index.ts";
import type { Tool } from "../../tool/index.ts";
import { type LibrarySession, toLibrarySession } from "./library-session.ts";
import type { PermissionAsker } from "../session-dependencies.ts";
import { startSession } from "../start-session.ts";
import type { FolderTrust } from "../trust/withheld-settings.ts";

export interface CreateSessionOptions {
  /** Where the agent works. */
  readonly cwd?: string | undefined;
  /** As on the command line, or a client of your own (`troupe/testing` has a scripted one). */
  readonly model?: string | ModelClient | undefined;
  /** On top of the built-in tools; one of the same name takes its place. */
  readonly tools?: readonly Tool[] | undefined;
  /** Keep the session in memory only. */
  readonly memory?: boolean | undefined;
  /** Go on with this session, or with the newest of `cwd`: `latest`. */
  readonly resume?: string | undefined;
  /** Whether what `cwd` itself brings along (hooks, servers, rules that allow, …) may act; by default as the user has decided. */
  readonly trust?: FolderTrust | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  /** Answers questions for permission; without it they are answered by `permission.reply`, or `"nobody"` is there. */
  readonly onPermission?: PermissionAsker | undefined;
  readonly addDirectories?: readonly string[] | undefined;
  /** MCP servers by their names, in the form of `.mcp.json`, on top of what the settings name. */
  readonly mcpServers?: Readonly<Record<string, object>> | undefined;
  readonly appendSystemPrompt?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly thinkingTokens?: number | undefined;
  /** An agent that is started without a type is a fork of the one that starts it. */
  readonly forks?: boolean | undefined;
  /** The lead plans and hands out, and workers do the work; without it a session that is resumed goes on as it was. */
  readonly coordinator?: boolean | undefined;
  /** Lead this team; it is made if it is not there. Not together with `memory`. */
  readonly team?: string | undefined;
  /** Whose transcripts `view()` holds: everybody's unless told otherwise. What is not held is in the logs. */
  readonly keep?: "all" | "lead" | "none" | undefined;
  /** Have a dashboard in another process look on, and give commands; without it none can. Not together with `memory`. */
  readonly observable?: boolean | undefined;
  /** Keys, base URLs, TROUPE_HOME: everything that is read from the environment. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Starts or resumes a session from code. It is the same session that the command line drives. */
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
