import { type ReactNode, useRef } from "react";
import {
  addNotice,
  agentRows,
  type AgentRow,
  type AppState,
  viewSelectedTeammate,
  exitTeammateView,
  isFinished,
  isTeammateRow,
  itemAt,
  leadOf,
  openDialog,
  selectTeammate,
  stopSelecting,
  toggleTasks,
} from "../view/index.ts";
import { type Frontend, useFrontend, useKeys } from "./app-context.ts";
import { stopOrDismiss } from "./dialogs/background-dialog.tsx";
import { actionOf } from "./key-table.ts";
import { leaveOrAsk } from "./leave-or-ask.ts";

/** Handles the keys that work everywhere. It is mounted before the prompt to receive keys first, and draws nothing. */
export function AppKeys(): ReactNode {
  const frontend = useFrontend();
  const lastLeave = useRef(Number.NEGATIVE_INFINITY);
  useKeys(({ name }) => {
    const state = frontend.store.getState();
    const action = actionOf("app", name);
    if (state.dialog.kind === "transcript") return false;
    if (action === "leave" && state.dialog.kind !== "confirm-leave") {
      const isAgain = frontend.now() - lastLeave.current < againMs;
      lastLeave.current = isAgain ? Number.NEGATIVE_INFINITY : frontend.now();
      if (isAgain) leaveOrAsk(frontend);
      else stopThenLeave(frontend);
      return true;
    }
    if (state.dialog.kind !== "none") return false;
    if (action === "previousAgent" || action === "nextAgent") {
      const by = action === "nextAgent" ? 1 : -1;
      frontend.store.setState((before) => selectTeammate(before, { by, now: frontend.now() }));
      return true;
    }
    if (action === "tasks") {
      frontend.store.setState(toggleTasks);
      return true;
    }
    if (action === "background") {
      if (isLeadWaiting(state)) void frontend.send({ type: "background" });
      else frontend.store.setState((before) => openDialog(before, { kind: "background" }));
      return true;
    }
    return state.viewSelectionMode === "selecting-agent" && onAgentChosen(frontend, name);
  });
  return null;
}

/** The time within which a second press counts. */
const againMs = 2_000;

function stopThenLeave({ store, send, now }: Frontend): void {
  const lead = leadOf(store.getState().session);
  const isWorking = lead?.status.kind === "running" || lead?.status.kind === "waiting";
  if (isWorking) void send({ type: "interrupt" });
  store.setState((state) =>
    addNotice(state, { level: "info", text: "press Ctrl+C again to leave", until: now() + againMs }),
  );
}

/** Handles keys while an agent is selected in the tree. Any other key ends the selection and goes to the prompt. */
function onAgentChosen(frontend: Frontend, name: string): boolean {
  const { store, send, now } = frontend;
  const state = store.getState();
  const task = agentRows(state, now())[state.selectedTeammateIndex];
  switch (actionOf("agents", name)) {
    case "look":
      store.setState((before) => viewSelectedTeammate(before, now()));
      return true;
    case "interrupt":
      if (task && isAgentWorking(task)) void send(interruptOf(task));
      else store.setState(task ? stopSelecting : (before) => exitTeammateView(before, now()));
      return true;
    case "stop":
      if (task) stopOrDismiss(frontend, task.id);
      // The selected row is gone, so the same key must not act on the next row.
      if (task && isFinished(task)) store.setState(stopSelecting);
      return true;
    case undefined:
      store.setState(stopSelecting);
      return false;
  }
}

const isAgentWorking = (task: AgentRow): boolean => !isFinished(task) && !task.isIdle;

const interruptOf = (task: AgentRow) =>
  isTeammateRow(task)
    ? ({ type: "member.interrupt", team: task.team, name: task.name } as const)
    : ({ type: "interrupt", agent: task.path } as const);

/** True if the lead waits for a subagent, which can move to the background. */
function isLeadWaiting({ session }: AppState): boolean {
  const lead = leadOf(session);
  return [...(lead?.openCalls.values() ?? [])].some((index) => {
    const item = lead && itemAt(lead.transcript, index);
    return item?.kind === "call" && item.name === "Agent";
  });
}
