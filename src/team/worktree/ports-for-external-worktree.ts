import type { WorktreeSettings } from "../../protocol/index.ts";
import { portEnvironment } from "./prepare-worktree.ts";
import { reservePorts } from "./port-blocks.ts";
import type { RepositoryContext } from "./repository.ts";

export { releasePorts } from "./port-blocks.ts";

/** Reserves ports for a worktree that Troupe did not make. Returns the environment with them. */
export async function portsForExternalWorktree(
  place: RepositoryContext,
  { path, settings }: { readonly path: string; readonly settings: WorktreeSettings },
): Promise<Record<string, string>> {
  const count = settings.ports ?? defaultPorts;
  return count === 0 ? {} : portEnvironment(await reservePorts(place, { path, count }), count);
}

export const defaultPorts = 10;
