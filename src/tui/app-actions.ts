import {
  exitTeammateView,
  focusQuestion,
  getActiveAgentForInput,
  inputCommand,
  interruptCommand,
  isTeammateRow,
  leadOf,
  openDialog,
  waitingQuestion,
} from "../view/index.ts";
import type { Frontend } from "./app-context.ts";
import type { Frames } from "./app-frames.ts";
import type { FrontendFacts } from "./frontend-facts.ts";
import type { KeyPress } from "./terminal/input-keys.ts";
import { actionOf } from "./key-table.ts";
import { modeAfter } from "./mode-after.ts";
import type { PromptController } from "./prompt/prompt-controller.ts";
import { meantCommand, runSlash, toggleThinking } from "./slash-commands.ts";
import { type History, viewedOf } from "./transcript/transcript-history.ts";

export interface Actions {
  /** Sends text to the agent in view, or runs it if it is a command of the UI. */
  submit(text: string): void;
  /** Interrupts the agent in view, or returns to the lead. Returns false if there is nothing to do. */
  interrupt(): boolean;
  /** Handles the keys of the UI itself. Returns true if the key was one of them. */
  key(key: KeyPress, prompt: Pick<PromptController, "store" | "clear" | "hasPaused">): boolean;
}

export interface ActionPorts {
  readonly frontend: Frontend;
  readonly facts: FrontendFacts;
  readonly history: History;
  readonly frames: Pick<Frames, "redraw">;
  readonly suspend: () => void;
  /** Shows a short-lived hint. */
  hint(text: string): void;
  /** Shows an error. */
  problem(text: string): void;
}

export function createActions(ports: ActionPorts): Actions {
  const { frontend, facts, history, frames, suspend, hint, problem } = ports;
  const { store, send, now } = frontend;
  /** A screen reader needs linear output, so there the results are unfolded instead of opening the pager. */
  const readTranscript = (back: 0 | 1): boolean => {
    if (store.getState().dialog.kind !== "none") return false;
    if (frontend.theme.isScreenReader) {
      history.toggleExpanded(store.getState());
      frames.redraw();
    } else store.setState((state) => openDialog(state, { kind: "transcript", back }));
    return true;
  };
  return {
    submit(text) {
      if (text.startsWith("/") && runSlash(text, { frontend, facts })) return;
      const meant = meantCommand(text, facts);
      if (meant !== undefined)
        return problem(
          `there is no command ${text.split(/\s/, 1)[0]}. Did you mean /${meant}? ↑ brings the text back.`,
        );
      void send(inputCommand(store.getState(), text));
    },
    interrupt() {
      const state = store.getState();
      if (viewedOf(state)?.isWorking) {
        void send(interruptCommand(state));
        return true;
      }
      store.setState((before) => exitTeammateView(before, now()));
      return store.getState() !== state;
    },
    key({ name }, prompt) {
      if (name === "ctrl+c" && store.getState().dialog.kind === "none" && prompt.store.getState().buffer.text !== "") {
        prompt.clear();
        return true;
      }
      switch (actionOf("app", name)) {
        case "transcript":
          return readTranscript(0);
        case "readBack":
          return readTranscript(1);
        case "mode":
          if (store.getState().dialog.kind !== "none") return false;
          nextMode({ frontend, hint });
          return true;
        case "thinking":
          toggleThinking({ frontend, facts });
          return true;
        case "suspend":
          suspend();
          return true;
        case "question":
          if (!waitingQuestion(store.getState()) || !prompt.hasPaused()) return false;
          store.setState(focusQuestion);
          return true;
        case "leave":
        case "previousAgent":
        case "nextAgent":
        case "tasks":
        case "background":
        case undefined:
          break;
      }
      if (name !== "ctrl+d" || prompt.store.getState().buffer.text !== "") return false;
      if (store.getState().dialog.kind !== "none") return false;
      runSlash("/exit", { frontend, facts });
      return true;
    },
  };
}

/** Changes the mode of the agent in view. */
function nextMode({ frontend: { store, send }, hint }: Pick<ActionPorts, "frontend" | "hint">): void {
  const state = store.getState();
  const active = getActiveAgentForInput(state);
  const lead = leadOf(state.session)?.permissionMode;
  if (active.kind === "lead") return void send({ type: "set", permissionMode: modeAfter(lead) });
  const { task } = active;
  if (!isTeammateRow(task))
    return hint("A subagent keeps the mode of its parent. Change the mode of the lead instead.");
  const permissionMode = modeAfter(viewedOf(state)?.agent?.permissionMode, lead);
  void send({ type: "member.set", team: task.team, name: task.name, permissionMode });
}
