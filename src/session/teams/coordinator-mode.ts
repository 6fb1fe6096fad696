import { selectAgentTools } from "../../agent/definitions/index.ts";
import { workerServers, type WorkerFacts } from "../../agent/index.ts";
import type { AgentDefinition, StoredEnvelope } from "../../protocol/index.ts";
import { workerType } from "../../team/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { TeamRole } from "./team-role.ts";

/** The settings that make a session's lead a coordinator. */
export interface Coordinator {
  /** The folder that its workers share: a real, absolute path. */
  readonly scratchpad: string;
  /** The tools of `pool` that the lead itself has. */
  leadTools(pool: readonly Tool[], team: TeamRole | undefined): readonly Tool[];
  /** The tools of `pool` from which each worker's tools are selected. */
  workerPool(pool: readonly Tool[]): readonly Tool[];
  /** The facts about workers for the lead's system prompt. */
  facts(pool: readonly Tool[]): WorkerFacts;
  /** The text about the MCP servers that workers can use; empty if there are none. */
  servers(pool: readonly Tool[]): string;
}

export interface CoordinatorOptions {
  readonly scratchpad: string;
  readonly definitions: readonly AgentDefinition[];
  /** Limits workers to Bash, Edit and Read. */
  readonly simple: boolean;
}

const ownTools = new Set(["Agent", "Land", "SendMessage", "TaskOutput", "TaskStop"]);
const simpleTools = new Set(["Bash", "Edit", "Read"]);

export function createCoordinator({ scratchpad, definitions, simple }: CoordinatorOptions): Coordinator {
  const worker = definitions.find(({ name }) => name === workerType);
  const workerPool = (pool: readonly Tool[]) => (simple ? pool.filter(({ name }) => simpleTools.has(name)) : pool);
  const namesOf = (pool: readonly Tool[]): readonly string[] => {
    if (!worker) return [];
    const userDefined = worker.source.level !== "built-in";
    const request = {
      definition: worker,
      pool: workerPool(pool),
      kind: "background",
      mode: "default",
      userDefined,
    } as const;
    return selectAgentTools(request).tools.map(({ name }) => name);
  };
  const isServers = (name: string) => name.startsWith("mcp__");
  return {
    scratchpad,
    leadTools(pool, team) {
      // Without a team there are still task tools, but they are not for the coordinator.
      const teamTools = new Set(team?.starter ? team.tools.map(({ name }) => name) : []);
      return pool.filter(({ name }) => ownTools.has(name) || teamTools.has(name));
    },
    workerPool,
    facts: (pool) => ({
      scratchpad,
      tools: namesOf(pool)
        .filter((name) => !isServers(name))
        .toSorted(),
    }),
    servers: (pool) => workerServers(namesOf(pool).filter(isServers)),
  };
}

/** The flag wins. A resumed session keeps its previous setting. A new session uses the environment. */
export function isCoordinating({ flag, replayed, environment }: CoordinatorSources): boolean {
  if (flag !== undefined) return flag;
  const opened = replayed.map(({ event }) => event).findLast((event) => event.type === "session.opened");
  return opened ? (opened.coordinator ?? false) : environment;
}

export interface CoordinatorSources {
  readonly flag: boolean | undefined;
  readonly replayed: readonly StoredEnvelope[];
  readonly environment: boolean;
}
