import * as z from "zod";
import { parseMarkdown } from "../../platform/index.ts";
import type { AgentDefinition, AgentFrontmatter, AgentSource } from "../../protocol/index.ts";
import { agentFields, type CheckHooks, allFields, fieldMessage, plain, dropInvalidFields } from "./agent-fields.ts";
import type { AgentProblem } from "./agent-problem.ts";

export interface ParsedAgent {
  /** Undefined if an error makes it unusable. */
  readonly definition: AgentDefinition | undefined;
  /** The valid fields of an unusable definition, so that they can still be checked. */
  readonly rest?: AgentDefinition | undefined;
  readonly problems: readonly AgentProblem[];
  /** The line of each field, if the source has lines. */
  readonly lines: ReadonlyMap<string, number>;
}

export interface ParseOptions {
  readonly source: AgentSource;
  readonly checkHooks?: CheckHooks | undefined;
}

/** Parses a definition from a Markdown file: the frontmatter holds the fields, the body is the system prompt. */
export async function parseAgent(text: string, { source, checkHooks }: ParseOptions): Promise<ParsedAgent> {
  const failed = (problems: readonly Omit<AgentProblem, "from" | "severity">[]): ParsedAgent => ({
    definition: undefined,
    problems: problems.map((problem) => ({ severity: "error", from: source.from, ...problem })),
    lines: new Map(),
  });
  if (!/^\uFEFF?---[ \t]*\r?\n/.test(text)) {
    return failed([
      {
        line: 1,
        message: "the frontmatter is missing: begin the file with name and description between two lines of ---",
      },
    ]);
  }
  const reading = await parseMarkdown<AgentFrontmatter>(text, agentFields(checkHooks));
  const raw = reading.ok ? reading : await parseMarkdown(text, z.unknown());
  if (!raw.ok) return failed(raw.problems);
  const prompt = raw.file.body.trim();
  const errors = [
    ...(reading.ok ? [] : reading.problems).map(({ line, field, message }) => ({
      line,
      field,
      message: fieldMessage(field, message),
    })),
    ...(prompt === "" ? [{ line: text.split("\n").length, message: noPrompt }] : []),
  ];
  const placed = await parseMarkdown(text, allFields());
  const fields = placed.ok ? [] : placed.problems;
  const warnings = fields
    .filter(({ message }) => message !== plain)
    .map((field): AgentProblem => ({ severity: "warning", from: source.from, ...field }));
  const lines = new Map(fields.map(({ field, line }) => [field ?? "", line]));
  if (reading.ok && errors.length === 0) {
    return { definition: { ...reading.file.fields, prompt, source }, problems: warnings, lines };
  }
  const rest = { name: "unnamed", description: "", ...dropInvalidFields(raw.file.fields), prompt, source };
  const { problems } = failed(errors);
  return { definition: undefined, rest, problems: [...problems, ...warnings], lines };
}

const noPrompt = "the system prompt is missing: write it after the frontmatter";

/** Like `parseAgent`, but from an object of `--agents`: the key is the name, and `prompt` is one of the fields. */
export function parseAgentObject(name: string, value: unknown, { source, checkHooks }: ParseOptions): ParsedAgent {
  const from = source.from;
  const problem = (severity: AgentProblem["severity"], issue: z.core.$ZodIssue): AgentProblem => {
    const field = z.core.toDotPath(issue.path);
    return {
      severity,
      from,
      field: field === "" ? name : `${name}.${field}`,
      message: fieldMessage(field, issue.message),
    };
  };
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const fields = agentFields(checkHooks).safeParse(isObject ? { ...value, name } : value);
  const prompt = z.object({ prompt: z.string().trim().min(1, "is empty") }).safeParse(value);
  if (!fields.success || !prompt.success) {
    const issues = [...(fields.error?.issues ?? []), ...(isObject ? (prompt.error?.issues ?? []) : [])];
    return { definition: undefined, problems: issues.map((issue) => problem("error", issue)), lines: new Map() };
  }
  const doubts = allFields(["prompt"]).safeParse(value).error?.issues ?? [];
  return {
    definition: { ...fields.data, prompt: prompt.data.prompt, source },
    problems: doubts.filter(({ message }) => message !== plain).map((issue) => problem("warning", issue)),
    lines: new Map(),
  };
}
