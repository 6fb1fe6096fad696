import { addUsage, type AgentId, type Envelope, type Usage } from "../../protocol/index.ts";

/** The total of some requests. `usage` and `costUsd` include lost attempts. */
export interface CostSum {
  /** Answered requests, including those for summaries. */
  readonly requests: number;
  /** Attempts that were paid for and gave no answer. */
  readonly lostAttempts: number;
  readonly lostUsd: number;
  readonly usage: Usage;
  readonly costUsd: number;
}

export interface CostRow extends CostSum {
  readonly agentId: AgentId;
  /** Its path in the tree, or its id if the log does not contain the path. */
  readonly agent: string;
  readonly agentType: string;
  readonly model: string;
}

export interface CostReport {
  /** One row for each agent and model with costs, agents in order of first appearance. */
  readonly rows: readonly CostRow[];
  readonly total: CostSum;
}

/** Adds up logs. With `since`, counts only spending from that time on. */
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

/** Sums any number of reports by model, most expensive first. */
export function costByModel(reports: Iterable<CostReport>): (CostSum & { readonly model: string })[] {
  const models = new Map<string, CostSum>();
  for (const { rows } of reports) {
    for (const row of rows) models.set(row.model, addCosts(models.get(row.model) ?? noCost, row));
  }
  return [...models].map(([model, sum]) => ({ model, ...sum })).sort((a, b) => b.costUsd - a.costUsd);
}

export const totalCost = (reports: Iterable<CostReport>): CostSum =>
  [...reports].reduce((sum, { total }) => addCosts(sum, total), noCost);

/** The share of input tokens from the prompt cache, from 0 to 1; undefined without input. */
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
