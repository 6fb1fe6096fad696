import { messageOf } from "../../protocol/index.ts";
import { createStore, type Store } from "../../view/index.ts";
import type { KeyPress } from "../terminal/input-keys.ts";
import { actionOf } from "../key-table.ts";
import type { slashItems } from "./prompt-complete.ts";
import { createOffers } from "./prompt-offer.ts";
import { withPastes } from "./prompt-paste.ts";
import {
  chooseNext,
  clearPrompt,
  edit,
  emptyPrompt,
  endSearch,
  insertPasted,
  type PromptState,
  replaceText,
  searchFor,
  afterSubmit,
  startSearch,
  acceptCompletion,
  insertTyped,
} from "./prompt-state.ts";

export interface PromptPorts {
  /** Sends the user's text. Pasted text is included in full. */
  submit(text: string): void;
  /** Interrupts the agent in view, or leaves its view. Returns false if there was nothing to do. */
  interrupt(): boolean;
  /** Lists the moments to go back to. */
  rewind?(): void;
  /** Shows the keys. */
  help?(): void;
  slashCommands(): Parameters<typeof slashItems>[0];
  findFiles(query: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Shows a short-lived hint. */
  hint(text: string): void;
  /** Reports once, as a notice, that something cannot be stored or found. */
  problem(text: string): void;
  readonly history: PromptHistory;
  /** The number of columns for the text. */
  width(): number;
  now(): number;
}

/** The earlier prompts of this project. */
export interface PromptHistory {
  /** Oldest first. */
  entries(): Promise<readonly string[]>;
  add(text: string): Promise<void>;
}

export interface PromptController {
  readonly store: Pick<Store<PromptState>, "getState" | "subscribe">;
  /** Returns true if the prompt handled the key. */
  key(key: KeyPress): boolean;
  /** True if the user does not type: no completion is open, and the last key was long enough ago. */
  hasPaused(): boolean;
  clear(): void;
  /** Puts text into the prompt for editing. */
  write(text: string): void;
}

const doubleMs = 800;

/** Two keys of one text are closer together than this. */
const pauseMs = 500;

function escapeWithNothingToStop(
  { hint, rewind }: PromptPorts,
  { text, isSecond }: { readonly text: string; readonly isSecond: boolean },
): void {
  if (text !== "") hint("press Esc again to clear the prompt");
  else if (isSecond) rewind?.();
}

/** Handles the keys of the prompt. All state is here and in `PromptState`, so that a redraw loses nothing. */
export function createPrompt(ports: PromptPorts): PromptController {
  const store = createStore(emptyPrompt);
  let escapedAt = Number.NEGATIVE_INFINITY;
  let typedAt = Number.NEGATIVE_INFINITY;
  let hasFailed = false;

  const runOnce = (what: string, error: unknown) => {
    if (hasFailed) return;
    hasFailed = true;
    ports.problem(`${what}: ${messageOf(error)}`);
  };
  ports.history
    .entries()
    .then((entries) => store.setState((state) => ({ ...state, history: [...entries, ...state.history] })))
    .catch((error: unknown) => runOnce("cannot read the prompt history", error));

  const offers = createOffers({ ...ports, store, onError: (error) => runOnce("cannot list the files", error) });
  const change = (next: (state: PromptState) => PromptState) => {
    const before = store.getState().buffer;
    store.setState(next);
    if (store.getState().buffer !== before) offers.offer();
  };

  const submit = () => {
    const { buffer, pastes } = store.getState();
    const text = withPastes(buffer.text, pastes).trim();
    if (text === "") return;
    offers.cancel();
    store.setState((state) => afterSubmit(state, text));
    ports.history.add(text).catch((error: unknown) => runOnce("cannot store the prompt history", error));
    ports.submit(text);
  };

  const enter = () => {
    const { completion, buffer } = store.getState();
    if (completion?.kind === "file") return change(acceptCompletion);
    if (completion) {
      store.setState(acceptCompletion);
      return submit();
    }
    const { text, cursor } = buffer;
    if (text[cursor - 1] !== "\\") return submit();
    change((state) => insertTyped(edit(state, "backspace", ports.width()) ?? state, "\n"));
  };

  const escape = () => {
    const state = store.getState();
    if (state.completion) return store.setState((before) => ({ ...before, completion: undefined }));
    const isSecond = ports.now() - escapedAt < doubleMs;
    escapedAt = isSecond ? Number.NEGATIVE_INFINITY : ports.now();
    if (isSecond && state.buffer.text !== "") return change(clearPrompt);
    if (!ports.interrupt()) escapeWithNothingToStop(ports, { text: state.buffer.text, isSecond });
  };

  const searching = ({ name, text }: KeyPress): void => {
    const { search } = store.getState();
    if (!search) return;
    if (name === "escape" || name === "ctrl+g") return change((state) => endSearch(state, "cancel"));
    if (name === "ctrl+r") return store.setState((state) => searchFor(state, search.query, search.at));
    if (name === "backspace") return store.setState((state) => searchFor(state, search.query.slice(0, -1)));
    if (text !== "" && text !== "\n") return store.setState((state) => searchFor(state, search.query + text));
    change((state) => endSearch(state, "take"));
  };

  return {
    store,
    hasPaused: () => !store.getState().completion && ports.now() - typedAt >= pauseMs,
    clear: () => change(clearPrompt),
    write: (text) => change((state) => replaceText(state, text)),
    key(key) {
      const { search, completion } = store.getState();
      if (key.name !== "tab") typedAt = ports.now();
      if (key.name !== "escape") escapedAt = Number.NEGATIVE_INFINITY;
      if (search && key.name !== "enter") {
        searching(key);
        return true;
      }
      if (search) change((state) => endSearch(state, "take"));
      if (key.isPaste) {
        change((state) => insertPasted(state, key.text));
        return true;
      }
      if (completion && (key.name === "up" || key.name === "down")) {
        store.setState((state) => chooseNext(state, key.name === "up" ? -1 : 1));
        return true;
      }
      const action = actionOf("prompt", key.name);
      switch (action) {
        case "send":
          enter();
          return true;
        case "help":
          if (store.getState().buffer.text !== "" || !ports.help) break;
          ports.help();
          return true;
        case "newline":
          change((state) => insertTyped(state, "\n"));
          return true;
        case "interrupt":
          escape();
          return true;
        case "complete":
          if (completion) change(acceptCompletion);
          else offers.offer();
          return true;
        case "searchHistory":
          store.setState(startSearch);
          return true;
        case "historyBack":
        case "historyForward":
        case undefined:
          break;
      }
      const next = edit(store.getState(), key.name, ports.width());
      if (next) change(() => next);
      else if (key.text !== "") change((state) => insertTyped(state, key.text));
      return next !== undefined || key.text !== "";
    },
  };
}
