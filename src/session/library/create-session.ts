import { createIdFactory, systemClock } from "../../platform/index.ts";
import type * as z from "zod";
import {
  LibraryOptions,
  type ModelClient,
  pickOptions,
  type SessionOptions,
  type Settings,
  TroupeError,
} from "../../protocol/index.ts";
import { createMemorySessionStore } from "../../store/index.ts";
import { defineTool, type Tool, type ToolDefinition } from "../../tool/index.ts";
import type { FunctionHooks } from "../hooks/function-hooks.ts";
import { checkOptions } from "./check-options.ts";
import { type LibrarySession, toLibrarySession } from "./library-session.ts";
import { withOptionWords } from "./option-words.ts";
import { createStructuredOutput } from "./structured-output.ts";
import type { PermissionAsker } from "../session-context.ts";
import { startSession } from "../start-session.ts";
import type { FolderTrust } from "../trust/withheld-settings.ts";

/** The options that otherwise come from files. */
export interface CodeOptions<Output> {
  /** Agent types by name, with the fields of a definition and `prompt`. They replace those of files. */
  readonly agents?: Readonly<Record<string, AgentFields>> | undefined;
  /** Hooks in code, in addition to those of the settings. Teammates then run in this process. */
  readonly hooks?: FunctionHooks | undefined;
  /** Replaces Troupe's own text for the lead. Instructions, skills and facts about the folder are still added. */
  readonly systemPrompt?: string | undefined;
  /** Settings that win over all files but those of the administrator. */
  readonly settings?: Settings | undefined;
  /** The setting `sandbox`, or only its `mode`. */
  readonly sandbox?: NonNullable<Settings["sandbox"]> | "off" | "auto" | "required" | undefined;
  /** The form of `output` in the replies. The lead returns it with a tool. */
  readonly outputSchema?: z.ZodType<Output> | undefined;
}

/** The options of a session in code. `team` cannot be combined with `memory`. */
export interface CreateSessionOptions<Output = unknown> extends LibraryOptions, CodeOptions<Output> {
  /** The working directory of the lead. */
  readonly cwd?: string | undefined;
  /** A model name as on the command line, or your own client. `troupe/testing` has a scripted one. */
  readonly model?: string | ModelClient | undefined;
  /** Additional tools. A tool with the name of a built-in tool replaces it. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Keep the session in memory only. */
  readonly memory?: boolean | undefined;
  /** The id of the session to resume, or `latest` for the most recent session of `cwd`. */
  readonly resume?: string | undefined;
  /**
   * Trust for the hooks, servers, allow rules and similar settings in `cwd`. The default is the user's stored decision.
   */
  readonly trust?: FolderTrust | undefined;
  /** Answers permission questions. Without it, `permission.reply` answers them. `"nobody"` denies them all. */
  readonly onPermission?: PermissionAsker | undefined;
  readonly addDirectories?: readonly string[] | undefined;
  /** MCP servers by name, in the format of `.mcp.json`, in addition to those of the settings. */
  readonly mcpServers?: Readonly<Record<string, object>> | undefined;
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

/** An agent type, as in a definition file. `docs/reference/agent-definition.md` lists the other fields. */
export interface AgentFields {
  readonly description: string;
  readonly prompt: string;
  readonly [field: string]: unknown;
}

/** Starts or resumes a session from code. It is the same session that the command line uses. */
export async function createSession<Output = unknown>(
  options: CreateSessionOptions<Output> & Required<Pick<CreateSessionOptions, "cwd" | "env">>,
): Promise<LibrarySession<Output>> {
  await checkOptions(options);
  const { model, outputSchema } = options;
  const output = outputSchema && createStructuredOutput(outputSchema);
  const session = await withOptionWords(
    startSession({
      cwd: options.cwd ?? "",
      env: options.env ?? {},
      flags: flagsOf(options, output?.instruction),
      resume: options.resume,
      keep: options.keep,
      isObservable: options.observable ?? false,
      trust: options.trust,
      asker: options.onPermission ?? "reply",
      model: typeof model === "object" ? model : undefined,
      tools: [...(options.tools ?? []).map((tool) => defineTool(tool)), ...(output ? [output.tool as Tool] : [])],
      hooks: options.hooks,
      systemPrompt: options.systemPrompt,
      store: options.memory
        ? createMemorySessionStore({ clock: systemClock, createId: createIdFactory(systemClock) })
        : undefined,
    }),
  );
  return toLibrarySession(session, { clock: systemClock, output });
}

function flagsOf<Output>(options: CreateSessionOptions<Output>, instruction: string | undefined): SessionOptions {
  const { model, appendSystemPrompt, agents, mcpServers } = options;
  const settings = settingsOf(options);
  const append = [appendSystemPrompt, instruction].filter((text) => text !== undefined);
  return {
    ...pickOptions(LibraryOptions, options),
    model: typeof model === "string" ? model : undefined,
    addDir: options.addDirectories,
    appendSystemPrompt: append.length === 0 ? undefined : append.join("\n\n"),
    agents: agents && JSON.stringify(agents),
    settings: settings && JSON.stringify(settings),
    mcpConfig: mcpServers && [JSON.stringify({ mcpServers })],
  };
}

/** The settings of the program. Hooks in code need members in this process, because no other process can call them. */
function settingsOf<Output>({ settings, sandbox, hooks }: CreateSessionOptions<Output>): Settings | undefined {
  if (!settings && !sandbox && !hooks) return undefined;
  const backend = settings?.teams?.backend;
  if (hooks && backend !== undefined && backend !== "in-process")
    throw new TroupeError(
      "usage",
      `cannot create the session: hooks in code cannot be combined with settings.teams.backend: ${JSON.stringify(backend)}`,
    );
  return {
    ...settings,
    ...(sandbox && { sandbox: typeof sandbox === "string" ? { ...settings?.sandbox, mode: sandbox } : sandbox }),
    ...(hooks && { teams: { ...settings?.teams, backend: "in-process" as const } }),
  };
}
