import type * as z from "zod";

/** A Markdown file with frontmatter: fields between two lines of `---`. */
export interface MarkdownFile<T> {
  readonly fields: T;
  readonly body: string;
}

/** `line` counts from 1 in the whole file. */
export interface MarkdownProblem {
  readonly line: number;
  readonly field?: string;
  readonly message: string;
}

export type ParsedMarkdown<T> =
  | { readonly ok: true; readonly file: MarkdownFile<T> }
  | { readonly ok: false; readonly problems: readonly MarkdownProblem[] };

/**
 * Reads frontmatter as YAML. A line that is not valid YAML (`description: Use this: …`, `argument-hint: [a] [b]`) is
 * read as plain text. A file without frontmatter has no fields. The YAML parser is loaded with the first file that
 * needs it.
 */
export async function parseMarkdown<T>(text: string, schema: z.ZodType<T>): Promise<ParsedMarkdown<T>> {
  const split = splitMarkdown(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n"));
  if ("problem" in split) return { ok: false, problems: [split.problem] };
  const { frontmatter, body } = split;
  const parsed = frontmatter === undefined ? noFields : (await import("./parse-yaml.ts")).parseYaml(frontmatter);
  if ("problem" in parsed) return { ok: false, problems: [below(parsed.problem)] };

  const checked = schema.safeParse(parsed.value);
  if (checked.success) return { ok: true, file: { fields: checked.data, body } };
  const problems = checked.error.issues.map((issue): MarkdownProblem => {
    const field = issue.path.join(".");
    const line = parsed.lineOf(issue.path.map((part) => (typeof part === "number" ? part : String(part))));
    const message = issue.message.replace(/^Invalid (?:input|option): /, "");
    return { ...below({ line, message }), ...(field !== "" && { field }) };
  });
  return { ok: false, problems };
}

/** `file:line: field: message`. */
export const markdownProblemLine = (file: string, { line, field, message }: MarkdownProblem): string =>
  `${file}:${line}: ${field === undefined ? "" : `${field}: `}${message}`;

const noFields = { value: {}, lineOf: () => 0 };

/** The frontmatter begins on the file's second line. */
const below = <P extends { line: number }>(problem: P): P => ({ ...problem, line: problem.line + 1 });

function splitMarkdown(text: string): { frontmatter?: string; body: string } | { problem: MarkdownProblem } {
  if (!/^---[ \t]*\n/.test(text)) return { body: text };
  const start = text.indexOf("\n") + 1;
  const closing = /^---[ \t]*$/gm;
  closing.lastIndex = start;
  const end = closing.exec(text);
  if (!end)
    return { problem: { line: 1, message: "the frontmatter is not closed: add a line of --- after its fields" } };
  return { frontmatter: text.slice(start, end.index), body: text.slice(closing.lastIndex).replace(/^\n/, "") };
}
