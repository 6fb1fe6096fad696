import { changeLines } from "./terminal-diff.ts";

/** Stands between Ink and the terminal. */
export interface IncrementalOutput {
  /** What Ink writes to. */
  readonly stream: NodeJS.WriteStream;
  /** A new Ink begins below what is there. */
  begin(): void;
  /** Somebody else has cleared the screen; the cursor is at its beginning. */
  cleared(): void;
  /** Draws what was drawn last, as far as it is not there. */
  refresh(): void;
  /** Another screen is shown: nothing is written until `release`, which writes what has come of it meanwhile. */
  hold(): void;
  release(): void;
}

/**
 * Ink erases all that it has drawn and writes it anew, for every frame; and what it prints for good, it prints between the
 * two. This turns each of its updates into the cells that are others than before. What it does not know for such an update
 * goes through as it is.
 *
 * Ink is told that the screen is endless: of a frame that is higher than it, Ink would clear everything, the scrollback too,
 * and write all that was ever printed again. Here its end is shown.
 */
export function createIncrementalOutput(stdout: NodeJS.WriteStream): IncrementalOutput {
  /** The lines on the screen that are redrawn; the cursor is at the beginning of the one after them. Undefined: unknown. */
  let shown: readonly string[] | undefined = [];
  /** What Ink has drawn last, whole. */
  let latest: readonly string[] = [];
  /** How many lines Ink will erase before its next frame. */
  let isRedrawPending = 0;
  let update: string[] | undefined;
  let held: { readonly printed: readonly string[] } | undefined;

  const rows = () => stdout.rows || 24;
  /** What has scrolled away because the screen has become lower is out of reach. */
  const onScreen = () => shown?.slice(-Math.max(1, rows() - 1));
  const draw = (printed: readonly string[], frame: readonly string[]): string => {
    const before = onScreen() ?? [];
    shown = frame.slice(-Math.max(1, rows() - 1));
    return changeLines(before, [...printed, ...shown]);
  };

  /** One update: what was erased, what is printed for good, and the frame. */
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

/** The cursor shown or hidden, a barrier: nothing is drawn by it. */
// oxlint-disable-next-line no-control-regex -- the sequences of a terminal
const isMode = (data: string): boolean => data === "" || /^\x1b\[\?\d+[hl]$/.test(data);

/** Undefined where the last one is not ended. */
function linesOf(text: string): readonly string[] | undefined {
  if (text === "") return [];
  return text.endsWith("\n") ? text.slice(0, -1).split("\n") : undefined;
}

/** How many lines are erased first, and what is written then. */
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
