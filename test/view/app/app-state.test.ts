import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addNotice,
  agentOf,
  catchUp,
  closeDialog,
  createAppState,
  createStore,
  evictionGraceMs,
  itemsOf,
  leadOf,
  nextTick,
  applyEnvelope,
  openDialog,
  reduceAll,
  emptyView,
  visibleRows,
  teamContextOf,
  tick,
} from "../../../src/view/index.ts";
import {
  answered,
  asked,
  begun,
  follow,
  idle,
  joined,
  member,
  mate,
  mateId,
  mateSession,
  oneHelper,
  said,
  second,
  shell,
  start,
  stateAfter,
  taskOf,
} from "../../support/view/sample-app-state.ts";
import {
  anyEvents,
  backgroundId,
  callId,
  enclose,
  helper,
  lead,
  opened,
  requestId,
  spawned,
} from "../../support/view/sample-envelopes.ts";

describe("store", () => {
  test("notifies no listener of a change without effect, and each of one with effect", () => {
    const told: string[] = [];
    const store = createStore({ n: 0 }, { onChange: ({ previous, next }) => told.push(`${previous.n}→${next.n}`) });
    const listener = () => told.push("heard");
    const [stopFirst, stopSecond] = [store.subscribe(listener), store.subscribe(listener)];
    store.setState((same) => same);
    expect(told).toEqual([]);
    store.setState(({ n }) => ({ n: n + 1 }));
    expect(told).toEqual(["0→1", "heard", "heard"]);
    stopFirst();
    stopFirst();
    store.setState(({ n }) => ({ n: n + 1 }));
    expect(told).toEqual(["0→1", "heard", "heard", "1→2", "heard"]);
    stopSecond();
    store.setState(({ n }) => ({ n: n + 1 }));
    expect(told.at(-1)).toBe("2→3");
    expect(store.getState()).toEqual({ n: 3 });
  });
});

describe("activity rows", () => {
  test("a subagent has one row from its first event to its last, which stays for half a minute", () => {
    const working = stateAfter(oneHelper);
    expect(taskOf(working, helper, "local_agent")).toMatchObject({
      name: "helper",
      status: "running",
      isIdle: false,
      isBackgrounded: false,
      retain: false,
      messages: undefined,
      abort: { type: "interrupt", agent: "lead/helper" },
    });
    const done = stateAfter([...oneHelper, [helper, said(1, "All is well.")], [helper, idle()]]);
    const task = taskOf(done, helper, "local_agent");
    expect(task).toMatchObject({ status: "completed", isIdle: true, endTime: start + 5_000, notified: true });
    expect(task.evictAfter).toBe(start + 5_000 + evictionGraceMs);
    expect(task.progress.lastMessage).toBe("All is well.");
    expect(visibleRows(done, start + 30_000).map(({ id }) => id)).toEqual([helper]);
    expect(nextTick(done)).toBe(start + 35_000);
    expect(tick(done, start + 34_999)).toBe(done);
    const later = tick(done, start + 35_000);
    expect(later.activityRows.size).toBe(0);
    expect(nextTick(later)).toBeUndefined();
  });

  test("the end status is that of the last idle event", () => {
    const ended = (...last: Parameters<typeof idle>) =>
      taskOf(stateAfter([...oneHelper, [helper, idle(...last)]]), helper, "local_agent");
    expect(ended("interrupted").status).toBe("killed");
    expect(ended("failed", "no key")).toMatchObject({ status: "failed", error: "no key" });
    const stopped = [helper, { type: "agent.stopped", outcome: "killed" }] as const;
    expect(taskOf(stateAfter([...oneHelper, stopped]), helper, "local_agent").status).toBe("killed");
  });

  test("a resumed agent is running again, and one whose row was gone gets a new one", () => {
    const envelopes = enclose([...oneHelper, [helper, idle()], [helper, { ...begun(2) }]]);
    const resting = follow(createAppState({ now: start }), envelopes.slice(0, -1));
    const again = follow(resting, envelopes.slice(-1));
    expect(taskOf(again, helper, "local_agent")).toMatchObject({
      status: "running",
      endTime: undefined,
      evictAfter: undefined,
      notified: false,
    });
    const evicted = tick(resting, start + 100_000);
    expect(evicted.activityRows.size).toBe(0);
    expect(taskOf(follow(evicted, envelopes.slice(-1)), helper, "local_agent").status).toBe("running");
  });

  test("events of an ended agent do not restore its row", () => {
    const envelopes = enclose([
      ...oneHelper,
      [helper, idle()],
      [helper, { type: "agent.summarized", scope: "history", text: "It looked around." }],
    ]);
    const evicted = tick(follow(createAppState({ now: start }), envelopes.slice(0, -1)), start + 100_000);
    expect(follow(evicted, envelopes.slice(-1)).activityRows.size).toBe(0);
  });

  test("an agent moved to the background is marked, in whichever order the events come", () => {
    const moved = {
      type: "background.started",
      backgroundId: backgroundId(1),
      kind: "agent",
      agent: helper,
      description: "look around",
      outputFile: "/tmp/report",
    } as const;
    for (const events of [
      [...oneHelper, moved],
      [opened(), spawned(), moved, ...oneHelper.slice(2)],
    ] as const) {
      const task = taskOf(stateAfter(events), helper, "local_agent");
      expect(task).toMatchObject({ isBackgrounded: true, backgroundId: backgroundId(1), outputFile: "/tmp/report" });
    }
  });

  test("a background command has one row, with its output", () => {
    const output = (text: string) => ({ type: "background.output", backgroundId: backgroundId(1), text }) as const;
    const running = stateAfter([opened(), spawned(), shell(), output("one\n"), output("two\n")]);
    expect(taskOf(running, backgroundId(1), "local_bash")).toMatchObject({
      status: "running",
      description: "npm test",
      outputOffset: 8,
      outputTail: "one\ntwo\n",
      abort: { type: "background.stop", backgroundId: backgroundId(1) },
    });
    const ended = { type: "background.ended", backgroundId: backgroundId(1), status: "failed", exitCode: 2 } as const;
    const done = stateAfter([opened(), spawned(), shell(), ended]);
    expect(taskOf(done, backgroundId(1), "local_bash")).toMatchObject({ status: "failed", error: "exit code 2" });
  });

  test("a member has a row from the lead's event alone, and knows its agent if that runs here", () => {
    const remote = stateAfter([opened(), spawned(), joined("lead"), member("working", { backendType: "tmux" })]);
    expect(taskOf(remote, mateId, "remote_agent")).toMatchObject({
      agent: undefined,
      name: "scout",
      team: "crew",
      color: "cyan",
      status: "running",
      sessionId: mateSession,
    });
    const here = stateAfter([
      opened(),
      spawned(),
      joined("lead"),
      [mate, opened()],
      [mate, spawned(mateId)],
      member("working"),
      [mate, begun()],
    ]);
    expect(taskOf(here, mateId, "in_process_teammate")).toMatchObject({ agent: mate, status: "running" });
    expect([...here.activityRows.keys()]).toEqual([mateId]);
    expect(here.agentNameRegistry.get("scout")).toBe(mateId);
  });

  test("state of a member: idle keeps running, and the end reason comes from the record", () => {
    const task = (...events: Parameters<typeof member>[]) =>
      taskOf(
        stateAfter([opened(), spawned(), member("starting"), ...events.map((event) => member(...event))]),
        mateId,
        "in_process_teammate",
      );
    expect(task().status).toBe("pending");
    expect(task(["idle"])).toMatchObject({ status: "running", isIdle: true });
    expect(task(["ended", { ended: "shutdown" }]).status).toBe("completed");
    expect(task(["ended", { ended: "killed" }]).status).toBe("killed");
    expect(task(["ended", { ended: "failed", detail: "it broke" }])).toMatchObject({
      status: "failed",
      error: "it broke",
    });
    expect(task(["ended", { ended: "lost" }]).status).toBe("failed");
    expect(task(["working", { alive: "dead" }])).toMatchObject({ status: "failed", error: "its process has ended" });
  });

  test("the lead of a team has no row, nor does a session's own agent", () => {
    const state = stateAfter([
      opened(),
      spawned("scout@crew"),
      joined("teammate"),
      { ...member("working"), name: "team-lead", role: "lead" } as ReturnType<typeof member>,
    ]);
    expect(state.activityRows.size).toBe(0);
    expect(leadOf(state.session)?.isForgotten).toBe(false);
  });

  test("waiting for the user is counted, and is not working time", () => {
    const waiting = stateAfter([...oneHelper, [helper, asked(1)]]);
    expect(taskOf(waiting, helper, "local_agent")).toMatchObject({ status: "running", waitingSince: start + 4_000 });
    const going = stateAfter([...oneHelper, [helper, asked(1)], opened(), [helper, answered(1)]]);
    expect(taskOf(going, helper, "local_agent")).toMatchObject({ waitingSince: undefined, permissionWaitMs: 2_000 });
  });

  test("a resumed session has no rows of agents that ended before", () => {
    const before = reduceAll(emptyView, enclose([...oneHelper, [helper, idle()], [second, spawned("lead/b", lead)]]));
    const state = createAppState({ session: before, now: start });
    expect([...state.activityRows.keys()]).toEqual([second]);
    const resumed = applyEnvelope(state, { ...enclose([opened(true)])[0]!, seq: 3 });
    expect(resumed.activityRows.size === 1 ? taskOf(resumed, second, "local_agent").status : "gone").toBe("killed");
  });
});

describe("kept transcripts", () => {
  test("only the lead's, however much is said", () => {
    const call = { type: "tool.called", turn: 1, callId: callId("c1"), name: "Bash", input: {}, title: "ls" } as const;
    const state = stateAfter([
      ...oneHelper,
      said(1, "I wait."),
      [helper, said(1, "I begin.")],
      [helper, begun(2)],
      [helper, said(2, "I go on.")],
      [helper, call],
    ]);
    expect(leadOf(state.session)?.transcript.length).toBe(1);
    const agent = agentOf(state.session, helper);
    // The current activity is kept for its row.
    expect(agent?.isForgotten).toBe(true);
    expect([...itemsOf(agent!.transcript)]).toMatchObject([{ kind: "call", title: "ls", state: "running" }]);
    expect(agent).toMatchObject({ turns: 2, toolCalls: 1, lastWords: "I go on." });
    const settled = follow(state, [
      {
        ...enclose([[helper, said(1, "")]])[0]!,
        seq: (agent?.seq ?? 0) + 1,
        event: { type: "tool.settled", callId: callId("c1"), durationMs: 1, outcome: "ok", content: [] },
      },
    ]);
    expect(agentOf(settled.session, helper)?.transcript.length).toBe(0);
  });

  test("property: the lead's is complete, others keep only unsettled calls, and all else is unchanged", () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const sensible = events.filter(([agent, { type }]) => agent === helper || type !== "agent.spawned");
        const envelopes = enclose([opened(), spawned(), [helper, spawned("lead/helper", lead)], ...sensible]);
        const state = follow(createAppState({ now: start }), envelopes);
        const whole = reduceAll(emptyView, envelopes);
        expect(leadOf(state.session)).toEqual(leadOf(whole));
        expect(state.session.questions).toEqual(whole.questions);
        const [mine, theirs] = [agentOf(state.session, helper), agentOf(whole, helper)];
        if (!mine || !theirs) return;
        const { transcript, openCalls, isForgotten: _, ...rest } = mine;
        const { transcript: all, openCalls: open, isForgotten: __, ...expected } = theirs;
        expect(rest).toEqual(expected);
        expect(transcript.length).toBe(openCalls.size);
        expect([...openCalls.keys()]).toEqual([...open.keys()]);
        expect(all.length).toBeGreaterThanOrEqual(transcript.length);
      }),
    );
  });
});

test("an event seen before returns the same state", () => {
  const envelopes = enclose([...oneHelper, [helper, said(1, "Well.")]]);
  const state = follow(createAppState({ now: start }), envelopes);
  for (const envelope of envelopes) expect(applyEnvelope(state, envelope)).toBe(state);
});

test("streaming changes the session and no row", () => {
  const envelopes = enclose([...oneHelper, [helper, { type: "text.delta", turn: 1, text: "We" }]]);
  const before = follow(createAppState({ now: start }), envelopes.slice(0, -1));
  const after = follow(before, envelopes.slice(-1));
  expect(after.activityRows).toBe(before.activityRows);
  expect(agentOf(after.session, helper)?.draft?.text).toBe("We");
});

describe("team of a session", () => {
  test("of a lead: the members from the events, without itself", () => {
    const place = { cwd: "/work/a", tmuxPaneId: "%7", worktreePath: "/work/b", joinedAt: "2026-01-01T00:00:00.000Z" };
    const state = stateAfter([
      opened(),
      spawned(),
      joined("lead"),
      { ...member("working"), name: "team-lead", role: "lead" } as ReturnType<typeof member>,
      member("working", place),
    ]);
    expect(state.teamContext).toEqual({
      teamName: "crew",
      leadAgentId: "team-lead@crew",
      selfAgentId: "team-lead@crew",
      selfAgentName: "team-lead",
      selfAgentColor: "cyan",
      isLeader: true,
      teammates: new Map([
        [
          mateId,
          {
            name: "scout",
            agentType: "explorer",
            color: "cyan",
            tmuxPaneId: "%7",
            cwd: "/work/a",
            worktreePath: "/work/b",
            spawnedAt: "2026-01-01T00:00:00.000Z",
          },
        ],
      ]),
    });
  });

  test("of a new teammate: from its start; of a resumed one: from its log alone", () => {
    const fresh = createAppState({ now: start, self: { team: "crew", name: "scout", color: "cyan" } });
    expect(fresh.teamContext).toMatchObject({ teamName: "crew", selfAgentName: "scout", isLeader: false });
    expect(fresh.teamContext?.selfAgentColor).toBe("cyan");
    const log = reduceAll(emptyView, enclose([opened(), spawned("scout@crew"), joined("teammate")]));
    expect(createAppState({ session: log, now: start }).teamContext).toMatchObject({
      teamName: "crew",
      selfAgentId: mateId,
      selfAgentName: "scout",
      isLeader: false,
    });
  });

  test("is the last one joined and not left; a team that a member joins is not the lead's", () => {
    const left = { type: "team.left", team: "crew", reason: "deleted" } as const;
    expect(stateAfter([opened(), spawned(), joined("lead"), left]).teamContext).toBeUndefined();
    const other = { ...joined("lead"), team: "other" } as ReturnType<typeof joined>;
    expect(stateAfter([opened(), spawned(), other, joined("lead")]).teamContext?.teamName).toBe("crew");
    const [first, ...rest] = enclose([opened(), joined("lead"), [mate, spawned(mateId)], [mate, joined("teammate")]]);
    const members = rest.map((envelope) =>
      envelope.agent === mate ? { ...envelope, session: mateSession } : envelope,
    );
    const state = follow(createAppState({ now: start }), [first!, ...members]);
    expect(state.teamContext).toMatchObject({ isLeader: true, selfAgentName: "team-lead" });
    expect(teamContextOf(emptyView)).toBeUndefined();
  });
});

describe("dialogs", () => {
  test("a question opens its dialog; the next comes when it is settled, and none after the last", () => {
    const envelopes = enclose([opened(), spawned(), asked(1), asked(2), answered(1), answered(2)]);
    const dialogs = envelopes.map((_, index) => {
      const { dialog } = follow(createAppState({ now: start }), envelopes.slice(0, index + 1));
      return dialog.kind === "permission" ? dialog.requestId : dialog.kind;
    });
    expect(dialogs).toEqual(["none", "none", requestId(1), requestId(1), requestId(2), "none"]);
  });

  test("it replaces no other dialog, appears when that is closed, and cannot be closed itself", () => {
    const help = openDialog(stateAfter([opened(), spawned()]), { kind: "help" });
    expect(openDialog(help, { kind: "help" })).toBe(help);
    const envelopes = enclose([opened(), spawned(), asked(1)]);
    const behind = follow(help, envelopes.slice(2));
    expect(behind.dialog).toEqual({ kind: "help" });
    const shown = closeDialog(behind);
    expect(shown.dialog).toEqual({ kind: "permission", requestId: requestId(1), openedBy: "event" });
    expect(closeDialog(shown).dialog).toEqual(shown.dialog);
    const none = closeDialog(help);
    expect(closeDialog(none)).toBe(none);
  });

  test("a member's questions are answered by its lead", () => {
    const state = stateAfter([opened(), spawned("scout@crew"), joined("teammate"), asked(1)]);
    expect(state.session.questions).toHaveLength(1);
    expect(state.dialog).toEqual({ kind: "none" });
  });

  test("notices disappear after their time", () => {
    const noticed = addNotice(addNotice(stateAfter([opened()]), { level: "info", text: "a", until: start + 5 }), {
      level: "error",
      text: "b",
      until: undefined,
    });
    expect(noticed.notices.map(({ id }) => id)).toEqual([1, 2]);
    expect(nextTick(noticed)).toBe(start + 5);
    expect(tick(noticed, start + 5).notices.map(({ text }) => text)).toEqual(["b"]);
  });
});

test("after missed events it continues from the current session view", () => {
  const envelopes = enclose([...oneHelper, [helper, said(1, "Missed.")], [helper, idle("failed", "broke")]]);
  const before = follow(createAppState({ now: start }), envelopes.slice(0, 4));
  const after = catchUp(before, reduceAll(emptyView, envelopes), start + 9_000);
  expect(taskOf(after, helper, "local_agent")).toMatchObject({ status: "failed", error: "broke" });
  expect(agentOf(after.session, helper)?.isForgotten).toBe(true);
});
