import { selectAgentTools } from "../../agent/definitions/index.ts";
import { workerServers, type WorkerFacts } from "../../agent/index.ts";
import type { AgentDefinition, StoredEnvelope } from "../../protocol/index.ts";
import { workerType } from "../../team/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { TeamRole } from "./team-role.ts";

/** What makes the lead of a session a coordinator. */
export interface Coordinator {
  /** The folder that its workers share, real and absolute. */
  readonly scratchpad: string;
  /** Of all tools there are, those that the lead has itself. */
  leadTools(pool: readonly Tool[], team: TeamRole | undefined): readonly Tool[];
  /** Of all tools there are, those that workers are given theirs from. */
  workerPool(pool: readonly Tool[]): readonly Tool[];
  /** What it is told of its workers. */
  facts(pool: readonly Tool[]): WorkerFacts;
  /** What it is told of the servers that they reach; empty for none. */
  servers(pool: readonly Tool[]): string;
}

export interface CoordinatorOptions {
  readonly scratchpad: string;
  readonly definitions: readonly AgentDefinition[];
  /** Workers get no more than the few tools that everything can be done with. */
  readonly simple: boolean;
}

const ownTools = new Set(["Agent", "SendMessage", "TaskOutput", "TaskStop"]);
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
      // The tools for tasks are there without a team as well: then they are not the coordinator's.
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

/** What the command line says holds; else a session goes on as it was; else, for a new one, what the environment says. */
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
