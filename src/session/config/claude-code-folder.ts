import { isAbsolute, join } from "node:path";
import { TroupeError } from "../../protocol/index.ts";

/** Returns Claude Code's folder if `--team-store` or `TROUPE_TEAM_STORE` selects Claude Code's teams. */
export function claudeCodeFolder(
  flag: string | undefined,
  { env, userHome }: { readonly env: Readonly<Record<string, string | undefined>>; readonly userHome: string },
): string | undefined {
  const store = flag || env["TROUPE_TEAM_STORE"] || "troupe";
  if (store === "troupe") return undefined;
  if (store !== "claude") throw new TroupeError("usage", `unknown team store ${store}. Use troupe or claude.`);
  const folder = env["CLAUDE_CONFIG_DIR"] || join(userHome, ".claude");
  if (isAbsolute(folder)) return folder;
  throw new TroupeError("usage", `CLAUDE_CONFIG_DIR must be an absolute path, but is ${folder}.`);
}
