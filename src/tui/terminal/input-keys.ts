/** One key press, or text that arrived at once. */
export interface KeyPress {
  /**
   * The key, with modifiers in the order ctrl, alt, shift: `ctrl+t`, `shift+up`, `alt+enter`, `escape`, `x`. Empty for
   * a paste and for text longer than one character.
   */
  readonly name: string;
  /** The text it inserts, if any. */
  readonly text: string;
  readonly isPaste: boolean;
}

export interface KeyReader {
  push(chunk: string): void;
  /**
   * Calls the handler for each press and returns a function that unsubscribes. A handler that returns true keeps the
   * press from later handlers.
   */
  subscribe(handler: KeyHandler): () => void;
  /** Drops incomplete input. */
  reset(): void;
}

export type KeyHandler = (key: KeyPress) => boolean | void;

/** Assembles key presses from input of any chunk size. An escape that nothing follows is the Escape key. */
export function createKeyReader({ escapeMs = 25 }: { readonly escapeMs?: number } = {}): KeyReader {
  const handlers = new Set<KeyHandler>();
  let pending = "";
  let paste: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  const emit = (key: KeyPress) => {
    // A handler that subscribes because of this key must not receive it.
    for (const handler of Array.from(handlers)) if (handlers.has(handler) && handler(key) === true) return;
  };
  const read = (isLast: boolean) => {
    while (pending !== "") {
      if (paste !== undefined) {
        const end = pending.indexOf(pasteEnd);
        const kept = end < 0 ? partOf(pending, pasteEnd) : 0;
        paste += end < 0 ? pending.slice(0, pending.length - kept) : pending.slice(0, end);
        pending = end < 0 ? pending.slice(pending.length - kept) : pending.slice(end + pasteEnd.length);
        if (end < 0) return;
        const text = paste.replace(/\r\n?/g, "\n");
        paste = undefined;
        if (text !== "") emit({ name: "", text, isPaste: true });
        continue;
      }
      const found = nextKey(pending, isLast);
      if (found === undefined) return;
      pending = pending.slice(found.length);
      if (found.sequence === pasteStart) paste = "";
      else if (found.key) emit(found.key);
    }
  };
  return {
    push(chunk) {
      clearTimeout(timer);
      pending += chunk;
      read(false);
      if (pending !== "" && paste === undefined) timer = setTimeout(() => read(true), escapeMs);
    },
    subscribe(handler) {
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    reset() {
      clearTimeout(timer);
      pending = "";
      paste = undefined;
    },
  };
}

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";

/** Returns how many characters at the end of `text` could start `wanted`. */
function partOf(text: string, wanted: string): number {
  for (let length = Math.min(text.length, wanted.length - 1); length > 0; length--)
    if (wanted.startsWith(text.slice(-length))) return length;
  return 0;
}

interface Found {
  readonly length: number;
  readonly sequence?: string;
  /** Undefined for a sequence without a meaning here. */
  readonly key?: KeyPress | undefined;
}

/** Returns the first press in `text`, or undefined if it is incomplete. */
function nextKey(text: string, isLast: boolean): Found | undefined {
  const first = text[0] ?? "";
  if (first === "\x1b") return escaped(text, isLast);
  const control = controls[first];
  if (control !== undefined) return { length: 1, key: named(control, first === "\n" ? "\n" : "") };
  // Ctrl with a letter, or with one of the characters after the letters.
  if (first < " ")
    return { length: 1, key: named(`ctrl+${String.fromCharCode(first.charCodeAt(0) + 64).toLowerCase()}`) };
  // oxlint-disable-next-line no-control-regex -- control characters are what ends a run of text
  const run = /^[^\x00-\x1f\x7f]+/.exec(text)?.[0] ?? first;
  return { length: run.length, key: { name: isOne(run) ? run : "", text: run, isPaste: false } };
}

const controls: Readonly<Record<string, string>> = {
  "\r": "enter",
  "\n": "ctrl+j",
  "\t": "tab",
  "\x7f": "backspace",
  "\b": "backspace",
};

function escaped(text: string, isLast: boolean): Found | undefined {
  // oxlint-disable-next-line no-control-regex -- the sequences of a terminal
  const csi = /^\x1b\x1b?(?:\[\[?[0-?]*[ -/]*[@-~]|O[@-~])/.exec(text)?.[0];
  if (csi !== undefined) return { length: csi.length, sequence: csi, key: sequenceKey(csi) };
  // oxlint-disable-next-line no-control-regex -- the same, not yet whole
  const isPart = text === "\x1b" || /^\x1b\x1b?(?:\[\[?[0-?]*[ -/]*|O)?$/.test(text);
  if (isPart && !isLast)
    return text.startsWith("\x1b\x1b") && text.length === 2 ? { length: 1, key: named("escape") } : undefined;
  const next = text.slice(1);
  if (next === "" || next.startsWith("\x1b")) return { length: 1, key: named("escape") };
  const inner = nextKey(Array.from(next)[0] ?? "", true);
  if (!inner?.key) return { length: 1, key: named("escape") };
  return { length: 1 + inner.length, key: named(`alt+${inner.key.name}`) };
}

const isOne = (text: string): boolean => Array.from(text).length === 1;

const named = (name: string, text = ""): KeyPress => ({ name, text, isPaste: false });

function sequenceKey(sequence: string): KeyPress | undefined {
  const hasAlt = sequence.startsWith("\x1b\x1b");
  const body = sequence.slice(hasAlt ? 2 : 1);
  const parts = /^(?:\[\[?|O)(?:(\d+)(?:;(\d+)(?::(\d+))?)?(?:;[\d:]*)*)?([A-Za-z~^$])$/.exec(body);
  if (!parts) return undefined;
  const [, number, modifier, eventType, letter = ""] = parts;
  if (eventType === "3") return undefined;
  const bits = Number(modifier ?? 1) - 1;
  const isUnicode = letter === "u";
  const code = Number(number ?? 0);
  // xterm's form for a modified key: 27 ; modifiers ; code ~
  const other = letter === "~" && code === 27 ? /;(\d+)~$/.exec(body)?.[1] : undefined;
  const base = other !== undefined ? fromCode(Number(other)) : isUnicode ? fromCode(code) : special(letter, code);
  if (base === undefined) return undefined;
  const isShifted = (bits & 1) !== 0 || body === "[Z";
  const isPrintable = isOne(base) && (bits & ~1) === 0 && !hasAlt;
  if (isPrintable) {
    const text = isShifted ? base.toUpperCase() : base;
    return { name: text, text, isPaste: false };
  }
  if (base === "space" && (bits & ~1) === 0) return { name: " ", text: " ", isPaste: false };
  const marks = [(bits & 4) !== 0 && "ctrl", ((bits & 2) !== 0 || hasAlt) && "alt", isShifted && "shift"];
  return named([...marks.filter((mark) => mark !== false), base].join("+"));
}

function fromCode(code: number): string | undefined {
  const known: Readonly<Record<number, string>> = {
    8: "backspace",
    9: "tab",
    13: "enter",
    27: "escape",
    32: "space",
    127: "backspace",
    57414: "enter",
  };
  if (known[code] !== undefined) return known[code];
  return code > 32 && code < 0x11_0000 && (code < 57344 || code > 63743) ? String.fromCodePoint(code) : undefined;
}

function special(letter: string, code: number): string | undefined {
  if (letter === "~" || letter === "^" || letter === "$") return numbered[code];
  return lettered[letter];
}

const lettered: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  M: "enter",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
  Z: "tab",
};

const numbered: Readonly<Record<number, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
};
