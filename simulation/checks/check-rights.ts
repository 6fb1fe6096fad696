import { effectiveMode } from "../../src/agent/definitions/index.ts";
import type { PermissionMode } from "../../src/protocol/index.ts";
import { agentNameOf } from "../model/policy-model.ts";
import type { RunRecord } from "../world/run-scenario.ts";
import { agentLogs, type AgentLog, type Fault } from "./agent-log.ts";

/** No member has a wider mode than its lead, and no agent changes anything in plan mode. */
export function checkRights(record: RunRecord): Fault[] {
  const { leadMode } = record.scenario;
  const logs = agentLogs(record);
  const tooWide = logs.flatMap((log) =>
    modesOf(log).flatMap(({ at, mode }): Fault[] =>
      effectiveMode({ parent: leadMode, definition: mode }).mode === mode
        ? []
        : [{ rule: "rights", at, message: `${log.name} has mode ${mode}, its lead ${leadMode}` }],
    ),
  );
  const modes = new Map(logs.map((log) => [log.name, modesOf(log)]));
  const inPlanMode = record.uses.flatMap(({ at, agentPath, tool, target }): Fault[] => {
    const name = agentNameOf(agentPath);
    const mode = modes.get(name)?.findLast((each) => each.at <= at)?.mode;
    const isChange = tool === "Write" || (tool === "Bash" && !target.startsWith("echo"));
    return isChange && mode === "plan" ? [{ rule: "rights", at, message: `${name} used ${tool} in plan mode` }] : [];
  });
  return [...tooWide, ...inPlanMode];
}

const modesOf = ({ events }: AgentLog): { readonly at: number; readonly mode: PermissionMode }[] =>
  events.flatMap(({ at, event }) =>
    (event.type === "agent.spawned" || event.type === "agent.changed") && event.permissionMode !== undefined
      ? [{ at, mode: event.permissionMode }]
      : [],
  );

/** The budget is exceeded by one request at most. */
export function checkBudget({ scenario, sessions, virtualMs }: RunRecord): Fault[] {
  const costs = sessions.flatMap(({ events }) =>
    events.flatMap(({ event }) => (event.type === "cost.recorded" ? [event.costUsd] : [])),
  );
  const spent = costs.reduce((sum, cost) => sum + cost, 0);
  if (scenario.maxBudgetUsd === undefined || spent <= scenario.maxBudgetUsd + Math.max(0, ...costs) + 1e-9) return [];
  return [{ rule: "budget", at: virtualMs, message: `spent ${spent} USD of ${scenario.maxBudgetUsd}` }];
}
