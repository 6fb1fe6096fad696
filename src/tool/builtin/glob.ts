import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as z from "zod";
import { defineTool, failedResult, textResult, type ToolContext } from "../define-tool.ts";
import { globPattern, staticPrefix } from "../permissions/glob-pattern.ts";
import { PathInput, resolvePath, shownPath } from "../files/resolve-path.ts";
import { noRipgrep } from "../files/ripgrep.ts";
import { searchVerifiedPath } from "../files/search-verified-path.ts";

const GlobInput = z.strictObject({
  pattern: z.string().min(1).max(1000).describe("The pattern, such as src/**/*.ts"),
  path: PathInput.optional().describe("The directory to search. Default: the working directory"),
});

const shown = 100;
const filesSeen = 500_000;

export const globTool = defineTool<z.infer<typeof GlobInput>>({
  name: "Glob",
  description: `Finds files by name. The pattern is matched against the path below the searched directory: * and ? within one part, ** across parts, [abc], {a,b}. A pattern without a slash matches file names at any depth. Returns up to ${shown} paths, most recently changed first. Files excluded by .gitignore are left out.`,
  input: GlobInput,
  access: "read",
  subject: (input) => ({ kind: "path", path: searchFolder(input).folder, change: false }),
  title: (input) => `Glob ${input.pattern}${input.path === undefined ? "" : ` in ${input.path}`}`,
  async execute(input, context) {
    const { folder, pattern } = searchFolder(input);
    const base = resolvePath(folder, context);
    const matches = globPattern(pattern);
    if (!matches) return failedResult(`${input.pattern} is not a valid pattern: a [ or { in it is not closed.`);
    const trouble = await notAFolder(base);
    if (trouble !== undefined) return failedResult(trouble);

    const args = ["--files", "--null", "--hidden", "--glob", "!.git", "--no-messages"];
    const found = await searchVerifiedPath({ args, path: base, limit: filesSeen, separator: "\0" }, context);
    if (!found) return failedResult(noRipgrep);
    if (found.trouble !== undefined && found.lines.length === 0) return failedResult(found.trouble);
    const { isDenied = () => false } = context.agent;
    const paths = found.lines
      .map((line) => line.slice(base.length + 1))
      .filter((path) => matches.test(path) && !isDenied(join(base, path)));
    if (paths.length === 0) {
      return textResult(
        `No file in ${shownPath(base, context)} matches ${input.pattern}. Files excluded by .gitignore were not searched.`,
      );
    }
    const newest = await newestFirst(
      paths.map((path) => join(base, path)),
      context,
    );
    const notes = [
      ...(paths.length > shown ? [`${paths.length - shown} more files match. Narrow the pattern to see them.`] : []),
      ...(found.more ? [`Only the first ${filesSeen} files were searched.`] : []),
    ];
    const text = newest
      .slice(0, shown)
      .map((path) => shownPath(path, context))
      .join("\n");
    return textResult(notes.length === 0 ? text : `${text}\n\n[${notes.join(" ")}]`);
  },
});

/** The search starts at the fixed beginning of the pattern, so it may lead out of `path`. */
function searchFolder(input: { pattern: string; path?: string | undefined }): { folder: string; pattern: string } {
  const { folder, rest } = staticPrefix(input.pattern);
  const base = input.path ?? ".";
  const pattern = input.pattern.includes("/") ? rest : `**/${rest}`;
  if (folder === "") return { folder: base, pattern };
  return { folder: folder.startsWith("/") || folder.startsWith("~") ? folder : join(base, folder), pattern };
}

async function notAFolder(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? undefined : `${path} is a file, not a directory. Read it instead.`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT"
      ? `${path} does not exist.`
      : `${path} cannot be searched: ${(error as Error).message}.`;
  }
}

async function newestFirst(paths: readonly string[], context: Pick<ToolContext, "signal">): Promise<string[]> {
  const times: { path: string; time: number }[] = [];
  for (let at = 0; at < paths.length; at += 256) {
    context.signal.throwIfAborted();
    const batch = paths.slice(at, at + 256).map(async (path) => ({ path, time: await changedAt(path) }));
    times.push(...(await Promise.all(batch)));
  }
  return times.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1)).map(({ path }) => resolve(path));
}

/** A file that has been removed, or a broken link, sorts last. */
async function changedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (["ENOENT", "EACCES", "ELOOP", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return 0;
    throw error;
  }
}
