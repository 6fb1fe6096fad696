import { agentLogs, type AgentLog, type Fault, firstLine, promptsOf } from "./agent-log.ts";
import type { RunRecord } from "../world/run-scenario.ts";

/** No agent is woken without news: not by the same notice again, and not without any prompt. */
export function checkWakes(record: RunRecord): Fault[] {
  return agentLogs(record).flatMap((log) => [
    ...sameNoticeAgain(log),
    ...wokenByNothing(log),
    ...remindedTooEarly(log),
  ]);
}

/** A member that waits is named again after this time. */
const remindMs = 60_000;

/** The same notice twice, with no other prompt and no call of the agent in between. */
function sameNoticeAgain({ name, events }: AgentLog): Fault[] {
  let last: { readonly text: string; readonly at: number } | undefined;
  const faults: Fault[] = [];
  for (const { at, event } of events) {
    if (event.type === "session.opened") last = undefined;
    if (event.type === "turn.ended" && event.parts.some(({ type }) => type === "tool_call")) last = undefined;
    if (event.type !== "prompt.admitted") continue;
    const text = event.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    const isReminder = /\bask_\w+/.test(text) && at - (last?.at ?? 0) >= remindMs;
    if (event.source === "agent" && event.quiet !== true && text === last?.text && !isReminder)
      faults.push({ rule: "wake without news", at, message: `${name} gets the same notice again: ${firstLine(text)}` });
    last = event.source === "agent" ? { text, at } : undefined;
  }
  return faults;
}

/** A reminder of a request comes after a turn in which the agent could have answered it. */
function remindedTooEarly(log: AgentLog): Fault[] {
  const prompts = promptsOf(log);
  const requests = prompts.filter(({ source }) => source === "mail");
  return prompts.flatMap(({ source, text, admittedAt: at }): Fault[] => {
    if (source !== "agent") return [];
    // Later mail can name the request too, such as its withdrawal.
    const reminded = [...text.matchAll(/\bask_\w+/g)].flatMap(
      ([id]) => requests.find((request) => request.text.includes(id)) ?? [],
    );
    return reminded.some(({ answeredAt = Infinity }) => answeredAt > at)
      ? [{ rule: "wake without news", at, message: `${log.name} is reminded of a request that it has just got` }]
      : [];
  });
}

/** A run begins with a prompt, or continues one of an earlier process. */
function wokenByNothing({ name, events }: AgentLog): Fault[] {
  let hasReason = true;
  const faults: Fault[] = [];
  for (const { at, event } of events) {
    if (event.type === "session.opened" || event.type === "prompt.promoted") hasReason = true;
    // After an answer without text the same request may be repeated.
    if (event.type === "agent.idle") hasReason = event.reason !== "completed" || event.detail !== undefined;
    if (event.type === "turn.started" && !hasReason)
      faults.push({ rule: "wake without news", at, message: `${name} begins a turn that nothing asked for` });
    if (event.type === "turn.started") hasReason = true;
  }
  return faults;
}
