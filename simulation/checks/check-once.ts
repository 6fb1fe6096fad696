import { isDeepStrictEqual } from "node:util";
import { emptyView, reduce } from "../../src/view/index.ts";
import type { RunRecord } from "../world/run-scenario.ts";
import { agentLogs, endedWell, type Fault, firstLine, leadLogOf, promptsOf } from "./agent-log.ts";

/** Every prompt and every mail enters a conversation once. */
export function checkOnce(record: RunRecord): Fault[] {
  return agentLogs(record).flatMap(({ name, events }) => {
    const admitted = new Set<string>();
    const promoted = new Set<string>();
    const faults: Fault[] = [];
    for (const { at, event } of events) {
      if (event.type === "prompt.admitted" && admitted.size === admitted.add(event.promptId).size)
        faults.push({ rule: "exactly once", at, message: `${name} stores prompt ${event.promptId} twice` });
      if (event.type === "prompt.promoted" && promoted.size === promoted.add(event.promptId).size)
        faults.push({ rule: "exactly once", at, message: `${name} reads prompt ${event.promptId} twice` });
    }
    return faults;
  });
}

/** Text to a member that is still there is in its conversation when the run ends. */
export function checkDelivery(record: RunRecord): Fault[] {
  if (!endedWell(record)) return [];
  const logs = agentLogs(record);
  const ended = new Set(
    record.teams.flatMap(({ team }) => team.members.flatMap(({ name, ended: end }) => (end ? [name] : []))),
  );
  const received = new Map(logs.map((log) => [log.name, new Set(promptsOf(log).map(({ id }) => id))]));
  return logs.flatMap(({ name, events }) =>
    events.flatMap(({ at, event }): Fault[] => {
      if (event.type !== "mail.sent" || event.kind !== "text" || ended.has(event.to)) return [];
      if (received.get(event.to)?.has(event.mailId.replace(/^mail_/, "prm_m")) ?? true) return [];
      return [{ rule: "lost mail", at, message: `mail of ${name} to ${event.to} (${event.mailId}) was never read` }];
    }),
  );
}

/** The result is the lead's last answer, and nothing waits that would give it another turn. */
export function checkResult(record: RunRecord): Fault[] {
  const lead = leadLogOf(record);
  const result = record.processes.at(-1)?.result;
  if (!lead || !result || !endedWell(record)) return [];
  const faults: Fault[] = [];
  const opened = lead.events.findLastIndex(({ event }) => event.type === "session.opened");
  const answers = lead.events.slice(opened).flatMap(({ event }) => {
    if (event.type !== "turn.ended" || event.parts.some(({ type }) => type === "tool_call")) return [];
    return [event.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")];
  });
  const last = answers.at(-1) ?? "";
  if (last !== "" && result.result !== last)
    faults.push({
      rule: "result",
      at: record.virtualMs,
      message: `the result is ${JSON.stringify(result.result)}, the last answer ${JSON.stringify(last)}`,
    });
  for (const prompt of promptsOf(lead))
    if (prompt.promotedAt === undefined && !prompt.isQuiet && !prompt.isReplaced && !isFarewell(prompt.text))
      faults.push({
        rule: "unheard prompt",
        at: record.virtualMs,
        message: `the lead never read: ${firstLine(prompt.text)}`,
      });
  return faults;
}

/** The last words of a member that has reported everything need no separate turn. */
const isFarewell = (text: string) => text.includes("has agreed to end");

/** The stored logs fold, and what viewers saw live is what a reader of the logs sees. */
export function checkFold(record: RunRecord): Fault[] {
  try {
    for (const { events } of record.sessions) events.reduce(reduce, emptyView);
  } catch (error) {
    return [{ rule: "fold", at: record.virtualMs, message: String(error) }];
  }
  const stored = new Map(
    record.sessions.flatMap(({ events }) => events.map((envelope) => [envelope.id, envelope] as const)),
  );
  for (const envelope of record.seen) {
    const known = stored.get(envelope.id);
    if (known && !isDeepStrictEqual(known, envelope))
      return [
        { rule: "fold", at: record.virtualMs, message: `viewers saw another ${envelope.event.type} than the log has` },
      ];
  }
  return [];
}
