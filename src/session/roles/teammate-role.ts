import { selectAgentTools } from "../../agent/definitions/index.ts";
import { refreshSystemPrompt } from "../../agent/index.ts";
import type { AgentDefinition, PermissionMode } from "../../protocol/index.ts";
import { teammateStanding } from "../agent-runtime/agent-standing.ts";
import { memoizeByList } from "../agent-runtime/memoize-by-list.ts";
import type { LoadedExtras } from "../agent-types/agent-extras.ts";
import type { Config } from "../config/load-config.ts";
import { addedDirectories } from "../config/added-directories.ts";
import type { Extensions } from "../session-context.ts";
import { noTeamRole } from "./no-team-role.ts";
import type { MemberContext, TeammateSession } from "../member-context.ts";
import type { Role } from "./role.ts";

export interface TeammateRoleOptions extends Pick<TeammateSession, "member" | "connect"> {
  readonly definition: AgentDefinition;
  readonly config: Pick<Config, "cwd" | "childEnv" | "maxTurns" | "additionalDirectories">;
  readonly extensions: Pick<Extensions, "extrasOf" | "hooksOf" | "prompts">;
  readonly permissionMode: PermissionMode;
  readonly forks: boolean;
}

/** A session that runs a teammate. Its definition decides its tools, its prompt and its hooks. */
export async function createTeammateRole(options: TeammateRoleOptions): Promise<Role> {
  const { member, config, extensions, permissionMode } = options;
  const cwd = member.folder ?? config.cwd;
  const roots = [cwd, ...addedDirectories(config)];
  const extras = await extensions.extrasOf(options.definition, { cwd, roots });
  const { definition } = extras;
  const userDefined = definition.source.level !== "built-in";
  let loaded: LoadedExtras | undefined;
  return {
    agent: {
      path: member.path,
      type: definition.name,
      standing: teammateStanding(member),
      cwd,
      env: { ...config.childEnv, ...member.env },
      rights: { permissionMode, memory: extras.memory, teamRules: member.teamRules, afterPlan: member.mode },
      maxTurns: definition.maxTurns ?? config.maxTurns,
      askHost: member.askHost,
    },
    coordinator: undefined,
    scratchpad: member.scratchpad,
    forks: options.forks,
    leadSession: member.leadSession,
    notices: [],
    openHooks: (await extensions.hooksOf(definition))?.create,
    connect: options.connect ?? (() => noTeamRole),
    pool: extras.pool,
    selectTools: (pool) => {
      const select = memoizeByList(pool, (now) =>
        selectAgentTools({ definition, pool: now, kind: "teammate", mode: permissionMode, userDefined }),
      );
      return () => select().tools;
    },
    ready: extras.ready,
    async load(policy, tools) {
      loaded = await extras.load(policy, tools);
      return loaded.notices;
    },
    async system(stored, now) {
      if (!loaded) throw new Error(`the skills of ${member.name} are not loaded yet`);
      const place = { ...now, ...placeOf(member, loaded), cwd };
      return refreshSystemPrompt(stored, await extensions.prompts.of(definition, place));
    },
    attach: extras.attach,
    close: extras.stop,
  };
}

/** A teammate without its own folder works in that of its lead. */
function placeOf({ folder, prompt }: MemberContext, extras: LoadedExtras) {
  const { team, worktree, blocks } = prompt;
  const sharedWith = folder === undefined ? team?.lead : undefined;
  return { team, worktree, sharedWith, extras: { ...extras, blocks: [...extras.blocks, ...blocks] } };
}
