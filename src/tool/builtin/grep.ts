import * as z from "zod";
import { defineTool, failedResult, textResult, type ToolContext } from "../define-tool.ts";
import { PathInput, resolvePath, shownPath } from "../files/resolve-path.ts";
import { noRipgrep, type RipgrepResult } from "../files/ripgrep.ts";
import { searchVerifiedPath } from "../files/search-verified-path.ts";
import { isSecretPath } from "../permissions/secret-paths.ts";

const around = z.number().int().min(0).max(1000).optional();

const GrepInput = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe("The regular expression (ripgrep syntax) to search for"),
  path: PathInput.optional().describe("A file or directory to search. Default: the working directory"),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .optional()
    .describe("content: the matching lines; files_with_matches: only paths (default); count: matches per file"),
  glob: z.string().min(1).max(1000).optional().describe("Only files that match, such as *.ts or !*.test.ts"),
  type: z
    .string()
    .regex(/^[a-z0-9_+-]+$/i, "must be the name of a file type, such as ts or py")
    .optional()
    .describe("Only files of this type, such as ts, py, rust"),
  "-i": z.boolean().optional().describe("Ignore case"),
  "-n": z.boolean().optional().describe("Line numbers, with content. Default: true"),
  "-A": around.describe("Lines after each match, with content"),
  "-B": around.describe("Lines before each match, with content"),
  "-C": around.describe("Lines before and after each match, with content"),
  multiline: z.boolean().optional().describe("Let the pattern match across lines"),
  head_limit: z.number().int().min(1).optional().describe("Maximum number of output lines. Default: 250"),
});
type GrepInput = z.infer<typeof GrepInput>;

const maxLines = 10_000;

export const grepTool = defineTool<GrepInput>({
  name: "Grep",
  description: `Searches the contents of files with ripgrep. The pattern is a regular expression: escape literal braces and brackets. Narrow the search with path, glob or type. Use output_mode content to see the lines, with -A, -B or -C for lines around them. Binary files and files excluded by .gitignore are left out.`,
  input: GrepInput,
  access: "read",
  subject: (input) => ({ kind: "path", path: input.path ?? ".", change: false }),
  title: (input) => `Grep ${input.pattern}${input.path === undefined ? "" : ` in ${input.path}`}`,
  async execute(input, context) {
    const limit = Math.min(input.head_limit ?? 250, maxLines);
    const path = resolvePath(input.path ?? ".", context);
    const isNames = (input.output_mode ?? "files_with_matches") === "files_with_matches";
    const search = { args: grepArguments(input), path, limit, separator: isNames ? "\0" : "\n" } as const;
    const found = withoutHidden(await searchVerifiedPath(search, context), path, context);
    if (!found) return failedResult(noRipgrep);
    if (found.trouble !== undefined && found.lines.length === 0)
      return failedResult(searchProblem(input, found.trouble));
    if (found.lines.length === 0) return textResult(`No match in ${shownPath(path, context)}.`);
    const notes = [
      ...(found.more ? [`Only the first ${limit} lines are shown. Narrow the search, or raise head_limit.`] : []),
      ...(found.trouble === undefined ? [] : [`Some files could not be searched: ${found.trouble}`]),
    ];
    const text = found.lines.map((line) => shownPath(line, context)).join("\n");
    return textResult(notes.length === 0 ? text : `${text}\n\n[${notes.join(" ")}]`);
  },
});

/**
 * Leaves out files that a rule denies, and files with secrets that the call does not name: to read one, the user must be
 * asked about it. ripgrep writes a zero byte after each path.
 */
function withoutHidden(
  found: RipgrepResult | undefined,
  searched: string,
  { agent }: ToolContext,
): RipgrepResult | undefined {
  if (!found) return undefined;
  const lines = found.lines.flatMap((line) => {
    const [path = "", ...rest] = line.split("\0");
    const isHidden = path !== searched && (isSecretPath(path) || agent.isDenied?.(path) === true);
    if (isHidden) return [];
    const text = rest.join("\0");
    return [rest.length === 0 ? line : `${path}${/^\d+-/.test(text) ? "-" : ":"}${text}`];
  });
  return { ...found, lines };
}

/** Says what to change in the call. ripgrep's own hints name options that this tool does not have. */
function searchProblem({ pattern, type }: GrepInput, trouble: string): string {
  if (/unrecognized file type/.test(trouble)) {
    const near = type === undefined ? undefined : typeAliases[type.toLowerCase()];
    return `There is no file type ${type}.${near === undefined ? " Use glob instead, such as *.ext." : ` Did you mean ${near}?`}`;
  }
  if (/look-?around|look-?(ahead|behind)|backreferences/i.test(trouble))
    return "The pattern uses look-around or a backreference, which this search does not support. Use a simpler pattern, or the program grep with -P.";
  if (/regex parse error/.test(trouble)) {
    const detail = /^error: (.+)$/m.exec(trouble)?.[1] ?? "it is not a valid regular expression";
    return `The pattern is not valid: ${detail}. To search for the text as it is, escape it: ${escaped(pattern)}`;
  }
  return trouble.replace(/^rg: /gm, "");
}

const escaped = (pattern: string) => pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Names of languages that models use for ripgrep's file types. */
const typeAliases: Readonly<Record<string, string>> = {
  javascript: "js",
  jsx: "js",
  typescript: "ts",
  tsx: "ts",
  python: "py",
  ruby: "ruby",
  rs: "rust",
  golang: "go",
  shell: "sh",
  bash: "sh",
  yml: "yaml",
  "c++": "cpp",
  csharp: "cs",
  kt: "kotlin",
};

function grepArguments(input: GrepInput): string[] {
  const mode = input.output_mode ?? "files_with_matches";
  const args = ["--color=never", "--sort=path", "--hidden", "--glob=!.git", "--with-filename", "--null"];
  if (mode === "files_with_matches") args.push("--files-with-matches");
  if (mode === "count") args.push("--count-matches");
  if (mode === "content") {
    args.push("--no-heading", "--max-columns=1000", "--max-columns-preview");
    args.push((input["-n"] ?? true) ? "--line-number" : "--no-line-number");
    if (input["-C"] !== undefined) args.push(`--context=${input["-C"]}`);
    if (input["-A"] !== undefined) args.push(`--after-context=${input["-A"]}`);
    if (input["-B"] !== undefined) args.push(`--before-context=${input["-B"]}`);
  }
  if (input["-i"]) args.push("--ignore-case");
  if (input.multiline) args.push("--multiline", "--multiline-dotall");
  if (input.glob !== undefined) args.push(`--glob=${input.glob}`);
  if (input.type !== undefined) args.push(`--type=${typeAliases[input.type.toLowerCase()] ?? input.type}`);
  return [...args, `--regexp=${input.pattern}`];
}
