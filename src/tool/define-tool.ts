import type * as z from "zod";
import type { ProcessScope } from "../platform/index.ts";
import type {
  AgentId,
  AgentPath,
  CallId,
  CommandPlace,
  ContentPart,
  KnownFile,
  PermissionMode,
  ChangePatch,
  Surroundings,
  ToolDisplay,
} from "../protocol/index.ts";
import type { BackgroundJobs } from "./background-jobs.ts";
import type { CommandSandbox } from "./sandbox/command-sandbox.ts";
import type { ToolNames } from "./tool-names.ts";
import type { FileTracker } from "./files/file-tracker.ts";

/**
 * A tool: one file, one object. `read` tools run in parallel. `write` and `run` tools run one after another, in the
 * order of the model's calls.
 */
export interface Tool<I = unknown> {
  readonly name: string;
  /** For the model: what it does, when to use it, what it cannot do. Never changes while an agent runs. */
  readonly description: string;
  readonly input: z.ZodType<I>;
  /** JSON Schema for the model, when `input` cannot be converted to one (a tool of an MCP server). */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** The texts for an agent with these tools: they name no other tool. Without it they are the same for all agents. */
  readonly wordsFor?: (tools: ToolNames) => ToolWords;
  readonly access: "read" | "write" | "run";
  /** Maximum number of characters of text in a result before it is cut. Default: 30,000. */
  readonly resultLimit?: number;
  /**
   * True if its calls only wait for other agents, whose number has its own limit. They do not count towards the
   * parallel reads of a turn.
   */
  readonly onlyWaits?: boolean;
  /** The object that permission rules are matched against. */
  subject(input: I): PermissionSubject;
  /** The text for the model when the user allows the call and adds words. */
  noteText?(note: string): string;
  /** One line for people: `Read src/a.ts`, `$ npm test`. */
  title(input: I): string;
  /**
   * Returns why this agent may not make this call, as a text for the model. Rules cannot override it. `input` has been
   * parsed.
   */
  refuse?(input: unknown, place: Pick<ToolContext, "cwd" | "roots" | "env">): string | undefined;
  /**
   * Returns why a call with this input cannot lead to anything, as a text for the model. It then fails without a
   * question to the user. `input` has been parsed.
   */
  futile?(input: unknown): string | undefined;
  /**
   * Returns the text around the change, or the whole change as a unified diff, for the user who is asked about the
   * call. `input` has been parsed.
   */
  around?(
    input: unknown,
    place: Pick<ToolContext, "cwd" | "env" | "files" | "judgedPath">,
  ): Promise<Surroundings | ChangePatch | undefined>;
  /**
   * Returns expected failures with `failed`; they tell the model what to do next. A thrown error also becomes a failed
   * result. Must settle soon after `context.signal` aborts and leave no process behind.
   */
  execute(input: I, context: ToolContext): Promise<ToolResult>;
}

export interface ToolWords {
  readonly description: string;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
}

/** `own` touches only this session's own state and is never asked about. `none` is decided by `access` alone. */
export type PermissionSubject =
  | { readonly kind: "none" }
  | { readonly kind: "own" }
  | { readonly kind: "path"; readonly path: string; readonly change: boolean }
  | {
      readonly kind: "command";
      readonly command: string;
      /** The call asks to run without the sandbox, if there is one. */
      readonly outsideSandbox?: boolean | undefined;
    }
  | { readonly kind: "url"; readonly url: string }
  /** An object known only by its name: `Skill(review)`. */
  | { readonly kind: "name"; readonly name: string }
  /** A tool of a server. `changed`: it differs from the tool that was allowed before, so no rule applies to it. */
  | { readonly kind: "mcp"; readonly server: string; readonly tool: string; readonly changed: boolean };

export interface ToolResult {
  readonly outcome: "ok" | "failed";
  readonly content: readonly ContentPart[];
  readonly display?: ToolDisplay;
  /** The file with the full result, if the tool itself has cut `content`. */
  readonly savedTo?: string;
  /** The files that the agent knows from this call on. It may change them while they have this digest. */
  readonly files?: readonly KnownFile[];
}

/** Where a call runs, and with what. */
export interface CommandContext {
  /** The agent's working directory. It never changes: relative paths and commands start here. */
  readonly cwd: string;
  /** The folders that the agent may work in: its start folder and the added ones. */
  readonly roots: readonly string[];
  /**
   * The real path that this call may touch, if its subject is a path. Only this path may be opened. If undefined: the
   * real path of the call's path now.
   */
  readonly judgedPath?: string | undefined;
  /** Environment for child processes: the user's environment without variables that must not leak. */
  readonly env: Readonly<Record<string, string>>;
  /** Default time limit of a command. */
  readonly commandTimeoutMs?: number | undefined;
  /** The sandbox for commands, if there is one, and where a command of this call runs. Default: inside the sandbox. */
  readonly walls?:
    | { readonly sandbox: CommandSandbox | undefined; readonly place: CommandPlace | undefined }
    | undefined;
  /** All child processes are started here, so that the session can end the remaining ones. */
  readonly processes: ProcessScope;
}

/** Everything that a tool may touch. The acting agent is an argument here, not a global. */
export interface ToolContext extends CommandContext {
  readonly agent: {
    readonly id: AgentId;
    readonly path: AgentPath;
    /** The names of its tools: a result names no other tool. */
    readonly tools?: ToolNames | undefined;
    /** True if a rule denies reading this file (real and absolute). Searches leave it out. */
    readonly isDenied?: ((path: string) => boolean) | undefined;
  };
  readonly callId: CallId;
  readonly signal: AbortSignal;
  readonly files: FileTracker;
  readonly background: BackgroundJobs;
  /** Secrets to redact from all output, whatever their form. */
  readonly secrets?: readonly string[] | undefined;
  /** The skills this agent can load. */
  readonly skills?: SkillSource | undefined;
  /** Lets the agent leave plan mode; undefined if it has no plan mode to leave. */
  readonly plan?: PlanControl | undefined;
  /**
   * Returns a path for output that is too large for a result. The folder exists, is private, and `Read` may read it.
   */
  outputFile(name: string): Promise<string>;
  /** Shows a piece of output live; it is never stored. */
  progress(text: string): void;
}

export interface SkillSource {
  /** Names of the skills that a model may load. */
  names(): readonly string[];
  load(name: string, args: string): Promise<LoadedSkill | { readonly problem: string }>;
}

export interface LoadedSkill {
  readonly name: string;
  readonly body: string;
  /** The skill's folder; its relative paths start here. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly moreFiles: number;
}

export interface PlanControl {
  readonly isPlanning: boolean;
  /** Recorded before it takes effect. Returns the new permission mode of the agent, and who approved the plan. */
  leave(): Promise<{ readonly mode: PermissionMode; readonly approvedBy: "user" | "lead" | undefined }>;
}

/** A tool that may leave out what has a default. */
export type ToolDefinition<I = unknown> = Omit<Tool<I>, keyof DefaultedFields<I>> & Partial<DefaultedFields<I>>;

type DefaultedFields<I> = Pick<Tool<I>, "description" | "access" | "subject" | "title">;

/**
 * Returns the tool with the defaults of what it leaves out: its name as `description` and `title`, `read` as `access`, and
 * `none` as `subject`. A tool that changes something must set `access`, so that permissions apply to it.
 */
export function defineTool<I>(tool: ToolDefinition<I>): Tool<I> {
  if (isComplete(tool)) return tool;
  const { name } = tool;
  return { description: name, access: "read", subject: () => ({ kind: "none" }), title: () => name, ...tool };
}

const isComplete = <I>(tool: ToolDefinition<I>): tool is Tool<I> =>
  [tool.description, tool.access, tool.subject, tool.title].every((field) => field !== undefined);

export const textResult = (text: string, display?: ToolDisplay): ToolResult => ({
  outcome: "ok",
  content: [{ type: "text", text }],
  ...(display && { display }),
});

export const failedResult = (text: string, display?: ToolDisplay): ToolResult => ({
  outcome: "failed",
  content: [{ type: "text", text }],
  ...(display && { display }),
});
