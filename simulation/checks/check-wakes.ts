import { agentLogs, type AgentLog, type Fault, firstLine, promptsOf } from "./agent-log.ts";
import type { RunRecord } from "../world/run-scenario.ts";

/** No agent is woken without news: not by the same notice again, and not without any prompt. */
export function checkWakes(record: RunRecord): Fault[] {
  return agentLogs(record).flatMap((log) => [
    ...sameNoticeAgain(log),
    ...sameTasksAgain(log),
    ...sameEndAgain(log),
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

/** A notice of an idle team with tasks that the previous notice named, although nothing else came in between. */
function sameTasksAgain({ name, events }: AgentLog): Fault[] {
  let shown: ReadonlySet<string> | undefined;
  return events.flatMap(({ at, event }): Fault[] => {
    if (event.type === "session.opened") shown = undefined;
    if (event.type !== "prompt.admitted") return [];
    const text = event.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    const before = shown;
    const isAboutTeam = event.source === "agent" && text.includes("No teammate is working now.");
    const open = new Set([...text.matchAll(/^#(\d+) \[/gm)].map(([, id = ""]) => id));
    shown = isAboutTeam ? open : undefined;
    // A plan that waits is a reason of its own.
    const isKnown = before && open.size > 0 && [...open].every((id) => before.has(id)) && !text.includes("ask_");
    return isAboutTeam && isKnown
      ? [
          {
            rule: "wake without news",
            at,
            message: `${name} is told again of the open tasks #${[...open].join(", #")}`,
          },
        ]
      : [];
  });
}

/** The end of a member is told once, also across restarts. Members of the same name do not follow each other here. */
function sameEndAgain(log: AgentLog): Fault[] {
  const told = new Set<string>();
  return promptsOf(log).flatMap(({ source, text, admittedAt: at }): Fault[] => {
    const ended = source === "agent" ? endedIn(text) : undefined;
    if (ended === undefined || told.size < told.add(ended).size) return [];
    return [{ rule: "exactly once", at, message: `${log.name} is told twice that ${ended} has ended` }];
  });
}

const endedIn = (text: string): string | undefined =>
  /^(?:Your teammate )?(\w+) (?:has agreed to end and has ended\.|was ended[.:]|has failed and ended[.:]|is gone[.:])/m.exec(
    text,
  )?.[1];

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
