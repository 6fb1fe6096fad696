import * as z from "zod";
import { TroupeError } from "./error.ts";
import { Effort } from "./model.ts";
import { PermissionMode } from "./permission.ts";

const count = z.number().int().positive();
const texts = z.array(z.string());

/**
 * The options of a session. The flags of the command line, the options of the library and the flags of teammates are
 * picked from here.
 */
export const SessionOptions = z
  .object({
    model: z.string(),
    permissionMode: PermissionMode,
    allowedTools: texts,
    disallowedTools: texts,
    addDir: texts,
    appendSystemPrompt: z.string(),
    /** A path or JSON. */
    settings: z.string(),
    /** Additional agent definitions: JSON or a path. */
    agents: z.string(),
    /** Paths or JSON. */
    mcpConfig: texts,
    /** Use only the servers of `mcpConfig`. */
    strictMcpConfig: z.boolean(),
    maxTurns: count,
    maxBudgetUsd: z.number().positive(),
    maxTokens: count,
    /** How much models think. When omitted, a resumed session keeps its effort. */
    effort: Effort,
    thinkingTokens: count,
    /** Start a fork of the caller when the Agent tool is called without a type. */
    forks: z.boolean(),
    /** The team to lead, created if it does not exist. */
    team: z.string(),
    /** The URLs of the bus that carries the teams, instead of files on this machine. */
    bus: z.string(),
    /** The program whose team files are used: `troupe` or `claude`. */
    teamStore: z.string(),
    /**
     * The lead delegates all work. When omitted, a resumed session keeps its setting, and a new one uses the
     * environment.
     */
    coordinator: z.boolean(),
    /** The file to record the run to. */
    record: z.string(),
  })
  .partial();
export type SessionOptions = ReadonlyFields<z.infer<typeof SessionOptions>>;

type ReadonlyFields<T> = {
  readonly [K in keyof T]: T[K] extends string[] | undefined ? readonly string[] | undefined : T[K];
};

/** The options that have the same name in the library. */
export const LibraryOptions = SessionOptions.pick({
  permissionMode: true,
  allowedTools: true,
  disallowedTools: true,
  appendSystemPrompt: true,
  maxTurns: true,
  maxBudgetUsd: true,
  maxTokens: true,
  effort: true,
  thinkingTokens: true,
  forks: true,
  coordinator: true,
  team: true,
});
export type LibraryOptions = Pick<SessionOptions, keyof typeof LibraryOptions.shape>;

/** The options of a lead that also apply to its teammates. */
export const TeammateOptions = SessionOptions.pick({
  settings: true,
  allowedTools: true,
  disallowedTools: true,
  addDir: true,
  mcpConfig: true,
  strictMcpConfig: true,
  agents: true,
  appendSystemPrompt: true,
  effort: true,
  thinkingTokens: true,
  maxTurns: true,
  maxBudgetUsd: true,
  maxTokens: true,
});

/** Returns the options of the schema that are set. Throws a usage error for a wrong value. */
export function pickOptions<S extends z.ZodObject>(schema: S, options: object): z.infer<S> {
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  const picked = schema.safeParse(Object.fromEntries(set));
  if (picked.success) return picked.data;
  const problems = picked.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new TroupeError("usage", `invalid session options: ${problems.join("; ")}`);
}
