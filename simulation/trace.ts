import type { Event } from "../src/protocol/index.ts";
import { type Fault, runTimeOf } from "./checks/agent-log.ts";
import { agentNameOf } from "./model/policy-model.ts";
import type { RunRecord } from "./world/run-scenario.ts";

/** The whole run in readable lines: the time, the agent, and what it heard, answered or did. */
export function traceOf(record: RunRecord, faults: readonly Fault[]): readonly string[] {
  const names = new Map(
    record.sessions.flatMap(({ events }) =>
      events.flatMap(({ agent, event }) =>
        event.type === "agent.spawned" ? [[agent, agentNameOf(event.path)] as const] : [],
      ),
    ),
  );
  const lines: { readonly at: number; readonly text: string }[] = [];
  // The lead's viewers do not see the events of a member in its own process.
  const ids = new Set(record.seen.map(({ id }) => id));
  const unseen = record.sessions.flatMap(({ events }) => events.filter(({ id }) => !ids.has(id)));
  for (const envelope of [...record.seen, ...unseen]) {
    const text = lineOf(envelope.event);
    if (text !== undefined)
      lines.push({
        at: runTimeOf(envelope.at, record),
        text: `${(names.get(envelope.agent) ?? "team-lead").padEnd(10)} ${text}`,
      });
  }
  for (const { startedAt, killedAt, endedAt, result } of record.processes) {
    lines.push({ at: startedAt, text: "---------- the program starts" });
    if (killedAt !== undefined) lines.push({ at: killedAt, text: "---------- the program is killed" });
    if (endedAt !== undefined)
      lines.push({ at: endedAt, text: `---------- the run ends (${result?.subtype}): ${result?.result}` });
  }
  const { clockJump } = record;
  if (clockJump)
    lines.push({
      at: clockJump.at,
      text: `---------- the time of day jumps by ${clockJump.ms / 3_600_000} h`,
    });
  for (const { at, rule, message } of faults) lines.push({ at, text: `!!!!!!!!!! ${rule}: ${message}` });
  return lines
    .map((line, index) => ({ ...line, index }))
    .sort((a, b) => a.at - b.at || a.index - b.index)
    .map(({ at, text }) => `${(at / 1000).toFixed(3).padStart(10)} s  ${text}`);
}

/** The models, the job and the faults of a run. */
export function scenarioLines({ scenario }: Pick<RunRecord, "scenario">): readonly string[] {
  const { members, tasks, personas, faults, ...rest } = scenario;
  const habits = (name: string) => {
    const persona = personas.get(name);
    const strong = Object.entries(persona?.habits ?? {}).flatMap(([habit, chance]) =>
      chance > 0 ? [`${habit} ${chance}`] : [],
    );
    return `${persona?.name}${strong.length > 0 ? ` (${strong.join(", ")})` : ""}`;
  };
  return [
    `seed ${rest.seed}, ${rest.mode}; tasks reach members by ${rest.assign}${rest.earlyOwners ? ", early" : ""}; ${rest.tasksFirst ? "tasks" : "members"} first; ${rest.followUps} more jobs; ends with ${rest.ending}; mode ${rest.leadMode}; members ${rest.backend}; user ${rest.user}; budget ${rest.maxBudgetUsd ?? "none"}; guest ${rest.guestAtRecord === undefined ? "none" : `at record ${rest.guestAtRecord}`}`,
    `team-lead: ${habits("team-lead")}`,
    ...members.map(
      ({ name, type, planRequired, worktree, mode, steps }) =>
        `${name}: ${type}${planRequired ? ", with a plan" : ""}${worktree ? ", in a worktree" : ""}${mode ? `, mode ${mode}` : ""}, ${steps} steps; ${habits(name)}`,
    ),
    ...tasks.map(
      ({ subject, blockedBy, owner }, at) =>
        `task ${at + 1}: ${subject} for ${members[owner]?.name}${blockedBy.length > 0 ? `, blocked by ${blockedBy.map((each) => each + 1).join(", ")}` : ""}`,
    ),
    `faults: kill at record ${faults.killAtRecord}; disk full ${faults.diskFull ? `at record ${faults.diskFull.atRecord} for ${faults.diskFull.forMs} ms` : "never"}; clock ${faults.clockJump ? `jumps at record ${faults.clockJump.atRecord}` : "right"}; member ${faults.lostMember ? `${faults.lostMember.how} at record ${faults.lostMember.atRecord}` : "never lost"}; provider ${faults.provider}`,
  ];
}

function lineOf(event: Event): string | undefined {
  switch (event.type) {
    case "prompt.admitted":
      return `gets from ${event.source}${event.quiet ? " (quiet)" : ""}: ${textIn(event.parts)}`;
    case "turn.started":
      return `asks its model (turn ${event.turn})`;
    case "turn.ended": {
      const calls = event.parts.flatMap((part) =>
        part.type === "tool_call" ? [`${part.name} ${JSON.stringify(part.input)}`] : [],
      );
      return calls.length > 0
        ? `calls ${calls.join("; ").slice(0, 400)}`
        : `says: ${textIn(event.parts.filter((part) => part.type === "text"))}`;
    }
    case "turn.failed":
      return `fails: ${event.failure.message}`;
    case "tool.settled":
      return `  result (${event.outcome}): ${textIn(event.content)}`;
    case "permission.asked":
      return `asks: ${event.question.slice(0, 100)}`;
    case "permission.settled":
      return `is answered: ${event.behavior} by ${event.by}`;
    case "agent.idle":
      return `is idle (${event.reason}${event.detail ? `: ${event.detail}` : ""})`;
    case "agent.stopped":
      return `stops: ${event.outcome} ${event.detail ?? ""}`;
    case "mail.sent":
      return `sends ${event.kind} to ${event.to}`;
    case "mail.received":
      return event.promptId === undefined ? `receives ${event.kind} from ${event.from}` : undefined;
    case "task.claimed":
      return `claims #${event.taskId}`;
    case "task.changed":
      return `(task #${event.task.id} is ${event.task.status}, owner ${event.task.owner ?? "none"})`;
    case "member.changed":
      return `(sees ${event.name} ${event.state}${event.detail ? `: ${event.detail.slice(0, 40)}` : ""})`;
    case "notice.raised":
      return `(notice: ${event.message.slice(0, 160)})`;
    case "turn.retried":
      return `(tries again in ${event.delayMs} ms: ${event.failure.message})`;
    default:
      return undefined;
  }
}

const textIn = (parts: readonly { readonly type: string; readonly text?: string }[]): string =>
  parts
    .map((part) => part.text ?? `(${part.type})`)
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .slice(0, 300);
