import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runGit } from "../../platform/index.ts";

const maxFiles = 50_000;
const shown = 30;
const freshMs = 5_000;

export interface ProjectFilesOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
}

/** Finds files and folders of the project by part of their path. Files that git ignores are left out. */
export function createFileFinder({
  cwd,
  env,
  now,
}: ProjectFilesOptions): (query: string) => Promise<readonly string[]> {
  let listed: { readonly at: number; readonly paths: Promise<readonly string[]> } | undefined;
  return async (query) => {
    if (listed === undefined || now() - listed.at > freshMs) {
      const paths = listPaths(cwd, env);
      listed = { at: now(), paths };
      paths.catch(() => (listed = undefined)); // the caller receives the error
    }
    return bestMatches(await listed.paths, query);
  };
}

async function listPaths(cwd: string, env: ProjectFilesOptions["env"]): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { ok, stdout } = await runGit(args, { cwd, env, timeoutMs: 10_000 });
  const files = ok ? [...new Set(stdout.split("\0").filter((path) => path !== ""))] : await walk(cwd);
  const folders = new Set<string>();
  for (const file of files.slice(0, maxFiles))
    for (let folder = dirname(file); folder !== "." && !folders.has(`${folder}/`); folder = dirname(folder))
      folders.add(`${folder}/`);
  return [...folders, ...files.slice(0, maxFiles)];
}

/** Lists files outside a repository, breadth first, without hidden entries and node_modules. */
async function walk(root: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined && files.length < maxFiles; folder = folders.shift()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
      // A folder that cannot be read counts as empty, but the root must be readable.
      if (folder === "") throw error;
      return [];
    });
    for (const entry of entries) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && folders.length < maxFiles) folders.push(path);
      else if (entry.isFile()) files.push(path);
    }
  }
  return files;
}

/**
 * Ranks paths: starts with the query, name starts with it, name contains it, path contains it, letters in order.
 * Shorter paths come first.
 */
export function bestMatches(paths: readonly string[], query: string): readonly string[] {
  const wanted = query.toLowerCase();
  const rank = (path: string): number => {
    const lower = path.toLowerCase();
    const name = lower.replace(/\/$/, "").split("/").at(-1) ?? "";
    if (lower.startsWith(wanted)) return 0;
    if (name.startsWith(wanted)) return 1;
    if (name.includes(wanted)) return 2;
    if (lower.includes(wanted)) return 3;
    return isSubsequence(lower, wanted) ? 4 : -1;
  };
  return paths
    .map((path) => ({ path, rank: rank(path) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, shown)
    .map(({ path }) => path);
}

function isSubsequence(text: string, wanted: string): boolean {
  let at = 0;
  for (const character of wanted) {
    at = text.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
