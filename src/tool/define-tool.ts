import type * as z from "zod";
import type { ProcessScope } from "../platform/index.ts";
import type {
  AgentId,
  AgentPath,
  CallId,
  ContentPart,
  PermissionMode,
  Surroundings,
  ToolDisplay,
} from "../protocol/index.ts";
import type { BackgroundJobs } from "./background-jobs.ts";
import type { CommandSandbox } from "./sandbox/command-sandbox.ts";
import type { FileTracker } from "./files/file-tracker.ts";

/**
 * A tool: one file, one object. `read` tools run side by side, `write` and `run` tools one after another in the order the
 * model gave them.
 */
export interface Tool<I = unknown> {
  readonly name: string;
  /** For the model: what it does, when to use it, what it cannot do. Never changes while an agent lives. */
  readonly description: string;
  readonly input: z.ZodType<I>;
  /** JSON Schema for the model, where `input` cannot be turned into one (a tool of an MCP server). */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly access: "read" | "write" | "run";
  /** How many characters of text a result may have before it is cut; 30,000 where it is not given. */
  readonly resultLimit?: number;
  /** Its calls only wait for others at work, whose number is bounded elsewhere: they do not count among the reads of one answer. */
  readonly onlyWaits?: boolean;
  /** What permission rules are matched against. */
  subject(input: I): PermissionSubject;
  /** One line for people: `Read src/a.ts`, `$ npm test`. */
  title(input: I): string;
  /** Why this agent may not make this call, for the model to read, whatever the rules say. `input` has been parsed. */
  refuse?(input: unknown, place: Pick<ToolContext, "cwd" | "roots" | "env">): string | undefined;
  /** What stands around what it would change, for whoever is asked about the call. `input` has been parsed. */
  around?(
    input: unknown,
    place: Pick<ToolContext, "cwd" | "env" | "files" | "judgedPath">,
  ): Promise<Surroundings | undefined>;
  /**
   * Expected failures are returned with `failed`, and tell the model what to do next. Whatever is thrown becomes a failed
   * result too. Must settle soon after `context.signal` aborts, leaving no process behind.
   */
  execute(input: I, context: ToolContext): Promise<ToolResult>;
}

/** `own` touches nothing but this session's own state and is never asked about; `none` is judged by `access` alone. */
export type PermissionSubject =
  | { readonly kind: "none" }
  | { readonly kind: "own" }
  | { readonly kind: "path"; readonly path: string; readonly change: boolean }
  | {
      readonly kind: "command";
      readonly command: string;
      /** The call asks to run without the sandbox, where there is one. */
      readonly outsideSandbox?: boolean | undefined;
    }
  | { readonly kind: "url"; readonly url: string }
  /** Something that has a name and nothing else to judge it by: `Skill(review)`. */
  | { readonly kind: "name"; readonly name: string }
  /** A tool of a server. `changed`: it is not what was allowed before, so that no rule speaks for it. */
  | { readonly kind: "mcp"; readonly server: string; readonly tool: string; readonly changed: boolean };

export interface ToolResult {
  readonly outcome: "ok" | "failed";
  readonly content: readonly ContentPart[];
  readonly display?: ToolDisplay;
  /** Where the whole result is, when the tool itself has cut `content`. */
  readonly savedTo?: string;
}

/** All that a tool may touch. Who acts is an argument here, not a global. */
export interface ToolContext {
  readonly agent: { readonly id: AgentId; readonly path: AgentPath };
  readonly callId: CallId;
  readonly signal: AbortSignal;
  /** The agent's working directory now; `Bash` moves it with `setCwd`. */
  readonly cwd: string;
  setCwd(path: string): void;
  /** The folders the agent may work in: where it was started, and the ones that were added. */
  readonly roots: readonly string[];
  /**
   * The real path that this call was allowed to touch, where its subject is a path: what is opened must be that and
   * nothing else. Without it, what the call's path leads to now.
   */
  readonly judgedPath?: string | undefined;
  /** For child processes: the user's environment without what must not leak. */
  readonly env: Readonly<Record<string, string>>;
  /** How long a command may take unless its call says otherwise. */
  readonly commandTimeoutMs?: number | undefined;
  /** Where commands run, if that is not the open machine. */
  readonly sandbox?: CommandSandbox | undefined;
  readonly files: FileTracker;
  readonly background: BackgroundJobs;
  /** What must not get into any output, whatever it looks like. */
  readonly secrets?: readonly string[] | undefined;
  /** The skills this agent can load. */
  readonly skills?: SkillSource | undefined;
  /** How this agent leaves plan mode; undefined where it has none to leave. */
  readonly plan?: PlanControl | undefined;
  /** Where every child process is started: what is left of them ends with the session. */
  readonly processes: ProcessScope;
  /** A path for output that is too large for a result. The folder exists, is private, and `Read` may read it. */
  outputFile(name: string): Promise<string>;
  /** A piece of output, shown live to whoever watches; never stored. */
  progress(text: string): void;
}

export interface SkillSource {
  /** Those that a model may load. */
  names(): readonly string[];
  load(name: string, args: string): Promise<LoadedSkill | { readonly problem: string }>;
}

export interface LoadedSkill {
  readonly name: string;
  readonly body: string;
  /** Where the skill is; what it refers to is relative to this. */
  readonly folder: string;
  readonly files: readonly string[];
  readonly moreFiles: number;
}

export interface PlanControl {
  readonly isPlanning: boolean;
  /** Recorded before it takes effect. Gives the mode the agent is in from now on. */
  leave(): Promise<PermissionMode>;
}

/** Ties the schema to the code that uses it. */
export const defineTool = <I>(tool: Tool<I>): Tool<I> => tool;

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
