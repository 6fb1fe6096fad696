import type { FileTeamStoreOptions } from "./file-team-store.ts";
import { lazyTeamStore } from "./lazy-team-store.ts";
import type { TeamStore } from "./team-store.ts";

/** The teams of a home. The code loads at first use: most sessions have no team and start faster. */
export function createFileTeamStore(options: FileTeamStoreOptions): TeamStore {
  return lazyTeamStore(async () => (await import("./file-team-store.ts")).createFileTeamStore(options));
}
