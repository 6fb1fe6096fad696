import { changeLines } from "./terminal-diff.ts";

/** A filter between Ink and the terminal. */
export interface IncrementalOutput {
  /** The stream that Ink writes to. */
  readonly stream: NodeJS.WriteStream;
  /** Starts a new Ink instance below the existing output. */
  begin(): void;
  /** Call after other code cleared the screen. The cursor is at its start. */
  cleared(): void;
  /** Draws the last frame again where the screen differs. */
  refresh(): void;
  /** Holds all output while the alternate screen is open. `release` writes the result. */
  hold(): void;
  release(): void;
}

/**
 * Ink erases its output and writes it again for every frame, with permanent output in between. This filter reduces each
 * update to the changed cells. Updates that it does not recognize pass unchanged. Ink sees an endless screen: for a
 * frame higher than the screen it would clear everything, including the scrollback, and print all output again. The
 * filter shows the end of such a frame instead.
 */
export function createIncrementalOutput(stdout: NodeJS.WriteStream): IncrementalOutput {
  /** The redrawn lines on the screen. The cursor is at the start of the line after them. Undefined if unknown. */
  let shown: readonly string[] | undefined = [];
  /** Ink's last complete frame. */
  let latest: readonly string[] = [];
  /** The number of lines that Ink will erase before its next frame. */
  let isRedrawPending = 0;
  let update: string[] | undefined;
  let held: { readonly printed: readonly string[] } | undefined;

  const rows = () => stdout.rows || 24;
  /** Lines that scrolled off a lower screen cannot be changed. */
  const onScreen = () => shown?.slice(-Math.max(1, rows() - 1));
  const draw = (printed: readonly string[], frame: readonly string[]): string => {
    const before = onScreen() ?? [];
    shown = frame.slice(-Math.max(1, rows() - 1));
    return changeLines(before, [...printed, ...shown]);
  };

  /** Applies one update: the erased lines, the permanent output, and the frame. */
  const apply = (writes: readonly string[]): string => {
    const data = writes.join("");
    const { erased, text } = partsOf(writes[0] ?? "");
    const texts = [text, ...writes.slice(1)].filter((each) => each !== "");
    const frame = linesOf(texts.at(-1) ?? "");
    const printed = linesOf(texts.slice(0, -1).join(""));
    const isKnown = frame !== undefined && printed !== undefined && erased === isRedrawPending;
    isRedrawPending = frame === undefined || texts.length === 0 ? 0 : frame.length + 1;
    latest = frame ?? [];
    if (held) held = { printed: [...held.printed, ...(printed ?? [])] };
    else if (isKnown) return draw(printed, frame);
    else shown = frame;
    return held ? "" : data;
  };

  const pass = (args: readonly unknown[]) => Reflect.apply(stdout.write, stdout, args) as boolean;
  const emit = (changed: string): boolean => changed === "" || pass([updateBegins + changed + updateEnds]);
  const write = (...args: unknown[]): boolean => {
    const [data] = args;
    if (data === updateBegins) {
      update = [];
      return true;
    }
    if (data === updateEnds && update) {
      const writes = update.filter((each) => each !== "");
      update = undefined;
      return emit(apply(writes));
    }
    if (typeof data !== "string" || isMode(data)) return pass(args);
    if (update) {
      update.push(data);
      return true;
    }
    return pass([apply([data]), ...args.slice(1)]);
  };

  return {
    stream: new Proxy(stdout, {
      get(target, name) {
        if (name === "write") return write;
        if (name === "rows") return unlimitedRows;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    begin() {
      [shown, latest, isRedrawPending] = [[], [], 0];
    },
    cleared() {
      shown = [];
    },
    refresh() {
      if (!held) emit(draw([], latest));
    },
    hold() {
      held ??= { printed: [] };
    },
    release() {
      const { printed = [] } = held ?? {};
      held = undefined;
      emit(draw(printed, latest));
    },
  };
}

const unlimitedRows = 1_000_000;
const updateBegins = "\x1b[?2026h";
const updateEnds = "\x1b[?2026l";
const eraseLine = "\x1b[2K";
const up = "\x1b[1A";
const toStart = "\x1b[G";

/** Sequences that draw nothing, such as showing or hiding the cursor. */
// oxlint-disable-next-line no-control-regex -- the sequences of a terminal
const isMode = (data: string): boolean => data === "" || /^\x1b\[\?\d+[hl]$/.test(data);

/** Returns undefined if the last line is not terminated. */
function linesOf(text: string): readonly string[] | undefined {
  if (text === "") return [];
  return text.endsWith("\n") ? text.slice(0, -1).split("\n") : undefined;
}

/** Returns the number of lines erased first, and the text written after that. */
function partsOf(data: string): { readonly erased: number; readonly text: string } {
  let [at, erased] = [0, 0];
  while (data.startsWith(eraseLine, at)) {
    erased += 1;
    at += eraseLine.length;
    if (data.startsWith(up, at)) at += up.length;
  }
  if (erased > 0 && data.startsWith(toStart, at)) at += toStart.length;
  return { erased, text: data.slice(at) };
}
