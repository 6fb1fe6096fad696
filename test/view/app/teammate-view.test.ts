import { describe, expect, test } from "vitest";
import {
  type AppState,
  agentOf,
  agentRows,
  createAppState,
  viewSelectedTeammate,
  enterTeammateView,
  exitTeammateView,
  getActiveAgentForInput,
  evictionGraceMs,
  inputCommand,
  interruptCommand,
  isLive,
  isViewAging,
  reduceAll,
  emptyView,
  refreshView,
  release,
  selectCoordinatorTask,
  selectTeammate,
  stopOrDismissAgent,
  stopSelecting,
  teamTree,
  tick,
  toArray,
  toggleTasks,
  transcriptLoaded,
  wantedTranscript,
} from "../../../src/view/index.ts";
import {
  asked,
  begun,
  follow,
  idle,
  joined,
  mate,
  mateId,
  mateSession,
  member,
  oneHelper,
  said,
  second,
  start,
  stateAfter,
  stored,
  taskOf,
} from "../../support/view/sample-app-state.ts";
import { anyEvents, callId, enclose, helper, lead, opened, spawned } from "../../support/view/sample-envelopes.ts";
import * as fc from "fast-check";

const now = start + 60_000;
const twoHelpers = [...oneHelper, [second, spawned("lead/second", lead)], [second, begun()]] as const;

/** The state while viewing the agent, with its transcript read. */
const watched = (events: Parameters<typeof enclose>[0], agent = helper): AppState => {
  const envelopes = enclose(events);
  const state = enterTeammateView(follow(createAppState({ now: start }), envelopes), agent, now);
  return transcriptLoaded(state, agent, stored(envelopes, agent));
};

describe("viewing an agent", () => {
  test("retains it, requests its transcript, and returns the same state the second time", () => {
    const before = stateAfter(oneHelper);
    const state = enterTeammateView(before, helper, now);
    expect(state).toMatchObject({ viewing: helper, viewSelectionMode: "viewing-agent" });
    expect(taskOf(state, helper, "local_agent")).toMatchObject({
      retain: true,
      diskLoaded: false,
      messages: undefined,
      evictAfter: undefined,
    });
    expect(wantedTranscript(state)?.id).toBe(helper);
    expect(enterTeammateView(state, helper, now)).toBe(state);
    expect(enterTeammateView(before, "agt_99999999", now)).toBe(before);
  });

  test("an ended agent stays while viewed, and one without a row can be viewed again", () => {
    const done = stateAfter([...oneHelper, [helper, said(1, "Well.")], [helper, idle()]]);
    const kept = enterTeammateView(done, helper, now);
    expect(taskOf(kept, helper, "local_agent").evictAfter).toBeUndefined();
    expect(tick(kept, now + 10 * evictionGraceMs)).toBe(kept);
    const gone = tick(done, now + evictionGraceMs);
    expect(gone.activityRows.size).toBe(0);
    expect(taskOf(enterTeammateView(gone, helper, now), helper, "local_agent")).toMatchObject({
      status: "completed",
      retain: true,
    });
  });

  test("viewing another agent releases the previous one", () => {
    const first = watched([...twoHelpers, [helper, said(1, "Mine.")]]);
    expect(taskOf(first, helper, "local_agent").messages?.length).toBe(1);
    const state = enterTeammateView(first, second, now);
    expect(state.viewing).toBe(second);
    expect(taskOf(state, helper, "local_agent")).toMatchObject({
      retain: false,
      messages: undefined,
      diskLoaded: false,
      streamed: [],
      evictAfter: undefined,
    });
    expect(agentOf(state.session, helper)).toMatchObject({ isForgotten: true, transcript: { length: 0 } });
  });

  test("an agent that ends while viewed is released only when the view changes", () => {
    const envelopes = enclose([...oneHelper, [helper, idle()]]);
    const open = enterTeammateView(follow(createAppState({ now: start }), envelopes.slice(0, -1)), helper, start);
    const ended = follow(open, envelopes.slice(-1));
    expect(ended.viewing).toBe(helper);
    expect(taskOf(ended, helper, "local_agent")).toMatchObject({ status: "completed", evictAfter: undefined });
    expect(taskOf(exitTeammateView(ended, now), helper, "local_agent").evictAfter).toBe(now + evictionGraceMs);
  });
});

describe("transcript", () => {
  test("starts with the stored events and continues with new ones, each once", () => {
    const envelopes = enclose([
      ...oneHelper,
      [helper, said(1, "One.")],
      [helper, begun(2)],
      [helper, said(2, "Two.")],
      [helper, begun(3)],
      [helper, said(3, "Three.")],
      [helper, begun(4)],
      [helper, said(4, "Four.")],
    ]);
    const entered = enterTeammateView(follow(createAppState({ now: start }), envelopes.slice(0, 5)), helper, now);
    // More events arrive during the read. The result may contain some of them or none.
    const streaming = follow(entered, envelopes.slice(5, 9));
    expect(taskOf(streaming, helper, "local_agent").streamed).toHaveLength(4);
    for (const read of [5, 7, 9, 11]) {
      const loaded = transcriptLoaded(streaming, helper, stored(envelopes.slice(0, read), helper));
      expect(textsOf(loaded)).toEqual(["One.", "Two.", "Three."]);
      expect(taskOf(loaded, helper, "local_agent")).toMatchObject({ diskLoaded: true, streamed: [] });
      expect(textsOf(follow(loaded, envelopes.slice(9)))).toEqual(["One.", "Two.", "Three.", "Four."]);
    }
  });

  test("property: any start and any read time give the same transcript as viewing from the start", () => {
    fc.assert(
      fc.property(anyEvents, fc.nat(), fc.nat(), fc.nat(), (events, ...cuts) => {
        const sensible = events.filter(([agent, { type }]) => agent === helper || type !== "agent.spawned");
        const envelopes = enclose([opened(), spawned(), [helper, spawned("lead/helper", lead)], ...sensible]);
        const [entered, read, loaded] = cuts.map((cut) => 3 + (cut % (envelopes.length - 2))).sort((a, b) => a - b);
        let state = follow(createAppState({ now: start }), envelopes.slice(0, entered));
        state = enterTeammateView(state, helper, start);
        state = follow(state, envelopes.slice(entered, loaded));
        state = transcriptLoaded(state, helper, stored(envelopes.slice(0, read), helper));
        state = follow(state, envelopes.slice(loaded));
        const whole = agentOf(
          reduceAll(
            emptyView,
            envelopes.filter(({ event }) => !isLive(event)),
          ),
          helper,
        );
        const shown = agentOf(state.session, helper);
        expect(toArray(shown!.transcript).map(unprogressed)).toEqual(toArray(whole!.transcript).map(unprogressed));
        expect(shown!.openCalls).toEqual(whole!.openCalls);
        expect(taskOf(state, helper, "local_agent").messages).toBe(shown!.transcript);
      }),
    );
  });

  test("streamed text and progress of a running call survive the read", () => {
    const call = { type: "tool.called", turn: 1, callId: callId("c1"), name: "Bash", input: {}, title: "ls" } as const;
    const envelopes = enclose([
      ...oneHelper,
      [helper, call],
      [helper, { type: "tool.progress", callId: callId("c1"), text: "half" }],
      [helper, { type: "text.delta", turn: 1, text: "As I" }],
    ]);
    const state = enterTeammateView(follow(createAppState({ now: start }), envelopes), helper, now);
    const loaded = transcriptLoaded(state, helper, stored(envelopes, helper));
    expect(toArray(taskOf(loaded, helper, "local_agent").messages!)).toMatchObject([
      { kind: "call", progress: "half" },
    ]);
    expect(agentOf(loaded.session, helper)?.draft?.text).toBe("As I");
  });

  test("is ignored when the user views another agent by then", () => {
    const envelopes = enclose([...twoHelpers, [helper, said(1, "One.")]]);
    const left = exitTeammateView(
      enterTeammateView(follow(createAppState({ now: start }), envelopes), helper, now),
      now,
    );
    expect(transcriptLoaded(left, helper, stored(envelopes, helper))).toBe(left);
  });

  test("of a member in another process is read, and read again on new events", () => {
    const remote = (state: "working" | "idle") => member(state, { backendType: "tmux" });
    const envelopes = enclose([opened(), spawned(), joined("lead"), remote("working")]);
    const state = enterTeammateView(follow(createAppState({ now: start }), envelopes), mateId, now);
    const log = enclose([
      [mate, opened()],
      [mate, spawned(mateId)],
      [mate, begun()],
      [mate, said(1, "One.")],
    ]).map((envelope) => ({ ...envelope, session: mateSession }));
    const loaded = transcriptLoaded(state, mateId, stored(log, mate));
    const texts = (app: AppState) => toArray(taskOf(app, mateId, "remote_agent").messages!).length;
    expect(texts(loaded)).toBe(1);
    expect(wantedTranscript(loaded)).toBeUndefined();
    expect(isViewAging(loaded)).toBe(true);
    expect(wantedTranscript(refreshView(loaded))?.id).toBe(mateId);
    const [heard] = enclose([remote("idle")]);
    const again = follow(loaded, [heard!]);
    expect(wantedTranscript(again)?.id).toBe(mateId);
    expect(texts(again)).toBe(1);
  });
});

test("release: a stub again; one that was not retained is unchanged", () => {
  const running = taskOf(watched([...oneHelper, [helper, said(1, "One.")]]), helper, "local_agent");
  expect(running.messages?.length).toBe(1);
  expect(release(running, now)).toMatchObject({ retain: false, messages: undefined, evictAfter: undefined });
  const done = taskOf(watched([...oneHelper, [helper, idle()]]), helper, "local_agent");
  expect(release(done, now).evictAfter).toBe(now + evictionGraceMs);
  const stub = taskOf(stateAfter([...oneHelper, [helper, idle()]]), helper, "local_agent");
  expect(release(stub, now)).toBe(stub);
});

test("leaving clears the viewed agent, and returns the same state when none is viewed", () => {
  const state = exitTeammateView(watched(oneHelper), now);
  expect(state).toMatchObject({ viewing: undefined, viewSelectionMode: "none" });
  expect(exitTeammateView(state, now)).toBe(state);
});

describe("x key", () => {
  test("stops a running agent, and leaves the state to its events", () => {
    const state = watched(oneHelper);
    expect(stopOrDismissAgent(state, helper, now)).toEqual({
      state,
      command: { type: "interrupt", agent: "lead/helper" },
    });
    expect(stopOrDismissAgent(state, helper, now).state).toBe(state);
    const mated = stateAfter([opened(), spawned(), joined("lead"), member("working")]);
    expect(stopOrDismissAgent(mated, mateId, now).command).toEqual({
      type: "member.stop",
      team: "crew",
      name: "scout",
      now: true,
    });
    expect(stopOrDismissAgent(state, "missing", now)).toEqual({ state, command: undefined });
  });

  test("dismisses an ended agent at once and returns its viewer to the lead; twice is once", () => {
    const { state, command } = stopOrDismissAgent(watched([...oneHelper, [helper, idle()]]), helper, now);
    expect(command).toBeUndefined();
    expect(state).toMatchObject({ viewing: undefined, viewSelectionMode: "none" });
    expect(taskOf(state, helper, "local_agent")).toMatchObject({ evictAfter: 0, retain: false, messages: undefined });
    expect(agentRows(state, now)).toEqual([]);
    expect(stopOrDismissAgent(state, helper, now + 5).state).toBe(state);
    expect(tick(state, now).activityRows.size).toBe(0);
  });

  test("dismissing one agent does not affect the view of another", () => {
    const envelopes = enclose([...twoHelpers, [second, idle()]]);
    const state = enterTeammateView(follow(createAppState({ now: start }), envelopes), helper, now);
    expect(stopOrDismissAgent(state, second, now).state.viewing).toBe(helper);
  });
});

describe("automatic exit", () => {
  const looking = enterTeammateView(stateAfter([opened(), spawned(), joined("lead"), member("working")]), mateId, now);
  const after = (...event: Parameters<typeof member>) => follow(looking, enclose([member(...event)]));

  test.each([
    ["killed", after("ended", { ended: "killed" })],
    ["failed", after("ended", { ended: "failed", detail: "it broke" })],
    ["lost", after("ended", { ended: "lost" })],
    ["its process gone", after("working", { alive: "dead" })],
  ])("from a teammate that is %s", (_, state) => {
    expect(state).toMatchObject({ viewing: undefined, viewSelectionMode: "none" });
    expect(taskOf(state, mateId, "in_process_teammate").retain).toBe(false);
  });

  test.each([
    ["working", after("working")],
    ["idle", after("idle")],
    ["starting", after("starting")],
    ["completed", after("ended", { ended: "shutdown" })],
  ])("not from a teammate that is %s", (_, state) => expect(state.viewing).toBe(mateId));

  test("never from a subagent, however it ended", () => {
    for (const reason of ["completed", "interrupted", "failed"] as const) {
      const envelopes = enclose([...oneHelper, [helper, idle(reason)]]);
      const open = enterTeammateView(follow(createAppState({ now: start }), envelopes.slice(0, -1)), helper, now);
      expect(follow(open, envelopes.slice(-1)).viewing).toBe(helper);
    }
  });

  test("from an agent without a row", () => {
    const state = {
      ...watched(oneHelper),
      activityRows: new Map(),
      notices: [{ id: 1, level: "info", text: "", until: 1 }],
    };
    expect(tick(state as AppState, now)).toMatchObject({ viewing: undefined, viewSelectionMode: "none" });
  });
});

describe("recipient of typed text", () => {
  test("is the lead, or the viewed teammate or subagent", () => {
    const base = stateAfter([...oneHelper, joined("lead"), member("working")]);
    expect(getActiveAgentForInput(base)).toEqual({ kind: "lead" });
    expect(inputCommand(base, "hello")).toEqual({ type: "prompt", content: "hello" });
    expect(interruptCommand(base)).toEqual({ type: "interrupt" });
    const mated = enterTeammateView(base, mateId, now);
    expect(getActiveAgentForInput(mated)).toMatchObject({ kind: "teammate", task: { id: mateId } });
    expect(inputCommand(mated, "hello")).toEqual({ type: "mail.send", team: "crew", to: "scout", text: "hello" });
    expect(interruptCommand(mated)).toEqual({ type: "member.interrupt", team: "crew", name: "scout" });
    const helping = enterTeammateView(base, helper, now);
    expect(getActiveAgentForInput(helping)).toMatchObject({ kind: "agent", task: { id: helper } });
    expect(inputCommand(helping, "hello")).toEqual({ type: "prompt", agent: "lead/helper", content: "hello" });
    expect(interruptCommand(helping)).toEqual({ type: "interrupt", agent: "lead/helper" });
  });

  test("is the lead during a selection", () => {
    const choosing = selectTeammate(stateAfter(oneHelper), { by: 1, now: start });
    expect(getActiveAgentForInput(choosing)).toEqual({ kind: "lead" });
  });
});

describe("selection", () => {
  const state = stateAfter([...twoHelpers, joined("lead"), member("working")]);
  const step = { by: 1, now: start } as const;

  test("cycles through teammates, subagents and the lead", () => {
    expect(agentRows(state, start).map(({ name }) => name)).toEqual(["scout", "helper", "second"]);
    const names: (string | undefined)[] = [];
    let next = state;
    for (let count = 0; count < 5; count++) {
      next = selectTeammate(next, step);
      names.push(teamTree(next, start).find(({ isSelected }) => isSelected)?.task.name ?? "lead");
    }
    expect(names).toEqual(["scout", "helper", "second", "lead", "scout"]);
    expect(selectTeammate(next, { by: -1, now: start }).selectedTeammateIndex).toBe(-1);
    expect(viewSelectedTeammate(next, start).viewing).toBe(mateId);
    expect(viewSelectedTeammate(state, start)).toBe(state);
  });

  test("starts at the viewed agent, and returns there when cancelled", () => {
    const looking = enterTeammateView(state, helper, start);
    const choosing = selectTeammate(looking, step);
    expect(choosing).toMatchObject({ viewing: helper, viewSelectionMode: "selecting-agent", selectedTeammateIndex: 2 });
    expect(stopSelecting(choosing)).toMatchObject({ viewing: helper, viewSelectionMode: "viewing-agent" });
    expect(viewSelectedTeammate({ ...choosing, selectedTeammateIndex: -1 }, start)).toMatchObject({
      viewing: undefined,
    });
  });

  test("returns the same state without agents", () => {
    const alone = stateAfter([opened(), spawned()]);
    expect(selectTeammate(alone, step)).toBe(alone);
    expect(stopSelecting(alone)).toBe(alone);
  });

  test("a coordinator's panel stops at both ends", () => {
    let next = state;
    const seen = [next.coordinatorTaskIndex];
    for (let count = 0; count < 5; count++) {
      next = selectCoordinatorTask(next, step);
      seen.push(next.coordinatorTaskIndex);
    }
    expect(seen).toEqual([-1, 0, 1, 2, 3, 3]);
    expect(selectCoordinatorTask(next, step)).toBe(next);
    expect(toggleTasks(toggleTasks(state)).expandedView).toBe("none");
  });
});

test("the tree shows the state of each agent", () => {
  const state = stateAfter([...twoHelpers, [second, asked(1)], joined("lead"), member("idle")]);
  const rows = teamTree(state, now).map(({ task, state: stands, workedMs }) => [task.name, stands, workedMs]);
  expect(rows).toEqual([
    ["scout", "idle", 60_000],
    ["helper", "working", 58_000],
    ["second", "waiting", 2_000],
  ]);
});

const textsOf = (state: AppState) =>
  toArray(taskOf(state, helper, "local_agent").messages!).flatMap((item) => (item.kind === "text" ? [item.text] : []));

const unprogressed = (item: object) => ({ ...item, progress: "" });
