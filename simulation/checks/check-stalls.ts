import { agentLogs, type Fault, leadLogOf, promptsOf } from "./agent-log.ts";
import type { RunRecord } from "../world/run-scenario.ts";

/** The longest time without any work while the run is not over. The deadline for a shutdown is a minute. */
const maxQuietMs = 100_000;

/** At every time some agent asks its model, runs a tool, or the program is not running at all. */
export function checkStalls(record: RunRecord): Fault[] {
  const busy = [...busySpans(record)].sort((a, b) => a.from - b.from);
  const end = record.end === "done" ? record.virtualMs : Math.min(record.virtualMs, (busy.at(-1)?.to ?? 0) + 600_000);
  let quietFrom = 0;
  for (const { from, to } of [...busy, { from: end, to: end }]) {
    if (from - quietFrom > maxQuietMs && !isReminded(record, quietFrom)) return [stall(record, quietFrom, from)];
    quietFrom = Math.max(quietFrom, to);
  }
  return [];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function* busySpans(record: RunRecord): Generator<Span> {
  for (const [index, { killedAt }] of record.processes.entries()) {
    const next = record.processes[index + 1];
    if (killedAt !== undefined && next) yield { from: killedAt, to: next.startedAt };
  }
  for (const { events } of agentLogs(record)) {
    const open = new Map<string, number>();
    for (const { at, event } of events) {
      // A killed process leaves them open. The next one begins them again.
      if (event.type === "session.opened") for (const from of open.values()) yield { from, to: at };
      if (event.type === "session.opened") open.clear();
      if (event.type === "turn.started") open.set("turn", at);
      if (event.type === "tool.called") open.set(event.callId, at);
      const key =
        event.type === "turn.ended" || event.type === "turn.failed"
          ? "turn"
          : event.type === "tool.settled"
            ? event.callId
            : event.type === "permission.asked"
              ? event.callId
              : undefined;
      const from = key === undefined ? undefined : open.get(key);
      if (key !== undefined && from !== undefined) {
        yield { from, to: at };
        open.delete(key);
      }
      // After a question the agent waits, until it is answered.
      if (event.type === "permission.settled") yield { from: at, to: at };
    }
  }
}

/** A lead that was reminded of every open plan and does not answer makes its member wait. That is its own fault. */
function isReminded(record: RunRecord, at: number): boolean {
  const lead = leadLogOf(record);
  const open = openQuestions(record, at);
  const reminders = lead
    ? promptsOf(lead).filter(({ source, promotedAt = at + 1 }) => source === "agent" && promotedAt <= at)
    : [];
  return open.length > 0 && open.every(({ requestId }) => reminders.some(({ text }) => text.includes(requestId)));
}

function openQuestions(record: RunRecord, until: number) {
  return agentLogs(record).flatMap(({ name, events }) => {
    const open = new Map<string, string>();
    for (const { at, event } of events) {
      if (at > until + 1_000) break;
      if (event.type === "session.opened") open.clear();
      if (event.type === "permission.asked" && !event.member) open.set(event.requestId, event.question);
      if (event.type === "permission.settled") open.delete(event.requestId);
    }
    return [...open].map(([requestId, question]) => ({ name, requestId, question }));
  });
}

function stall(record: RunRecord, from: number, to: number): Fault {
  const waiting = openQuestions(record, from).map(
    ({ name, question }) => `${name} waits for an answer (${question.slice(0, 40).replaceAll(/\s+/g, " ")})`,
  );
  const seconds = Math.round((to - from) / 1000);
  const who = waiting.length > 0 ? waiting.join(", ") : "no agent waits for an answer";
  return { rule: "stall", at: from, message: `no agent works for ${seconds} s; ${who}` };
}
