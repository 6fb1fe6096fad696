import { expect, onTestFinished, test } from "vitest";
import type { AgentId } from "../../src/protocol/index.ts";
import type { Session } from "../../src/session/index.ts";
import { followSession } from "../../src/tui/follow-session.ts";
import {
  agentOf,
  type AppState,
  createAppState,
  createStore,
  enterTeammateView,
  exitTeammateView,
  isAgentRow,
  itemsOf,
  type Store,
  toArray,
} from "../../src/view/index.ts";
import { agent, gate, lead, type TeamSession, teamSession } from "../support/team/team-session.ts";

/** A terminal store that follows a session, and a way to wait for a state. */
function faceOf(session: Session, now = () => Date.now()) {
  const leave = new AbortController();
  const store = createStore(createAppState({ session: session.view(), now: now() }));
  const ended = followSession({ session, store, now, signal: leave.signal });
  onTestFinished(async () => {
    leave.abort();
    await ended;
  });
  return { store, ended };
}

function until(store: Store<AppState>, fits: (state: AppState) => boolean): Promise<AppState> {
  return new Promise((resolve) => {
    const look = () => {
      if (!fits(store.getState())) return;
      stop();
      resolve(store.getState());
    };
    const stop = store.subscribe(look);
    look();
  });
}

const messagesOf = (state: AppState, id: string): string[] => {
  const task = state.activityRows.get(id);
  const messages = task && isAgentRow(task) ? task.messages : undefined;
  return messages ? toArray(messages).flatMap((item) => (item.kind === "text" ? [item.text] : [])) : [];
};

const scoutOf = (state: AppState) => [...itemsOf(state.session.agents)].find(({ path }) => path === "lead/scout");

/** A scout that says one word each time the test allows it. */
async function scouting(stored: boolean): Promise<{ team: TeamSession; steps: ReturnType<typeof gate>[] }> {
  const steps = [gate(), gate()];
  const team = await teamSession({
    stored,
    more: { keep: "lead" },
    answer: lead([{ calls: [agent("look", { name: "scout" })] }], async ({ turn }) => {
      if (turn === 2) await steps[0]?.opened;
      if (turn === 3) await steps[1]?.opened;
      const text = `word ${turn}`;
      return turn < 3 ? { text, calls: [{ tool: "Bash", input: { command: "true" } }] } : { text };
    }),
  });
  return { team, steps };
}

test.each([false, true])(
  "transcript of an agent is read when viewed, updated while it works, then released (on disk: %s)",
  async (stored) => {
    const { team, steps } = await scouting(stored);
    const { store } = faceOf(team.session);
    const asking = team.ask("go");
    const begun = await until(store, (state) => (scoutOf(state)?.turns ?? 0) === 1);
    const id = scoutOf(begun)?.id as AgentId;
    expect(messagesOf(begun, id)).toEqual([]);
    expect(scoutOf(begun)).toMatchObject({ isForgotten: true, lastWords: "word 1" });
    store.setState((state) => enterTeammateView(state, id, Date.now()));
    await until(store, (state) => messagesOf(state, id).length === 1);
    steps[0]?.open();
    expect(messagesOf(await until(store, (state) => messagesOf(state, id).length === 2), id)).toEqual([
      "word 1",
      "word 2",
    ]);
    store.setState((state) => exitTeammateView(state, Date.now()));
    expect(messagesOf(store.getState(), id)).toEqual([]);
    expect(agentOf(store.getState().session, id)).toMatchObject({ isForgotten: true });
    steps[1]?.open();
    await asking;
    await until(store, (state) => state.activityRows.get(id)?.status === "completed");
    store.setState((state) => enterTeammateView(state, id, Date.now()));
    const whole = await until(store, (state) => messagesOf(state, id).length === 3);
    expect(messagesOf(whole, id)).toEqual(["word 1", "word 2", "word 3"]);
    // The session itself keeps only the lead's transcript.
    expect(agentOf(team.session.view(), id)).toMatchObject({ isForgotten: true, transcript: { length: 0 } });
  },
);

test("the row of an ended agent disappears after its display time", async () => {
  const { team, steps } = await scouting(false);
  for (const { open } of steps) open();
  let ahead = 0;
  const { store } = faceOf(team.session, () => Date.now() + ahead);
  // By the terminal's clock the display time is over as soon as it starts.
  ahead = 60_000;
  await team.ask("go");
  await until(store, (state) => scoutOf(state)?.status.kind === "idle" && state.activityRows.size === 0);
});

test("an unreadable transcript is reported, and the view returns to the lead", async () => {
  const { team, steps } = await scouting(true);
  const { store } = faceOf({
    ...team.session,
    transcript: () => team.session.transcript({ agent: "agt_99999999" as AgentId }),
  });
  for (const { open } of steps) open();
  await team.ask("go");
  const { activityRows: tasks } = await until(store, (state) => state.activityRows.size === 1);
  store.setState((state) => enterTeammateView(state, [...tasks.keys()][0] ?? "", Date.now()));
  const state = await until(store, ({ notices }) => notices.length > 0);
  expect(state.viewing).toBeUndefined();
  expect(state.notices[0]?.text).toMatch(/^cannot read the transcript of scout: .*has no agent agt_99999999/);
});

test("following ends with the session", async () => {
  const { team } = await scouting(false);
  const { ended, store } = faceOf(team.session);
  await team.close();
  await ended;
  expect(store.getState().session.state.kind).toBe("closed");
});
