import type { AgentDefinition, AgentSource } from "../../protocol/index.ts";
import type { AgentProblem } from "./agent-problem.ts";

/** From strongest to weakest. */
const sourceRank: Readonly<Record<AgentSource["level"], number>> = {
  managed: 0,
  flag: 1,
  project: 2,
  user: 3,
  plugin: 4,
  "built-in": 5,
};

export interface FoundAgent {
  readonly definition: AgentDefinition;
  /**
   * The location that was searched. Two definitions of one name in the same location are a mistake; in different
   * locations one hides the other.
   */
  readonly foundAt: string;
}

export type RankedAgent<F extends FoundAgent = FoundAgent> = F & {
  /** Weaker definitions of the same name, strongest first. */
  readonly hides: readonly AgentSource[];
};

/**
 * Returns the strongest definition of each name, sorted by name. Within one level, the first one found is the
 * strongest.
 */
export function rankAgents<F extends FoundAgent>(
  found: readonly F[],
): { readonly agents: readonly RankedAgent<F>[]; readonly problems: readonly AgentProblem[] } {
  const byName = new Map<string, F[]>();
  for (const each of found.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const { name } = each.definition;
    byName.set(name, [...(byName.get(name) ?? []), each]);
  }
  const agents: RankedAgent<F>[] = [];
  const problems: AgentProblem[] = [];
  for (const [, [first, ...others]] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!first) continue;
    agents.push({ ...first, hides: others.map(({ definition }) => definition.source) });
    for (const [index, other] of others.entries()) {
      const duplicate = [first, ...others.slice(0, index)].find(({ foundAt }) => foundAt === other.foundAt);
      if (duplicate) problems.push(duplicateProblem(other, duplicate));
    }
  }
  return { agents, problems };
}

const rankOf = ({ definition }: FoundAgent) => sourceRank[definition.source.level];

const duplicateProblem = ({ definition }: FoundAgent, duplicate: FoundAgent): AgentProblem => ({
  severity: "warning",
  from: definition.source.from,
  field: "name",
  message: `${duplicate.definition.source.from} already defines the agent ${definition.name} and is used: rename one of them`,
});
