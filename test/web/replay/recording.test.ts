import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentId, Envelope, Event, SessionId, WorkItem } from "../../../src/protocol/index.ts";
import { isLive } from "../../../src/view/index.ts";
import { loadRecording } from "../../../web/src/replay/load-recording.ts";
import { createPlayer } from "../../../web/src/replay/player.ts";
import { countUntil, createRecording, stepFrom } from "../../../web/src/replay/recording.ts";
import { emptyDashboard } from "../../../web/src/state/dashboard-state.ts";
import { foldEnvelopes } from "../../../web/src/state/fold-envelopes.ts";
import type { StreamListener } from "../../../web/src/state/live-connection.ts";
import { anyEvents, enclose, opened, sessionId, spawned } from "../../support/view/sample-envelopes.ts";

const memberSession = "ses_33333333" as SessionId;
const memberAgent = "agt_33333333" as AgentId;
const second = (count: number) => new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString();
const at = (envelopes: readonly Envelope[], seconds: readonly number[], session = sessionId): Envelope[] =>
  envelopes.map((envelope, index) => ({ ...envelope, session, at: second(seconds[index] ?? 0) }));

const task: WorkItem = {
  id: 1,
  subject: "Fix it",
  description: "all of it",
  status: "completed",
  owner: "ann",
  generation: 1,
  blocks: [],
  blockedBy: [],
  needs: [],
  acceptance: [],
  proof: "verified",
  metadata: {},
  createdBy: "team-lead",
  createdAt: second(1),
  updatedAt: second(9),
};
const joined: Event = {
  type: "member.joined",
  team: "t",
  name: "ann",
  sessionId: memberSession,
  agentType: "worker",
  model: "m",
  color: "green",
};
const now: Event[] = [
  {
    type: "member.changed",
    team: "t",
    name: "ann",
    role: "teammate",
    state: "ended",
    ended: "killed",
    since: second(9),
    alive: "dead",
    sessionId: memberSession,
    cwd: "/there",
  },
  { type: "task.changed", team: "t", task },
];
const ofLead = at(
  enclose([opened(), spawned(), { type: "task.created", team: "t", taskId: 1, subject: "Fix it" }, joined, ...now]),
  [0, 0, 1, 2, 20, 20],
);
const ofMember = at(
  enclose(
    (
      [
        opened(),
        spawned("ann@t"),
        { type: "task.claimed", team: "t", taskId: 1, subject: "Fix it" },
        { type: "turn.started", turn: 1, model: "m" },
        { type: "task.updated", team: "t", taskId: 1, status: "completed" },
        { type: "agent.idle", reason: "completed" },
        { type: "session.closed", reason: "completed" },
      ] satisfies Event[]
    ).map((event) => [memberAgent, event] as const),
  ),
  [3, 3, 4, 5, 6, 7, 8],
  memberSession,
);
const recording = createRecording(sessionId, [...ofLead, ...ofMember]);
const player = createPlayer(recording, { ...emptyDashboard, selected: sessionId, replayAt: second(0) });
const viewAt = (seconds: number) => {
  const count = countUntil(recording, Date.parse(second(seconds)));
  return player.at(count).views.get(sessionId);
};

describe("recording", () => {
  test("is in time order, over all logs", () => {
    expect(recording.times).toEqual([...recording.times].sort((a, b) => a - b));
    expect(recording.steps.map((index) => recording.envelopes[index]?.event.type)).toEqual([
      "session.opened",
      "agent.spawned",
      "task.created",
      "member.joined",
      "session.opened",
      "agent.spawned",
      "task.claimed",
      "turn.started",
      "task.updated",
      "agent.idle",
      "session.closed",
    ]);
  });

  test("keeps the order of a log where the clock was set back", () => {
    const odd = at(enclose([opened(), spawned(), { type: "agent.idle", reason: "completed" }]), [5, 2, 6]);
    expect(createRecording(sessionId, odd).envelopes.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test("shows the state of a member at each moment, and its end", () => {
    const memberAt = (seconds: number) => viewAt(seconds)?.teams.get("t")?.members[0];
    expect(memberAt(1)).toBeUndefined();
    expect(memberAt(2)).toMatchObject({
      name: "ann",
      state: "starting",
      alive: "alive",
      color: "green",
      cwd: "/there",
    });
    expect(memberAt(2)).not.toHaveProperty("ended");
    expect(memberAt(5)).toMatchObject({ state: "working" });
    expect(memberAt(7)).toMatchObject({ state: "idle" });
    expect(memberAt(8)).toMatchObject({ state: "ended", ended: "killed", alive: "dead" });
  });

  test("shows the state of a task at each moment", () => {
    const taskAt = (seconds: number) => viewAt(seconds)?.tasks.get("t")?.[0];
    expect(taskAt(0)).toBeUndefined();
    expect(taskAt(1)).toMatchObject({ status: "pending", description: "all of it", createdBy: "team-lead" });
    expect(taskAt(1)).not.toHaveProperty("owner");
    expect(taskAt(4)).toMatchObject({ status: "in_progress", owner: "ann" });
    expect(taskAt(4)).not.toHaveProperty("proof");
    expect(taskAt(6)).toMatchObject({ status: "completed", owner: "ann", proof: "verified" });
  });

  test("steps event by event, forwards and backwards", () => {
    const there: number[] = [];
    for (let count = 0; count < recording.envelopes.length; ) there.push((count = stepFrom(recording, count, 1)));
    expect(there).toEqual([...recording.steps.slice(1), recording.envelopes.length]);
    const back: number[] = [];
    for (let count = recording.envelopes.length; count > 0; ) back.push((count = stepFrom(recording, count, -1)));
    expect(back).toEqual([...recording.steps].reverse());
    expect(stepFrom(recording, 0, -1)).toBe(0);
  });
});

test("a moment is always the same, whatever was viewed before", () => {
  fc.assert(
    fc.property(fc.array(anyEvents, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 6 }), (many, jumps) => {
      const stored = enclose(many.flat().filter(([, event]) => !isLive(event)));
      const made = createRecording(sessionId, stored);
      const first = { ...emptyDashboard, selected: sessionId, replayAt: second(0) };
      const jumping = createPlayer(made, first);
      if (jumps.length % 2 === 0) while (jumping.prepare(1) < 1);
      for (const jump of jumps) {
        const count = jump % (made.envelopes.length + 1);
        expect(jumping.at(count)).toEqual(foldEnvelopes(first, made.envelopes.slice(0, count)));
      }
    }),
    { numRuns: 30 },
  );
});

describe("loading", () => {
  const load = () => {
    let listener: StreamListener | undefined;
    let isClosed = false;
    const stop = new AbortController();
    const loading = loadRecording(sessionId, {
      open(_address, on) {
        listener = on;
        return { close: () => (isClosed = true) };
      },
      signal: stop.signal,
      progress: () => undefined,
    });
    const say = (type: Parameters<StreamListener["onMessage"]>[0], data: unknown) =>
      listener?.onMessage(type, JSON.stringify(data));
    const listing = { cwd: "/", startedAt: second(0), updatedAt: second(0), state: "stored" };
    const list = (...ids: SessionId[]) =>
      say(
        "sessions",
        ids.map((id) => ({ ...listing, id })),
      );
    return { loading, say, list, stop, broken: () => listener?.broken(), isClosed: () => isClosed };
  };

  test("ends when the session and every member of its team have been read", async () => {
    const { loading, say, list, isClosed } = load();
    list(sessionId, memberSession);
    say("envelopes", ofLead);
    say("caught-up", { session: sessionId });
    expect(isClosed()).toBe(false);
    say("envelopes", ofMember);
    say("caught-up", { session: memberSession });
    expect((await loading).envelopes).toEqual(recording.envelopes);
    expect(isClosed()).toBe(true);
  });

  test("does not wait for members whose sessions are missing or unreadable", async () => {
    const missing = load();
    missing.list(sessionId);
    missing.say("envelopes", ofLead);
    missing.say("caught-up", { session: sessionId });
    expect((await missing.loading).steps).toHaveLength(4);
    const damaged = load();
    damaged.list(sessionId, memberSession);
    damaged.say("envelopes", ofLead);
    damaged.say("gone", { session: memberSession, message: "damaged" });
    damaged.say("caught-up", { session: sessionId });
    expect((await damaged.loading).steps).toHaveLength(4);
  });

  test("says why it failed", async () => {
    const gone = load();
    gone.say("gone", { session: sessionId, message: "line 3 is damaged" });
    await expect(gone.loading).rejects.toThrow("line 3 is damaged");
    const broken = load();
    broken.broken();
    await expect(broken.loading).rejects.toThrow("cannot reach the server");
    const left = load();
    left.stop.abort();
    await expect(left.loading).rejects.toThrow();
    expect(left.isClosed()).toBe(true);
  });
});
