import type { worktreeGit } from "./worktree-git.ts";

/**
 * What git ignores in a worktree and what is not known to be mere output: an `.env` that an agent wrote is work, a `dist` is
 * not. A folder that is ignored as a whole is one path. Undefined when git cannot tell.
 */
export async function ignoredPaths(
  git: ReturnType<typeof worktreeGit>,
  disposable: readonly string[],
): Promise<readonly string[] | undefined> {
  const all = await list(git, ["."]);
  const known = disposable.length === 0 ? [] : await list(git, disposable.map(asPathspec));
  return known && all?.filter((path) => !known.includes(path) && !isOutput(path));
}

async function list(git: ReturnType<typeof worktreeGit>, pathspecs: readonly string[]): Promise<string[] | undefined> {
  const flags = ["--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  const listed = await git(["ls-files", ...flags, "--", ...pathspecs]);
  if (!listed.ok) return undefined;
  return listed.stdout
    .split("\0")
    .filter(Boolean)
    .map((path) => path.replace(/\/$/, ""));
}

const asPathspec = (pattern: string) => `:(top,glob)${pattern.replace(/\/(\*\*)?$/, "")}`;

const isOutput = (path: string) =>
  path.split("/").some((part) => outputFolders.has(part)) || outputFile.test(path.slice(path.lastIndexOf("/") + 1));

/** Made by programs, and made again by them. `docs/worktrees.md` has the same list. */
const outputFolders = new Set([
  ".cache",
  ".gradle",
  ".mypy_cache",
  ".next",
  ".nuxt",
  ".nyc_output",
  ".parcel-cache",
  ".pytest_cache",
  ".ruff_cache",
  ".svelte-kit",
  ".tox",
  ".turbo",
  ".venv",
  ".vite",
  "__pycache__",
  "build",
  "coverage",
  "dist",
  "node_modules",
  "out",
  "target",
  "venv",
]);
const outputFile = /(\.(pyc|pyo|o|obj|class|tsbuildinfo|log|swp|tmp)|^\.DS_Store|^\.eslintcache|^\.stylelintcache)$/;
