import type { StoredEnvelope, StoredEvent } from "../../src/protocol/index.ts";
import { agentNameOf } from "../model/policy-model.ts";
import { maxVirtualMs, type RunRecord } from "../world/run-scenario.ts";

/** The log of one member, with virtual times. */
export interface AgentLog {
  readonly name: string;
  readonly isLead: boolean;
  readonly events: readonly TimedEvent[];
}

export interface TimedEvent {
  /** Virtual milliseconds since the start of the run. */
  readonly at: number;
  readonly event: StoredEvent;
}

/** A broken rule. `at` is the virtual time of the fault. */
export interface Fault {
  readonly rule: string;
  readonly at: number;
  readonly message: string;
}

const startOfTime = Date.UTC(2026, 0, 1);

/** The time of the run at which the clock showed this time of day. */
export function runTimeOf(timeOfDay: string, { clockJump }: Pick<RunRecord, "clockJump">): number {
  const shown = Date.parse(timeOfDay) - startOfTime;
  const afterJump = shown - (clockJump?.ms ?? 0);
  return clockJump && afterJump >= clockJump.at && afterJump <= maxVirtualMs ? afterJump : shown;
}

/** The logs of all members. Every check reads them, so they are made once. */
export function agentLogs(record: RunRecord): readonly AgentLog[] {
  const known = made.get(record) ?? record.sessions.map((session) => logOf(session, record));
  made.set(record, known);
  return known;
}

const made = new WeakMap<RunRecord, readonly AgentLog[]>();

const logOf = ({ events, isLead }: RunRecord["sessions"][number], record: RunRecord): AgentLog => ({
  name: nameIn(events),
  isLead,
  events: events.map(({ at, event }) => ({ at: runTimeOf(at, record), event })),
});

function nameIn(events: readonly StoredEnvelope[]): string {
  for (const { event } of events) if (event.type === "agent.spawned") return agentNameOf(event.path);
  return "unknown";
}

export const leadLogOf = (record: RunRecord): AgentLog | undefined => agentLogs(record).find(({ isLead }) => isLead);

/** True if the run ended by itself, with an answer. Only then everything must have been heard. */
export const endedWell = ({ end, processes }: RunRecord): boolean =>
  end === "done" && processes.at(-1)?.result?.subtype === "success";

/** A prompt with the times of its way into the conversation. */
export interface Prompt {
  readonly id: string;
  readonly source: Extract<StoredEvent, { type: "prompt.admitted" }>["source"];
  readonly text: string;
  readonly isQuiet: boolean;
  readonly admittedAt: number;
  promotedAt?: number;
  /** The end of the first whole answer after it. */
  answeredAt?: number;
  /** Another prompt replaced it before it was read. */
  isReplaced?: boolean;
}

export function promptsOf({ events }: AgentLog): readonly Prompt[] {
  const prompts = new Map<string, Prompt>();
  for (const { at, event } of events) {
    if (event.type === "prompt.admitted") {
      const text = event.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      const { promptId: id, source, quiet: isQuiet = false, insteadOf } = event;
      if (!prompts.has(id)) prompts.set(id, { id, source, text, isQuiet, admittedAt: at });
      const replaced = insteadOf === undefined ? undefined : prompts.get(insteadOf);
      if (replaced) replaced.isReplaced = true;
    }
    const promoted = event.type === "prompt.promoted" ? prompts.get(event.promptId) : undefined;
    if (promoted) promoted.promotedAt ??= at;
    if (event.type === "turn.ended" || event.type === "turn.failed")
      for (const prompt of prompts.values()) if (prompt.promotedAt !== undefined) prompt.answeredAt ??= at;
  }
  return [...prompts.values()];
}

export const firstLine = (text: string): string =>
  text
    .split("\n")
    .find((line) => line.trim() !== "" && !line.startsWith("<"))
    ?.slice(0, 160) ?? "";
