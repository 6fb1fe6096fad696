import { expect, test } from "vitest";
import type { PromptId, RequestId, WorkItem } from "../../../src/protocol/index.ts";
import {
  attend,
  type AttentionEffect,
  type AttentionEvent,
  attentionLimits,
  noAttention,
} from "../../../src/team/lead/team-attention.ts";

type Step = AttentionEvent extends infer E ? (E extends unknown ? Omit<E, "at"> & { at?: number } : never) : never;

const report = { type: "report", name: "alice", promptId: "prm_1" as PromptId } as const;
const task = (id: number) => ({ id, subject: `task ${id}` }) as WorkItem;
const idle = (...openTasks: readonly WorkItem[]) =>
  ({ type: "inspected", finding: { kind: "idle", openTasks } }) as const;
const plan = {
  type: "request_opened",
  requestId: "ask_1" as RequestId,
  from: "alice",
  promptId: "prm_9" as PromptId,
  seen: "not_read",
} as const;

/** The effects of each event, in order. `at` defaults to the time of the event before. */
function effectsOf(events: readonly Step[], limits = attentionLimits): AttentionEffect[][] {
  let state = noAttention;
  let now = 0;
  return events.map((event) => {
    now = event.at ?? now;
    const next = attend(state, { ...event, at: now }, limits);
    state = next.state;
    return [...next.effects];
  });
}

const lastOf = (events: readonly Step[], limits = attentionLimits) => effectsOf(events, limits).at(-1) ?? [];
const wakesOf = (events: readonly Step[], limits = attentionLimits) =>
  effectsOf(events, limits).flatMap((effects) =>
    effects.flatMap((each) => (each.type === "wake" ? [each.reason.kind] : [])),
  );

const members = (...states: readonly [string, "idle" | "working" | "waiting" | "awaits_job"][]): Step[] =>
  states.map(([name, state]) => ({ type: "status", name, state }));
const turn: readonly Step[] = [{ type: "lead_started" }, { type: "lead_answered" }, { type: "lead_idle", waiting: [] }];

test("report of the last working member leads to a closer look, then to one wake", () => {
  const events: Step[] = [...members(["alice", "idle"]), { ...report, weight: "news" }];
  expect(lastOf(events)).toContainEqual({ type: "inspect" });
  expect(lastOf([...events, idle()])).toEqual([
    { type: "wake", reason: { kind: "team_idle", openTasks: [], hasNews: true } },
  ]);
});

test("lead that has answered is not woken again for the same open tasks", () => {
  const events: Step[] = [
    ...members(["alice", "idle"]),
    { ...report, weight: "news" },
    idle(task(2), task(3)),
    ...turn,
  ];
  expect(wakesOf(events)).toEqual(["team_idle"]);
  // Nothing is new: no closer look, and no wake even if there were one.
  expect(wakesOf([...events, { type: "tasks_changed" }, idle(task(2), task(3)), ...turn])).toEqual(["team_idle"]);
  expect(wakesOf([...events, { type: "tasks_changed" }, idle(task(3))])).toEqual(["team_idle"]);
  expect(wakesOf([...events, { type: "tasks_changed" }, idle(task(3), task(4))])).toEqual(["team_idle", "team_idle"]);
});

test("a member that becomes idle leads to a closer look, because its report may still be on its way", () => {
  expect(lastOf(members(["alice", "working"], ["alice", "idle"]))).toEqual([{ type: "inspect" }]);
  expect(lastOf(members(["alice", "idle"], ["alice", "idle"]))).toEqual([]);
});

test("closer look during which something changed is repeated", () => {
  const events: Step[] = [
    ...members(["alice", "idle"]),
    { ...report, weight: "news" },
    { type: "status", name: "alice", state: "working" },
    idle(),
  ];
  expect(wakesOf(events)).toEqual([]);
  expect(lastOf([...events, { type: "status", name: "alice", state: "idle" }])).toContainEqual({ type: "inspect" });
});

test("report with news wakes the lead within 30 s while others work; one without does not", () => {
  const others = members(["alice", "idle"], ["bob", "working"]);
  expect(lastOf([...others, { ...report, weight: "news" }])).toEqual([{ type: "tick_at", at: 20_000 }]);
  expect(lastOf([...others, { ...report, weight: "news" }, { type: "tick", at: 20_000 }])).toEqual([
    { type: "wake", reason: { kind: "news", working: ["bob"] } },
  ]);
  expect(wakesOf([...others, { ...report, weight: "none" }, { type: "tick", at: 60_000 }])).toEqual([]);
});

test("report with news wakes the lead at once while all others are idle or only wait for a background job", () => {
  const news: Step = { ...report, weight: "news" };
  const others = (bob: "working" | "awaits_job") => members(["alice", "working"], ["bob", bob], ["cleo", "idle"]);
  const isIdle = members(["alice", "idle"]);
  const wake = { type: "wake", reason: { kind: "news", working: ["bob"] } };
  expect(lastOf([...others("awaits_job"), news, ...isIdle])).toEqual([wake]);
  expect(lastOf([...others("awaits_job"), ...isIdle, news])).toEqual([wake]);
  expect(lastOf([...others("working"), ...isIdle, news, ...members(["bob", "awaits_job"])])).toEqual([wake]);
  // Another one works, has unread mail, or the member that reported itself waits for its job.
  expect(wakesOf([...others("working"), news, ...isIdle])).toEqual([]);
  expect(wakesOf([...others("awaits_job"), { type: "work_sent", name: "cleo" }, news, ...isIdle])).toEqual([]);
  expect(wakesOf([...others("awaits_job"), news, ...members(["alice", "awaits_job"])])).toEqual([]);
});

test("news that the lead has read in the meantime does not wake it", () => {
  const events: Step[] = [
    ...members(["alice", "idle"], ["bob", "working"]),
    { ...report, weight: "news" },
    { type: "lead_started" },
    { type: "read", promptId: report.promptId },
    { type: "lead_idle", waiting: [] },
    { type: "tick", at: 60_000 },
  ];
  expect(wakesOf(events)).toEqual([]);
});

test("report that only says that a member waits wakes the lead only if the lead had sent it work", () => {
  const waits: Step[] = [...members(["alice", "idle"]), { ...report, weight: "none" }, idle()];
  expect(wakesOf(waits)).toEqual([]);
  expect(wakesOf([{ type: "work_sent", name: "alice" }, ...waits])).toEqual(["team_idle"]);
});

test("ends are held back while other members are asked to end, and told with one wake", () => {
  const ended = (promptId: string) => ({ type: "ended", promptId: promptId as PromptId, isUrgent: false }) as const;
  const events: Step[] = [
    ...members(["alice", "idle"], ["bob", "idle"]),
    { type: "asked_to_end", name: "alice" },
    { type: "asked_to_end", name: "bob" },
    { type: "status", name: "alice", state: "ended" } as unknown as Step,
    ended("prm_2"),
    { type: "end_settled", name: "alice" },
    { type: "tick", at: 40_000 },
  ];
  expect(wakesOf(events)).toEqual([]);
  const both: Step[] = [
    { type: "status", name: "bob", state: "ended" } as unknown as Step,
    ended("prm_3"),
    { type: "end_settled", name: "bob" },
    idle(),
  ];
  expect(wakesOf([...events, ...both])).toEqual(["team_idle"]);
});

test("lead whose model could not answer is not reminded of the plan that it has just got", () => {
  const failed: Step[] = [
    ...members(["alice", "waiting"]),
    plan,
    { type: "lead_started" },
    { type: "read", promptId: plan.promptId },
    { type: "lead_idle", waiting: [] },
    { type: "tick", at: 600_000 },
  ];
  expect(wakesOf(failed)).toEqual([]);
  expect(wakesOf([...failed, ...turn])).toEqual(["request"]);
});

test("lead is reminded of a plan that it has read, as soon as it is idle, and at most three times", () => {
  const events: Step[] = [
    ...members(["alice", "waiting"]),
    plan,
    { type: "lead_started" },
    { type: "read", promptId: plan.promptId },
    { type: "lead_answered" },
    { type: "lead_idle", waiting: [] },
  ];
  const again = (at: number): Step[] => [{ type: "lead_started" }, { type: "lead_idle", waiting: [], at }];
  const reminder = { type: "wake", reason: { kind: "request", requestIds: [plan.requestId] } };
  expect(lastOf(events)).toEqual([reminder]);
  expect(lastOf([...events, ...again(1_000)])).toEqual([{ type: "tick_at", at: 61_000 }]);
  const all: Step[] = [
    ...events,
    ...again(1_000),
    { type: "tick", at: 61_000 },
    ...again(62_000),
    { type: "tick", at: 242_000 },
    ...again(243_000),
    { type: "tick", at: 9_000_000 },
  ];
  expect(wakesOf(all)).toEqual(["request", "request", "request"]);
  expect(wakesOf([...events, { type: "request_closed", requestId: plan.requestId }, ...again(1_000)])).toEqual([
    "request",
  ]);
});

test("lead that reads a plan is not reminded before it had a turn with it", () => {
  const events: Step[] = [...members(["alice", "waiting"]), plan, { type: "read", promptId: plan.promptId }];
  expect(wakesOf(events)).toEqual([]);
  expect(wakesOf([...events, ...turn])).toEqual(["request"]);
});

test("member that has failed counts as failed until it works or gets work", () => {
  const failed = (...more: readonly Step[]) => {
    const events: readonly Step[] = [...members(["alice", "idle"]), { ...report, weight: "news", hasFailed: true }];
    const state = [...events, ...more].reduce((now, event) => attend(now, { at: 0, ...event }).state, noAttention);
    return [...state.failed];
  };
  expect(failed()).toEqual(["alice"]);
  expect(failed({ type: "status", name: "alice", state: "idle" })).toEqual(["alice"]);
  expect(failed({ type: "status", name: "alice", state: "working" })).toEqual([]);
  expect(failed({ type: "work_sent", name: "alice" })).toEqual([]);
  expect(failed({ ...report, weight: "news" })).toEqual([]);
});

test("member that waits for the lead's answer does not hold back the reports of others", () => {
  const events: Step[] = [...members(["alice", "waiting"], ["bob", "idle"]), plan];
  expect(lastOf([...events, { ...report, name: "bob", weight: "news" }])).toContainEqual({ type: "inspect" });
});

test("member without any sign is no longer awaited; one with a sign is", () => {
  const sent: Step[] = [...members(["sink", "working"]), { type: "work_sent", name: "sink", limitMs: 60_000 }];
  expect(lastOf(sent)).toEqual([{ type: "tick_at", at: 60_000 }]);
  expect(lastOf([...sent, { type: "tick", at: 60_000 }])).toEqual([{ type: "give_up", names: ["sink"] }]);
  expect(lastOf([...sent, { type: "sign", name: "sink" }, { type: "tick", at: 60_000 }])).toEqual([]);
});

test("lead is not woken beyond the limit, and that is reported once; a prompt of the user resets it", () => {
  const limits = { ...attentionLimits, maxWakes: 2 };
  const round: Step[] = [{ ...report, weight: "news" }, idle(), ...turn];
  const events: Step[] = [...members(["alice", "idle"]), ...round, ...round, ...round, ...round];
  expect(wakesOf(events, limits)).toEqual(["team_idle", "team_idle"]);
  expect(effectsOf(events, limits).flat()).toContainEqual({ type: "exhausted" });
  const later: Step[] = [{ type: "user_prompt" }, ...turn, { ...report, weight: "news" }, idle(), idle()];
  expect(wakesOf([...events, ...later], limits)).toHaveLength(3);
});

test("a plan that a previous run has seen is brought back to mind: after a turn at once, otherwise after a minute", () => {
  const waits = members(["alice", "waiting"]);
  const resumed = (seen: "read" | "had_turn"): Step[] => [...waits, { ...plan, seen }];
  expect(wakesOf([...resumed("had_turn"), { type: "tick", at: 59_000 }])).toEqual([]);
  expect(wakesOf([...resumed("had_turn"), { type: "tick", at: 60_000 }])).toEqual(["request"]);
  expect(wakesOf([...resumed("read"), ...turn])).toEqual(["request"]);
});

test("work that has not landed wakes the lead once, also after it has read the report", () => {
  const work = { path: "/trees/a", branch: "troupe/a", uncommittedFiles: 0, uncommitted: [], commits: 2 };
  const unlanded = [{ owner: "alice", hasEnded: false, work }];
  const found: Step = { type: "inspected", finding: { kind: "idle", openTasks: [], unlanded } };
  const read: Step = { type: "report_read", name: "alice" };
  const events: Step[] = [...members(["alice", "working"]), read, ...members(["alice", "idle"])];
  expect(lastOf([...events, found])).toEqual([
    { type: "wake", reason: { kind: "team_idle", openTasks: [], unlanded, hasNews: false } },
  ]);
  expect(wakesOf([...events, found, ...turn, { type: "tasks_changed" }, found])).toEqual(["team_idle"]);
  // It is named again with news: after a landing, the same worktree may have new commits.
  expect(lastOf([...events, found, ...turn, { ...report, weight: "news" }, found])).toEqual([
    { type: "wake", reason: { kind: "team_idle", openTasks: [], unlanded, hasNews: true } },
  ]);
});

test("lead of an idle team is not woken for its last answer before every end is known", () => {
  const promptId = "prm_e1" as PromptId;
  const events: Step[] = [
    ...members(["alice", "working"]),
    { ...report, weight: "news" },
    { type: "status", name: "alice", state: "ended" },
    { type: "end_seen", promptId },
    idle(),
  ];
  expect(wakesOf(events)).toEqual([]);
  const told: Step[] = [...events, { type: "ended", promptId, isUrgent: false }, { type: "end_told", promptId }];
  expect(lastOf(told)).toContainEqual({ type: "inspect" });
  expect(wakesOf([...told, idle()])).toEqual(["team_idle"]);
});
