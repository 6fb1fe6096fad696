import { isAbsolute, join } from "node:path";
import { TroupeError } from "../../protocol/index.ts";

/** Where Claude Code keeps its teams, if those are the ones that are wanted: what `--team-store` or `TROUPE_TEAM_STORE` says. */
export function claudeCodeFolder(
  env: Readonly<Record<string, string | undefined>>,
  userHome: string,
): string | undefined {
  const store = env["TROUPE_TEAM_STORE"] || "troupe";
  if (store === "troupe") return undefined;
  if (store !== "claude") throw new TroupeError("usage", `there is no team store ${store}: say troupe or claude`);
  const folder = env["CLAUDE_CONFIG_DIR"] || join(userHome, ".claude");
  if (isAbsolute(folder)) return folder;
  throw new TroupeError("usage", `CLAUDE_CONFIG_DIR is ${folder}, which is not an absolute path: set it to one`);
}
