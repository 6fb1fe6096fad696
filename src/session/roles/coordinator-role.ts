import { adaptTools } from "../../tool/index.ts";
import { memoizeByList } from "../agent-runtime/memoize-by-list.ts";
import type { Extensions } from "../session-context.ts";
import type { Coordinator } from "../teams/coordinator-mode.ts";
import type { Role } from "./role.ts";
import { leadSystem } from "./solo-role.ts";

/** A session whose lead delegates all work to workers. */
export const createCoordinatorRole = (
  lead: Role,
  coordinator: Coordinator,
  extensions: Pick<Extensions, "mcp" | "prompts" | "tools">,
): Role => ({
  ...lead,
  coordinator,
  scratchpad: coordinator.scratchpad,
  forks: false,
  selectTools: (pool, team) => memoizeByList(() => coordinator.leadTools(pool(), team), adaptTools),
  system: async (stored, now) =>
    leadSystem(stored, { ...now, workers: coordinator.facts(extensions.tools()) }, extensions),
});
