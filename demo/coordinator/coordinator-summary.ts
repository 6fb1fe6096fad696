import { readdirSync } from "node:fs";
import type { Envelope, Event } from "../../src/protocol/index.ts";
import type { CoordinatorResult } from "./play-coordinator.ts";
import type { TestRun } from "../shared/run-tests.ts";
import { discount, total } from "./sample-app-files.ts";

export interface CoordinatorRun {
  readonly played: Pick<CoordinatorResult, "envelopes" | "outcome">;
  readonly before: TestRun;
  readonly after: TestRun;
  readonly changed: readonly string[];
}

/** Collects the facts of a run from its log, for the summary and the check. */
export function summarizeRun(envelopes: readonly Envelope[]) {
  const events = envelopes.map(({ event }) => event);
  const all = <T extends Event["type"]>(type: T) =>
    events.filter((event): event is Extract<Event, { type: T }> => event.type === type);
  const lead = envelopes.find(({ event }) => event.type === "session.opened")?.agent;
  const leadCalls = envelopes.flatMap(({ agent, event }) =>
    agent === lead && event.type === "tool.called" ? [event.name] : [],
  );
  const composed = all("context.composed").map(({ system }) => system.join("\n"));
  const scratchpad = composed.map((text) => /Scratchpad: (.+?) is a folder/.exec(text)?.[1]).find(Boolean);
  return {
    isCoordinator: all("session.opened").every(({ coordinator }) => coordinator === true),
    leadTools: [...new Set(leadCalls)].toSorted(),
    workers: all("agent.spawned").filter(({ parent, agentType }) => parent !== undefined && agentType === "worker"),
    notifications: all("prompt.admitted").filter(({ source }) => source === "background").length,
    asked: all("permission.asked").length,
    scratchpad,
  };
}

/** Returns the files that workers share, or undefined if the folder does not exist. */
export const filesIn = (scratchpad: string | undefined): readonly string[] | undefined =>
  scratchpad === undefined ? undefined : readdirSync(scratchpad).toSorted();

/** Returns the first promise of the demo that failed, or undefined. */
export function coordinatorProblem(
  { played, before, after, changed }: CoordinatorRun,
  shared: readonly string[] | undefined,
): string | undefined {
  const { outcome, envelopes } = played;
  const facts = summarizeRun(envelopes);
  const tools = facts.leadTools.join(", ");
  if (before.green) return "the sample's tests passed before any change";
  if (outcome?.reason !== "completed") return `the session ended early: ${outcome?.detail ?? "no reason was given"}`;
  if (!facts.isCoordinator) return "the session did not run in coordinator mode";
  if (tools !== "Agent, SendMessage") return `the coordinator used ${tools || "no tool"}`;
  if (facts.workers.length !== 3) return `${facts.workers.length} workers were started, not 3`;
  if (facts.notifications !== 4) return `${facts.notifications} reports arrived, not 4`;
  if (facts.asked !== 0) return "an agent asked for permission";
  if (shared?.join() !== "findings.md,test-run.txt")
    return `the scratchpad contains ${shared?.join(", ") || "nothing"}`;
  if (changed.toSorted().join() !== [discount.source, total.source].toSorted().join())
    return `the changed files are ${changed.join(", ") || "none"}`;
  return after.green ? undefined : `the tests fail at the end (${after.summary})`;
}
