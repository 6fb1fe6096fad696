import { createIdFactory, systemClock } from "../../platform/index.ts";
import { type Config, loadConfig } from "../../session/index.ts";
import type { RepositoryContext } from "../../team/index.ts";

/** What the commands about worktrees work with: the folder, its settings as far as they are believed, and the user's environment. */
export async function loadWorktreeContext(signal?: AbortSignal): Promise<{ place: RepositoryContext; config: Config }> {
  const config = await loadConfig({ cwd: process.cwd(), env: process.env });
  const { cwd, home, userHome, childEnv: env } = config;
  const place = { cwd, home, userHome, env, clock: systemClock, createId: createIdFactory(systemClock) };
  return { place: { ...place, ...(signal && { signal }) }, config };
}
