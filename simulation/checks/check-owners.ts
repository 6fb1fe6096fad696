import { agentNameOf } from "../model/policy-model.ts";
import type { RunRecord } from "../world/run-scenario.ts";
import { agentLogs, type Fault, promptsOf, runTimeOf } from "./agent-log.ts";

/** How long a member may continue a task before it must have received a message that it lost the task. */
const noticeMs = 20_000;

/** A member that had a task works on it only while no other member owns it, unless it received a message and does not listen. */
export function checkOwners(record: RunRecord): Fault[] {
  const owners = ownersOver(record);
  const prompts = new Map(agentLogs(record).map((log) => [log.name, promptsOf(log)]));
  const faults = new Map<string, Fault>();
  for (const { at, agentPath, tool, target } of record.uses) {
    const taskId = Number(/part-(\d+)/.exec(target)?.[1] ?? 0);
    if (taskId === 0 || tool === "Read") continue;
    const name = agentNameOf(agentPath);
    const history = owners.get(taskId) ?? [];
    const now = history.findLast((owned) => owned.from <= at);
    const before = history.findLast((owned) => owned.owner === name && owned.from <= at);
    if (!now || now.owner === undefined || now.owner === name || !before || at - now.from < noticeMs) continue;
    const own = prompts.get(name) ?? [];
    const wasTold = own.some(({ admittedAt, text }) => admittedAt >= now.from && text.includes(`#${taskId}`));
    if (wasTold || wasRefused(record, { name, taskId, from: now.from, to: at })) continue;
    const message = `${name} works on #${taskId}, which ${now.owner} owns for ${Math.round((at - now.from) / 1000)} s, without a message about it`;
    faults.set(`${name} ${taskId}`, faults.get(`${name} ${taskId}`) ?? { rule: "two owners", at, message });
  }
  return [...faults.values()];
}

/** The member tried to change the task, and read whose it is. */
function wasRefused(
  record: RunRecord,
  { name, taskId, from, to }: { name: string; taskId: number; from: number; to: number },
): boolean {
  const text = new RegExp(`(?:Task |#)${taskId} (?:belongs to|is already claimed by)`);
  return agentLogs(record).some(
    (log) =>
      log.name === name &&
      log.events.some(
        ({ at, event }) =>
          event.type === "tool.settled" &&
          at >= from &&
          at <= to &&
          event.content.some((part) => part.type === "text" && text.test(part.text)),
      ),
  );
}

interface Owned {
  readonly from: number;
  readonly owner: string | undefined;
}

function ownersOver(record: RunRecord): Map<number, Owned[]> {
  const owners = new Map<number, Owned[]>();
  for (const { at, item } of record.teams.flatMap(({ changes }) => changes)) {
    const known = owners.get(item.id) ?? [];
    if (known.at(-1)?.owner !== item.owner || known.length === 0)
      known.push({ from: runTimeOf(at, record), owner: item.owner });
    owners.set(item.id, known);
  }
  return owners;
}
