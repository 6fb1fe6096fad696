import { runGit } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";

/**
 * Settings that keep git from running programs of the repository's own config. Content filters do nothing, and merge
 * drivers are replaced by git's text merge. (Without a driver git would take one side as the result.)
 */
export async function disabledGitFilters(base: Parameters<typeof runGit>[1]): Promise<Record<string, string>> {
  const found = await runGit(["config", "-z", "--name-only", "--get-regexp", "^(filter|merge)\\..*\\."], base);
  // 1: no match.
  if (!found.ok && found.exitCode !== 1) {
    throw new TroupeError("git", `cannot read the config of the repository at ${base.cwd}: ${found.stderr.trim()}`);
  }
  const overrides: Record<string, string> = {};
  for (const key of found.stdout.split("\0").filter(Boolean)) {
    const name = key.slice(0, key.lastIndexOf("."));
    if (name.startsWith("merge.")) {
      overrides[`${name}.driver`] = "git merge-file -q --marker-size=%L %A %O %B";
      continue;
    }
    for (const part of ["clean", "smudge", "process"]) overrides[`${name}.${part}`] = "";
    overrides[`${name}.required`] = "false";
  }
  return overrides;
}
