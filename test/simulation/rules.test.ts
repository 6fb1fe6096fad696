import { setMaxListeners } from "node:events";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import type * as SimulationBundle from "../../simulation/main.ts";
import type { RunRecord } from "../../simulation/world/run-scenario.ts";
import type { StoredEnvelope, StoredEvent } from "../../src/protocol/index.ts";
import { calmScenario } from "../support/calm-scenario.ts";

setMaxListeners(0);

type Simulation = Pick<typeof SimulationBundle, "checkRun" | "loadEmptyMachine" | "runScenario">;

/** The bundle: modules that load late would take real time. */
async function loadSimulation(): Promise<Simulation> {
  const script = pathToFileURL(resolve(import.meta.dirname, "../../simulation/build.mjs")).href;
  const { buildSimulation } = (await import(script)) as { readonly buildSimulation: () => Promise<string> };
  const file = await buildSimulation();
  try {
    return (await import(pathToFileURL(file).href)) as Simulation;
  } finally {
    rmSync(file);
  }
}

let simulation: Simulation;
let machine: Awaited<ReturnType<Simulation["loadEmptyMachine"]>>;
let run: RunRecord;
/** The same, but the lead ends its members. */
let endedTeam: RunRecord;
beforeAll(async () => {
  simulation = await loadSimulation();
  machine = await simulation.loadEmptyMachine();
  run = await simulation.runScenario(calmScenario(), machine);
  endedTeam = await simulation.runScenario(calmScenario({ ending: "shutdown" }), machine);
});

const rulesOf = (record: RunRecord) => [...new Set(simulation.checkRun(record).map(({ rule }) => rule))];

/** The run with other events in the lead's log, or in that of a member. */
const withEvents = (
  whose: "lead" | "member",
  change: (events: readonly StoredEnvelope[]) => readonly StoredEnvelope[],
  record = run,
): RunRecord => ({
  ...record,
  sessions: record.sessions.map((session) =>
    session.isLead === (whose === "lead") ? { ...session, events: change(session.events) } : session,
  ),
});

const without = (isGone: (event: StoredEvent) => boolean) => (events: readonly StoredEnvelope[]) =>
  events.filter(({ event }) => !isGone(event));
const twice = (isDouble: (event: StoredEvent) => boolean) => (events: readonly StoredEnvelope[]) =>
  events.flatMap((envelope) => (isDouble(envelope.event) ? [envelope, envelope] : [envelope]));
const textOf = (event: StoredEvent) =>
  event.type === "prompt.admitted" ? event.parts.map((part) => (part.type === "text" ? part.text : "")).join("") : "";
const later = (at: string) => new Date(Date.parse(at) + 5_000).toISOString();
const withResult = (result: object): RunRecord => ({
  ...run,
  processes: run.processes.map((process) => ({
    ...process,
    result: { ...process.result, ...result } as NonNullable<typeof process.result>,
  })),
});

test("a calm run keeps all rules", () => {
  expect(simulation.checkRun(run)).toEqual([]);
  expect(simulation.checkRun(endedTeam)).toEqual([]);
  expect(run.processes.at(-1)?.result?.subtype).toBe("success");
});

test.each<readonly [string, () => RunRecord]>([
  ["endless run", () => ({ ...run, end: "late" })],
  ["crash", () => ({ ...run, end: { error: new Error("a bug") } })],
  ["stall", () => ({ ...run, virtualMs: run.virtualMs + 200_000 })],
  [
    "wake without news",
    () =>
      withEvents(
        "lead",
        twice((event) => event.type === "prompt.admitted" && event.source === "agent" && event.quiet !== true),
      ),
  ],
  [
    "wake without news",
    () =>
      withEvents(
        "member",
        without(({ type }) => type === "prompt.promoted"),
      ),
  ],
  [
    "unheard end",
    () =>
      withEvents(
        "lead",
        without((event) => textOf(event).includes("has ended")),
        endedTeam,
      ),
  ],
  [
    "unheard report",
    () =>
      withEvents(
        "lead",
        without((event) => event.type === "prompt.admitted" && event.source === "mail"),
      ),
  ],
  [
    "two owners",
    () => ({
      ...run,
      teams: run.teams.map((team) => ({
        ...team,
        changes: team.changes.flatMap((change) =>
          change.item.owner === "alice"
            ? [change, { ...change, at: later(change.at), item: { ...change.item, owner: "bob" } }]
            : [change],
        ),
      })),
      uses: run.uses.map((use) => ({ ...use, at: use.at + 60_000 })),
    }),
  ],
  ["rights", () => ({ ...run, scenario: calmScenario({ leadMode: "default" }) })],
  [
    "rights",
    () =>
      withEvents("member", (events) =>
        events.map((envelope) =>
          envelope.event.type === "agent.spawned"
            ? { ...envelope, event: { ...envelope.event, permissionMode: "bypassPermissions" } }
            : envelope,
        ),
      ),
  ],
  ["worktree", () => ({ ...run, uses: run.uses.map((use, at) => (at === 0 ? use : { ...use, folder: "/other" })) })],
  ["worktree", () => ({ ...run, uses: run.uses.map((use) => ({ ...use, folder: "/x.troupe/alice-0000" })) })],
  [
    "worktree",
    () => ({
      ...run,
      worktrees: [
        {
          name: "alice-0000",
          path: "/x.troupe/alice-0000",
          branch: "troupe/alice-0000",
          checkout: "/x",
          commits: 1,
          landed: 0,
          uncommitted: new Set<string>(),
          left: [],
        },
      ],
    }),
  ],
  ["budget", () => ({ ...run, scenario: calmScenario({ maxBudgetUsd: 0.01 }) })],
  [
    "exactly once",
    () =>
      withEvents(
        "member",
        twice(({ type }) => type === "prompt.promoted"),
      ),
  ],
  [
    "exactly once",
    () =>
      withEvents(
        "lead",
        twice(({ type }) => type === "prompt.admitted"),
      ),
  ],
  [
    "lost mail",
    () => ({
      ...withEvents(
        "member",
        without(({ type }) => type === "prompt.admitted"),
      ),
      teams: run.teams.map((each) => ({
        ...each,
        team: { ...each.team, members: each.team.members.map((member) => ({ ...member, ended: undefined })) },
      })),
    }),
  ],
  ["result", () => withResult({ result: "another answer" })],
  [
    "unheard prompt",
    () =>
      withEvents(
        "lead",
        without((event) => event.type === "prompt.promoted" && /^prm_[^em]/.test(event.promptId)),
      ),
  ],
  ["fold", () => ({ ...run, seen: run.seen.map((envelope) => ({ ...envelope, at: "2026-01-01T09:00:00.000Z" })) })],
  [
    "conversation",
    () => ({ ...run, requests: [...run.requests].sort((a, b) => b.request.caller.turn - a.request.caller.turn) }),
  ],
  [
    "conversation",
    () =>
      withEvents(
        "member",
        without(({ type }) => type === "tool.settled"),
      ),
  ],
  ["open work", () => withResult({ open_tasks: [{ id: 9, subject: "Part 9", status: "pending" }] })],
])("the rule %s can be broken (case %#)", (rule, broken) => {
  expect(rulesOf(broken())).toContain(rule);
});

test("a run that is killed at any record is resumed and keeps all rules", async () => {
  const { faults } = calmScenario();
  expect(run.records).toBeGreaterThan(60);
  // A step that is prime to the length of common groups of records. The seeds cover the rest.
  for (let killAtRecord = 5; killAtRecord < run.records; killAtRecord += 7) {
    const record = await simulation.runScenario(calmScenario({ faults: { ...faults, killAtRecord } }), machine);
    const kills = record.processes.filter(({ killedAt }) => killedAt !== undefined).length;
    const end = {
      killAtRecord,
      kills,
      faults: simulation.checkRun(record),
      subtype: record.processes.at(-1)?.result?.subtype,
    };
    expect(end).toEqual({ killAtRecord, kills: 1, faults: [], subtype: "success" });
  }
});
