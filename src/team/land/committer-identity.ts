import { join } from "node:path";
import type { Repository } from "../worktree/repository.ts";

/**
 * The committer of rebased commits; their authors stay. Taken from the repository, else from the user's git settings,
 * which Troupe's git does not read, else from the author of the tip.
 */
export async function committerIdentity(repository: Repository, tip: string): Promise<Record<string, string>> {
  const { env, userHome } = repository.place;
  const configSources = [
    [],
    ["--file", join(userHome, ".gitconfig"), "--includes"],
    ["--file", join(env["XDG_CONFIG_HOME"] ?? join(userHome, ".config"), "git", "config"), "--includes"],
  ];
  for (const source of configSources) {
    const name = await configValue(repository, [...source, "--get", "user.name"]);
    const email = await configValue(repository, [...source, "--get", "user.email"]);
    if (name && email) return { "user.name": name, "user.email": email };
  }
  const [name = "", email = ""] = (await repository.ask(["log", "-1", "--format=%an%x00%ae", tip])).split("\0");
  return { "user.name": name || "nobody", "user.email": email || "nobody@localhost" };
}

const configValue = async (repository: Repository, args: readonly string[]) =>
  (await repository.git(["config", ...args])).stdout.trim();
