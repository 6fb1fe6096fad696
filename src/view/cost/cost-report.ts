import { addUsage, type AgentId, type Envelope, type Usage } from "../../protocol/index.ts";

/** What some requests came to. `usage` and `costUsd` include the attempts that were lost. */
export interface CostSum {
  /** Answered ones, those for summaries included. */
  readonly requests: number;
  /** Attempts that were paid for and gave no answer. */
  readonly lostAttempts: number;
  readonly lostUsd: number;
  readonly usage: Usage;
  readonly costUsd: number;
}

export interface CostRow extends CostSum {
  readonly agentId: AgentId;
  /** Where it stands in the tree, or its id where the log does not say. */
  readonly agent: string;
  readonly agentType: string;
  readonly model: string;
}

export interface CostReport {
  /** One for each agent and model that cost something, agents in the order in which they were heard of. */
  readonly rows: readonly CostRow[];
  readonly total: CostSum;
}

/** Adds up logs. With `since`, only what was spent from then on. */
export function costReport(envelopes: Iterable<Envelope>, { since = 0 }: { readonly since?: number } = {}): CostReport {
  const names = new Map<AgentId, { agent: string; agentType: string }>();
  const rows = new Map<string, { agentId: AgentId; model: string; sum: CostSum }>();
  for (const { agent: agentId, at, event } of envelopes) {
    if (event.type === "agent.spawned") names.set(agentId, { agent: event.path, agentType: event.agentType });
    if (event.type !== "cost.recorded" || Date.parse(at) < since) continue;
    const key = JSON.stringify([agentId, event.model]);
    const lost = event.purpose === "lost";
    const sum = addCosts(rows.get(key)?.sum ?? noCost, {
      requests: lost ? 0 : 1,
      lostAttempts: lost ? 1 : 0,
      lostUsd: lost ? event.costUsd : 0,
      usage: event.usage,
      costUsd: event.costUsd,
    });
    rows.set(key, { agentId, model: event.model, sum });
  }
  const all = [...rows.values()].map(({ agentId, model, sum }) => ({
    agentId,
    ...(names.get(agentId) ?? { agent: agentId, agentType: "" }),
    model,
    ...sum,
  }));
  return { rows: all, total: all.reduce(addCosts, noCost) };
}

/** By model, over any number of reports; the dearest first. */
export function costByModel(reports: Iterable<CostReport>): (CostSum & { readonly model: string })[] {
  const models = new Map<string, CostSum>();
  for (const { rows } of reports) {
    for (const row of rows) models.set(row.model, addCosts(models.get(row.model) ?? noCost, row));
  }
  return [...models].map(([model, sum]) => ({ model, ...sum })).sort((a, b) => b.costUsd - a.costUsd);
}

export const totalCost = (reports: Iterable<CostReport>): CostSum =>
  [...reports].reduce((sum, { total }) => addCosts(sum, total), noCost);

/** How much of what was read came from the prompt cache, from 0 to 1; undefined where nothing was read. */
export function cachedShare({ usage }: CostSum): number | undefined {
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return read === 0 ? undefined : usage.cacheReadTokens / read;
}

const noCost: CostSum = {
  requests: 0,
  lostAttempts: 0,
  lostUsd: 0,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0,
};

export function addCosts(a: CostSum, b: CostSum): CostSum {
  return {
    requests: a.requests + b.requests,
    lostAttempts: a.lostAttempts + b.lostAttempts,
    lostUsd: a.lostUsd + b.lostUsd,
    usage: addUsage(a.usage, b.usage),
    costUsd: a.costUsd + b.costUsd,
  };
}
