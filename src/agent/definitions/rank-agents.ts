import type { AgentDefinition, AgentSource } from "../../protocol/index.ts";
import type { AgentProblem } from "./agent-problem.ts";

/** From strong to weak. */
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
  /** Where its file was looked for: two of one name in the same place are a mistake, elsewhere one hides the other. */
  readonly foundAt: string;
}

export type RankedAgent<F extends FoundAgent = FoundAgent> = F & {
  /** Others of its name that it stands before, the strongest first. */
  readonly hides: readonly AgentSource[];
};

/** Of each name the strongest, in the order of names. Within one level what is found first is stronger. */
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
  message: `${duplicate.definition.source.from} is the agent ${definition.name} already, and is the one that is used: rename one of them`,
});
