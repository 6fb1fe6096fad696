import type { PermissionMode } from "../../src/protocol/index.ts";
import { agentNameOf } from "../model/policy-model.ts";
import type { RunRecord } from "../world/run-scenario.ts";
import { agentLogs, type AgentLog, type Fault } from "./agent-log.ts";

/** From strict to loose. The check does not use the order of the runtime, which could be wrong. */
const looseness: Readonly<Partial<Record<PermissionMode, number>>> = {
  plan: 0,
  dontAsk: 1,
  default: 2,
  acceptEdits: 3,
  bypassPermissions: 4,
};

/** No member has a wider mode than its lead, no agent changes anything in plan mode or without permission. */
export function checkRights(record: RunRecord): Fault[] {
  const { leadMode } = record.scenario;
  const logs = agentLogs(record);
  const tooWide = logs.flatMap((log) =>
    modesOf(log).flatMap(({ at, mode }): Fault[] =>
      (looseness[mode] ?? Infinity) <= (looseness[leadMode] ?? 0)
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
  return [...tooWide, ...inPlanMode, ...withoutPermission(record)];
}

/** In mode default each change needs the permission of the user. A type that only reads changes nothing at all. */
function withoutPermission({ scenario, uses }: RunRecord): Fault[] {
  const isNeverAllowed = scenario.leadMode === "default" && scenario.user === "absent";
  return uses.flatMap(({ at, agentPath, tool }): Fault[] => {
    const name = agentNameOf(agentPath);
    const onlyReads = scenario.members.some((member) => member.name === name && member.type === "Explore");
    return tool === "Write" && (isNeverAllowed || onlyReads)
      ? [{ rule: "rights", at, message: `${name} used Write without permission` }]
      : [];
  });
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
