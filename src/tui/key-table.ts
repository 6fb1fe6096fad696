/**
 * Every key that does something, by where it is pressed. What hears keys asks here what they mean, and `/help` prints this
 * table: there is no other list. Names of keys are those of `KeyPress`.
 */
const table = {
  app: {
    title: "Anywhere",
    keys: {
      leave: [["ctrl+c"], "stop what goes on; a second time: leave"],
      previousAgent: [["shift+up"], "choose the agent above"],
      nextAgent: [["shift+down"], "choose the agent below"],
      tasks: [["ctrl+t"], "show or hide the task list"],
      background: [["ctrl+b"], "let agents that are waited for go on in the background; else list what runs there"],
      transcript: [["ctrl+o"], "read the whole transcript, results and thinking unfolded"],
      readBack: [["pageup"], "the same, a page back"],
      mode: [["shift+tab"], "next permission mode: default, acceptEdits, plan"],
      suspend: [["ctrl+z"], "back to the shell; `fg` returns here"],
    },
  },
  prompt: {
    title: "Writing a prompt",
    keys: {
      send: [["enter"], "send it"],
      newline: [["shift+enter", "alt+enter", "ctrl+j"], "a new line; so does a \\ before enter"],
      interrupt: [["escape"], "interrupt whoever is looked at; twice: empty the prompt"],
      complete: [["tab"], "take what is offered for /commands and @files"],
      searchHistory: [["ctrl+r"], "search in what was said before"],
      historyBack: [["up"], "what was said before, from the first line"],
      historyForward: [["down"], "what was said after, from the last line"],
    },
  },
  agents: {
    title: "An agent is chosen",
    keys: {
      look: [["enter"], "look at it: what is typed then goes to it"],
      interrupt: [["escape"], "interrupt it; if it is not at work: choose nobody"],
      stop: [["x"], "stop it; if it has ended: put its row away"],
    },
  },
  viewing: {
    title: "Looking at an agent",
    keys: {
      back: [["escape"], "interrupt it; if it is not at work: back to the lead"],
    },
  },
  permission: {
    title: "A question",
    keys: {
      up: [["up"], "the answer above"],
      down: [["down"], "the answer below"],
      pageUp: [["pageup", "ctrl+u"], "back in what is asked about"],
      pageDown: [["pagedown", "ctrl+d", " "], "on in what is asked about; all of it has to be seen before a yes"],
      choose: [["enter"], "give the answer; 1 to 9 choose one at once"],
      deny: [["escape"], "no"],
    },
  },
  list: {
    title: "A list",
    keys: {
      up: [["up", "k"], "the row above"],
      down: [["down", "j"], "the row below"],
      pageUp: [["pageup"], "a page up"],
      pageDown: [["pagedown", " "], "a page down"],
      first: [["home"], "the first row"],
      last: [["end"], "the last row"],
      choose: [["enter"], "take it, or look at it"],
      stop: [["x"], "stop it, or put it away if it has ended"],
      close: [["escape", "q"], "back"],
    },
  },
  pager: {
    title: "Reading the transcript",
    keys: {
      up: [["up", "k"], "a line up"],
      down: [["down", "j", "enter"], "a line down"],
      pageUp: [["pageup", "b", "ctrl+b", "ctrl+u"], "a page up"],
      pageDown: [["pagedown", " ", "f", "ctrl+f", "ctrl+d"], "a page down"],
      first: [["home", "g"], "the beginning"],
      last: [["end", "G"], "the end; what comes is followed from there"],
      search: [["/"], "search; capital letters count if there are any"],
      next: [["n"], "the next that fits"],
      previous: [["N"], "the one before"],
      fold: [["o"], "fold results and thinking, or unfold them"],
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

/** What a key means there; undefined: nothing. */
export function actionOf<C extends KeyContext>(context: C, key: string): KeyAction<C> | undefined {
  const section: Section = table[context];
  const found = Object.entries(section.keys).find(([, [keys]]) => keys.includes(key));
  return found?.[0] as KeyAction<C> | undefined;
}

/** The first key of an action as people write it, for hints on the screen. */
export function keyFor<C extends KeyContext>(context: C, action: KeyAction<C>): string {
  const section: Section = table[context];
  return spelled(section.keys[action]?.[0][0] ?? "");
}

export interface KeyHelp {
  readonly title: string;
  readonly keys: readonly { readonly keys: string; readonly does: string }[];
}

/** The whole table, for people. */
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
