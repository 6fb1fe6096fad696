/**
 * All key bindings, by context. Key handlers look up actions here, and `/help` prints this table. Key names are those
 * of `KeyPress`.
 */
const table = {
  app: {
    title: "Anywhere",
    keys: {
      leave: [["ctrl+c"], "interrupt the lead; press twice to leave"],
      previousAgent: [["shift+up"], "select the agent above"],
      nextAgent: [["shift+down"], "select the agent below"],
      tasks: [["ctrl+t"], "show or hide the task list"],
      background: [["ctrl+b"], "move foreground agents to the background, or list background jobs"],
      transcript: [["ctrl+o"], "open the transcript with results and thinking unfolded"],
      readBack: [["pageup"], "open the transcript one page up"],
      mode: [["shift+tab"], "next permission mode: default, acceptEdits, plan"],
      thinking: [["alt+t"], "turn thinking off or on"],
      question: [["tab"], "answer the waiting question, after a pause in typing"],
      suspend: [["ctrl+z"], "suspend Troupe; `fg` resumes it"],
    },
  },
  prompt: {
    title: "Prompt",
    keys: {
      send: [["enter"], "send the prompt"],
      help: [["?"], "show keys and commands (in an empty prompt)"],
      newline: [["shift+enter", "alt+enter", "ctrl+j"], "insert a line break (also \\ before Enter)"],
      interrupt: [
        ["escape"],
        "interrupt the agent in view; press twice to clear the prompt, or to rewind if it is empty",
      ],
      complete: [["tab"], "accept the completion of a /command or @file"],
      searchHistory: [["ctrl+r"], "search the prompt history"],
      historyBack: [["up"], "previous prompt (on the first line)"],
      historyForward: [["down"], "next prompt (on the last line)"],
    },
  },
  agents: {
    title: "Selected agent",
    keys: {
      look: [["enter"], "view it; your prompts then go to it"],
      interrupt: [["escape"], "interrupt it; if it is idle, end the selection"],
      stop: [["x"], "stop it; if it has ended, dismiss it"],
    },
  },
  viewing: {
    title: "Agent in view",
    keys: {
      back: [["escape"], "interrupt it; if it is idle, return to the lead"],
    },
  },
  permission: {
    title: "Question",
    keys: {
      up: [["up"], "previous answer"],
      down: [["down"], "next answer"],
      pageUp: [["pageup", "ctrl+u"], "scroll the request up"],
      pageDown: [["pagedown", "ctrl+d", " "], "scroll the request down (read all of it before you allow it)"],
      choose: [["enter"], "give the selected answer; the key of an answer selects it"],
      confirm: [["tab"], "confirm an answer that holds from now on or for the team"],
      deny: [["escape"], "no"],
    },
  },
  list: {
    title: "List",
    keys: {
      up: [["up", "k"], "previous row"],
      down: [["down", "j"], "next row"],
      pageUp: [["pageup"], "page up"],
      pageDown: [["pagedown", " "], "page down"],
      first: [["home"], "first row"],
      last: [["end"], "last row"],
      choose: [["enter"], "choose or view the row"],
      stop: [["x"], "stop it; if it has ended, dismiss it"],
      toggle: [["tab"], "list the sessions of all folders, or of this one"],
      close: [["escape", "q"], "back"],
    },
  },
  pager: {
    title: "Transcript",
    keys: {
      up: [["up", "k"], "line up"],
      down: [["down", "j", "enter"], "line down"],
      pageUp: [["pageup", "b", "ctrl+b", "ctrl+u"], "page up"],
      pageDown: [["pagedown", " ", "f", "ctrl+f", "ctrl+d"], "page down"],
      first: [["home", "g"], "go to the start"],
      last: [["end", "G"], "go to the end and follow new output"],
      search: [["/"], "search (case-sensitive if it contains capitals)"],
      next: [["n"], "next match"],
      previous: [["N"], "previous match"],
      fold: [["o"], "fold or unfold results and thinking"],
      close: [["q", "escape", "ctrl+o", "ctrl+c"], "back"],
    },
  },
  confirm: {
    title: "Leaving",
    keys: {
      yes: [["y", "enter", "ctrl+c"], "stop everything and leave"],
      no: [["n", "escape"], "stay"],
    },
  },
} as const satisfies Readonly<Record<string, Section>>;

interface Section {
  readonly title: string;
  readonly keys: Readonly<Record<string, readonly [keys: readonly string[], does: string]>>;
}

type Table = typeof table;
export type KeyContext = keyof Table;
export type KeyAction<C extends KeyContext> = keyof Table[C]["keys"] & string;

/** Returns the action of a key in a context, or undefined. */
export function actionOf<C extends KeyContext>(context: C, key: string): KeyAction<C> | undefined {
  const section: Section = table[context];
  const found = Object.entries(section.keys).find(([, [keys]]) => keys.includes(key));
  return found?.[0] as KeyAction<C> | undefined;
}

/** Returns the first key of an action in readable form, for hints. */
export function keyFor<C extends KeyContext>(context: C, action: KeyAction<C>): string {
  const section: Section = table[context];
  return spelled(section.keys[action]?.[0][0] ?? "");
}

export interface KeyHelp {
  readonly title: string;
  readonly keys: readonly { readonly keys: string; readonly does: string }[];
}

/** Returns all key bindings in readable form. */
export function keyHelp(): readonly KeyHelp[] {
  return Object.values(table as Readonly<Record<string, Section>>).map(({ title, keys }) => ({
    title,
    keys: Object.values(keys).map(([names, does]) => ({ keys: names.map(spelled).join(", "), does })),
  }));
}

const spelled = (key: string): string => {
  const parts = key.split("+");
  return parts.map((part) => words[part] ?? (parts.length === 1 && part.length === 1 ? part : capital(part))).join("+");
};

const capital = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

const words: Readonly<Record<string, string>> = {
  " ": "Space",
  escape: "Esc",
  pageup: "PgUp",
  pagedown: "PgDn",
  up: "↑",
  down: "↓",
};
