import type { PermissionMode } from "../../protocol/index.ts";
import { leadPath } from "../../protocol/index.ts";
import { refreshSystemPrompt } from "../../agent/index.ts";
import { adaptTools, ruleProblems, type Tool } from "../../tool/index.ts";
import { leadStanding } from "../agent-runtime/agent-standing.ts";
import { memoizeByList } from "../agent-runtime/memoize-by-list.ts";
import type { LeadNow } from "../agent-types/agent-prompts.ts";
import type { Extensions, PermissionAsker } from "../session-context.ts";
import { noTeamRole } from "./no-team-role.ts";
import type { Role } from "./role.ts";

export interface SoloRoleOptions {
  readonly config: {
    readonly cwd: string;
    readonly childEnv: Readonly<Record<string, string>>;
    readonly maxTurns: number | undefined;
  };
  readonly extensions: Pick<Extensions, "mcp" | "prompts" | "rules">;
  readonly permissionMode: PermissionMode;
  readonly asker: PermissionAsker;
  readonly forks: boolean;
}

/** A session that works without teams. */
export function createSoloRole(options: SoloRoleOptions): Role {
  const { config, extensions, permissionMode } = options;
  // Without a user, plan mode is never switched on and there is no plan to present.
  const plans = options.asker !== "nobody" || permissionMode === "plan";
  const withPlans = (pool: readonly Tool[]) => (plans ? pool : pool.filter(({ name }) => name !== "ExitPlanMode"));
  return {
    agent: {
      path: leadPath,
      type: "lead",
      standing: leadStanding,
      cwd: config.cwd,
      env: config.childEnv,
      rights: { permissionMode },
      maxTurns: config.maxTurns,
    },
    coordinator: undefined,
    scratchpad: undefined,
    forks: options.forks,
    leadSession: undefined,
    // Of a teammate, its lead reports them.
    notices: ruleProblems(extensions.rules),
    openHooks: undefined,
    connect: () => noTeamRole,
    pool: (tools) => tools,
    selectTools: (pool) => memoizeByList(() => withPlans(pool()), adaptTools),
    ready: async () => undefined,
    load: async () => [],
    system: async (stored, now) => leadSystem(stored, now, extensions),
    attach: () => undefined,
    close: async () => undefined,
  };
}

/** The system prompt of a lead: of a new session, or of a session that resumes with `stored`. */
export function leadSystem(
  stored: readonly string[],
  now: LeadNow,
  { mcp, prompts }: Pick<Extensions, "mcp" | "prompts">,
): readonly string[] {
  const refresh = (before: readonly string[]) => refreshSystemPrompt(before, prompts.lead(now));
  return mcp ? mcp.system(stored, refresh) : refresh(stored);
}
