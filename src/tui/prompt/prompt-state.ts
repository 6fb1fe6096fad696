import { type Buffer, bufferOf, emptyBuffer, insert, moveRow, moveTo, cursorMoves, removeTo } from "./prompt-buffer.ts";
import { applyCompletion, type Completion } from "./prompt-complete.ts";
import { paste, pasteBefore, type Pastes, withPastes } from "./prompt-paste.ts";

/** The state of the prompt, immutable. */
export interface PromptState {
  readonly buffer: Buffer;
  readonly pastes: Pastes;
  /** Earlier prompts of this project, oldest first. */
  readonly history: readonly string[];
  /** The displayed history entry, or undefined for the current text. */
  readonly historyAt: number | undefined;
  /** The text that was being written before the user went back in the history. */
  readonly stash: string;
  readonly search: Search | undefined;
  readonly completion: Completion | undefined;
  /** The text that was deleted last, for ctrl+y. */
  readonly killed: string;
  readonly undo: readonly Buffer[];
}

export interface Search {
  readonly query: string;
  /** Index of the found entry. */
  readonly at: number | undefined;
  readonly before: Buffer;
}

export const emptyPrompt: PromptState = {
  buffer: emptyBuffer,
  pastes: new Map(),
  history: [],
  historyAt: undefined,
  stash: "",
  search: undefined,
  completion: undefined,
  killed: "",
  undo: [],
};

const undoSteps = 100;

function edited(state: PromptState, buffer: Buffer): PromptState {
  if (buffer.text === state.buffer.text) return buffer.cursor === state.buffer.cursor ? state : { ...state, buffer };
  return { ...state, buffer, undo: [...state.undo, state.buffer].slice(-undoSteps) };
}

function killTo(state: PromptState, to: number): PromptState {
  const { text, cursor } = state.buffer;
  const killed = text.slice(Math.min(to, cursor), Math.max(to, cursor));
  return killed === "" ? state : { ...edited(state, removeTo(state.buffer, to)), killed };
}

export const insertTyped = (state: PromptState, text: string): PromptState => edited(state, insert(state.buffer, text));

export function insertPasted(state: PromptState, text: string): PromptState {
  const { buffer, pastes } = paste(state, text);
  return { ...edited(state, buffer), pastes };
}

export const replaceText = (state: PromptState, text: string): PromptState => edited(state, bufferOf(text));

/** Handles movement and deletion keys as in a shell. Returns undefined for other keys. */
export function edit(state: PromptState, key: string, width: number): PromptState | undefined {
  const { buffer } = state;
  const go = (place: (buffer: Buffer) => number) => edited(state, moveTo(buffer, place(buffer)));
  switch (key) {
    case "left":
    case "ctrl+b":
      return go(cursorMoves.left);
    case "right":
    case "ctrl+f":
      return go(cursorMoves.right);
    case "alt+left":
    case "ctrl+left":
    case "alt+b":
      return go(cursorMoves.wordLeft);
    case "alt+right":
    case "ctrl+right":
    case "alt+f":
      return go(cursorMoves.wordRight);
    case "home":
    case "ctrl+a":
      return go(cursorMoves.lineStart);
    case "end":
    case "ctrl+e":
      return go(cursorMoves.lineEnd);
    case "backspace":
      return edited(state, removeTo(buffer, pasteBefore(buffer, state.pastes) ?? cursorMoves.left(buffer)));
    case "delete":
    case "ctrl+d":
      return edited(state, removeTo(buffer, cursorMoves.right(buffer)));
    case "ctrl+w":
      return killTo(state, cursorMoves.blankLeft(buffer));
    case "alt+backspace":
    case "ctrl+backspace":
      return killTo(state, cursorMoves.wordLeft(buffer));
    case "alt+d":
    case "ctrl+delete":
      return killTo(state, cursorMoves.wordRight(buffer));
    case "ctrl+u":
      return killTo(state, cursorMoves.lineStart(buffer));
    case "ctrl+k":
      return killTo(state, cursorMoves.lineEnd(buffer));
    case "ctrl+y":
      return insertTyped(state, state.killed);
    case "ctrl+_":
    case "ctrl+shift+-": {
      const before = state.undo.at(-1);
      return before ? { ...state, buffer: before, undo: state.undo.slice(0, -1) } : state;
    }
    case "up":
      return rowOrHistory(state, -1, width);
    case "down":
      return rowOrHistory(state, 1, width);
    default:
      return undefined;
  }
}

/** Moves one row up or down. Past the first or last row it moves through the history. */
function rowOrHistory(state: PromptState, by: 1 | -1, width: number): PromptState {
  const moved = moveRow(state.buffer, by, width);
  if (moved) return edited(state, moved);
  const { history, historyAt, stash } = state;
  const at = (historyAt ?? history.length) + by;
  if (at < 0 || at > history.length) return state;
  if (at === history.length) {
    return historyAt === undefined ? state : { ...state, buffer: bufferOf(stash), historyAt: undefined };
  }
  const kept = historyAt === undefined ? state.buffer.text : stash;
  return { ...state, buffer: bufferOf(history[at] ?? ""), historyAt: at, stash: kept };
}

/** Clears the prompt after sending. The text becomes the last history entry. */
export function afterSubmit(state: PromptState, text: string): PromptState {
  const history = state.history.at(-1) === text ? state.history : [...state.history, text];
  return { ...emptyPrompt, history, killed: state.killed };
}

/** Clears the prompt without sending. The text stays in the history of this run and can be inserted again. */
export function clearPrompt(state: PromptState): PromptState {
  const { text } = state.buffer;
  const draft = withPastes(text, state.pastes);
  const isKept = text.trim() !== "" && state.history.at(-1) !== draft;
  return {
    ...emptyPrompt,
    history: isKept ? [...state.history, draft] : state.history,
    killed: text === "" ? state.killed : text,
  };
}

export const startSearch = (state: PromptState): PromptState => ({
  ...state,
  completion: undefined,
  search: { query: "", at: undefined, before: state.buffer },
});

/** Finds the newest entry before `below` that contains the query. If there is none, the previous match stays. */
export function searchFor(state: PromptState, query: string, below = state.history.length): PromptState {
  const { search } = state;
  if (!search) return state;
  const wanted = query.toLowerCase();
  const at =
    query === ""
      ? -1
      : state.history.findLastIndex((text, index) => index < below && text.toLowerCase().includes(wanted));
  const found = at >= 0 ? at : query === search.query ? search.at : undefined;
  const buffer = found === undefined ? search.before : bufferOf(state.history[found] ?? "");
  return { ...state, buffer, search: { ...search, query, at: found } };
}

export function endSearch(state: PromptState, how: "take" | "cancel"): PromptState {
  if (!state.search) return state;
  return { ...state, buffer: how === "take" ? state.buffer : state.search.before, search: undefined };
}

export function chooseNext(state: PromptState, by: 1 | -1): PromptState {
  const { completion } = state;
  if (!completion) return state;
  const count = completion.items.length;
  return { ...state, completion: { ...completion, chosen: (completion.chosen + by + count) % count } };
}

export function acceptCompletion(state: PromptState): PromptState {
  if (!state.completion) return state;
  return { ...edited(state, applyCompletion(state.buffer, state.completion)), completion: undefined };
}
