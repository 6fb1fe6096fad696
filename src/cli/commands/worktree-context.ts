import { createIdFactory, systemClock } from "../../platform/index.ts";
import { type Config, loadConfig, sandboxesOf } from "../../session/index.ts";
import type { RepositoryContext } from "../../team/index.ts";

/** Returns the context of the worktree commands: the folder, its trusted settings, and the user's environment. */
export async function loadWorktreeContext(signal?: AbortSignal): Promise<{ place: RepositoryContext; config: Config }> {
  const config = await loadConfig({ cwd: process.cwd(), env: process.env });
  const { cwd, home, userHome, childEnv: env } = config;
  const place = {
    cwd,
    home,
    userHome,
    env,
    clock: systemClock,
    createId: createIdFactory(systemClock),
    sandboxFor: sandboxesOf(config),
  };
  return { place: { ...place, ...(signal && { signal }) }, config };
}
