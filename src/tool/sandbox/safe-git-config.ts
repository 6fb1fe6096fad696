import { statSync } from "node:fs";
import { join } from "node:path";
import { runGit } from "../../platform/index.ts";
import type { GitFolders } from "./git-folders.ts";

/**
 * Settings of a repository that only describe it. All others are left out for a command that only looks: git would run a
 * program that they name, or read another file.
 */
const harmless = new RegExp(
  [
    "core\\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|whitespace|protecthfs|protectntfs|untrackedcache|sparsecheckout|sparsecheckoutcone)",
    "extensions\\.(objectformat|refstorage|compatobjectformat|worktreeconfig|relativeworktrees)",
    "user\\.(name|email)",
    "remote\\..+\\.(url|fetch|pushurl|tagopt|prune)",
    "branch\\..+\\.(remote|merge|rebase|pushremote|description)",
    "submodule\\..+\\.(url|active|branch)",
    "(color|column|i18n|status)\\..+",
    "(gc|maintenance)\\.auto",
    "(init|pull|push|fetch|rebase|merge|diff|log)\\.(default|defaultbranch|rebase|ff|autosetupremote|prune|autostash|conflictstyle|renames|algorithm|noprefix|mnemonicprefix|context|date|decorate|abbrevcommit)",
  ]
    .map((pattern) => `^${pattern}$`)
    .join("|"),
  "i",
);

export interface GitConfigs {
  /** Returns the harmless content for each settings file of these repositories that names more. */
  replacements(repositories: readonly GitFolders[]): Promise<ReadonlyMap<string, string>>;
}

/** Reads the settings files of repositories. A file is read again only after it has changed. */
export function createGitConfigs(env: Readonly<Record<string, string>>): GitConfigs {
  const known = new Map<string, { readonly version: string; readonly safe: string | undefined }>();

  const safeContent = async (path: string): Promise<string | undefined> => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile()) return undefined;
    const version = `${stats.ino} ${stats.ctimeMs} ${stats.size}`;
    const before = known.get(path);
    if (before?.version === version) return before.safe;
    const safe = await harmlessPart(path, env);
    known.set(path, { version, safe });
    return safe;
  };

  return {
    async replacements(repositories) {
      const paths = repositories.flatMap(({ own, common }) => [join(common, "config"), join(own, "config.worktree")]);
      const found = new Map<string, string>();
      for (const path of new Set(paths)) {
        const safe = await safeContent(path);
        if (safe !== undefined) found.set(path, safe);
      }
      return found;
    },
  };
}

/** Returns undefined if the whole file is harmless. A file that git cannot read becomes an empty repository's. */
async function harmlessPart(path: string, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  const listed = await runGit(["config", "--file", path, "--no-includes", "--list", "-z"], { cwd: "/", env });
  if (!listed.ok) return "[core]\n\trepositoryformatversion = 0\n";
  const entries = listed.stdout.split("\0").filter((entry) => entry !== "");
  const kept = entries.filter((entry) => harmless.test(entry.split("\n", 1)[0] ?? ""));
  return kept.length === entries.length ? undefined : kept.map(configLines).join("");
}

/** Writes one `section.sub.name\nvalue` entry of git's list as lines of a settings file. */
function configLines(entry: string): string {
  const at = entry.indexOf("\n");
  const key = at < 0 ? entry : entry.slice(0, at);
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  const sub = first === last ? "" : ` ${quoted(key.slice(first + 1, last))}`;
  const value =
    at < 0
      ? ""
      : ` = ${quoted(entry.slice(at + 1))
          .replaceAll("\n", "\\n")
          .replaceAll("\t", "\\t")}`;
  return `[${key.slice(0, first)}${sub}]\n\t${key.slice(last + 1)}${value}\n`;
}

const quoted = (text: string) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
