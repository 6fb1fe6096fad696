import type { AgentDefinition, AgentSource } from "../../protocol/index.ts";
import type { AgentProblem } from "./agent-problem.ts";

/** From strong to weak. */
const strength: Readonly<Record<AgentSource["level"], number>> = {
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
  readonly place: string;
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
  for (const each of found.toSorted((a, b) => strengthOf(a) - strengthOf(b))) {
    const { name } = each.definition;
    byName.set(name, [...(byName.get(name) ?? []), each]);
  }
  const agents: RankedAgent<F>[] = [];
  const problems: AgentProblem[] = [];
  for (const [, [first, ...others]] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!first) continue;
    agents.push({ ...first, hides: others.map(({ definition }) => definition.source) });
    for (const [index, other] of others.entries()) {
      const twin = [first, ...others.slice(0, index)].find(({ place }) => place === other.place);
      if (twin) problems.push(twice(other, twin));
    }
  }
  return { agents, problems };
}

const strengthOf = ({ definition }: FoundAgent) => strength[definition.source.level];

const twice = ({ definition }: FoundAgent, twin: FoundAgent): AgentProblem => ({
  severity: "warning",
  from: definition.source.from,
  field: "name",
  message: `${twin.definition.source.from} is the agent ${definition.name} already, and is the one that is used: rename one of them`,
});
