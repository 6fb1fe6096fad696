/** What Ink needs of a terminal to write to. */
type Output = NodeJS.WriteStream;

/**
 * Ink erases all that it has drawn and writes it anew, for every frame. This stands between it and the terminal, and writes
 * only the lines that are others than before. Whatever it does not know for such a frame goes through as it is.
 */
export function createLeanOutput(stdout: Output): Output {
  /** The lines on the screen, each ended: the cursor is at the beginning of the one after them. */
  let drawn: readonly string[] | undefined;
  const write = (data: unknown, ...rest: unknown[]): boolean => {
    const pass = (text: unknown) => Reflect.apply(stdout.write, stdout, [text, ...rest]) as boolean;
    if (typeof data !== "string" || isMode(data)) return pass(data);
    if (data.startsWith(clearAll)) {
      drawn = undefined;
      return pass(lastScreen(data.slice(clearAll.length), stdout.rows || 24));
    }
    const { erased, text } = partsOf(data);
    const next = text.endsWith("\n") ? text.slice(0, -1).split("\n") : undefined;
    const before = drawn;
    drawn = next;
    if (!before || !next || erased !== before.length + 1 || next.length >= (stdout.rows || 0)) return pass(data);
    return pass(changed(before, next));
  };
  return new Proxy(stdout, {
    get(target, name) {
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const eraseLine = "\x1b[2K";
const up = "\x1b[1A";
const toStart = "\x1b[G";

/**
 * What Ink does with a frame that is higher than the screen: everything is cleared, the scrollback too, and all that was ever
 * printed is written again. The scrollback is not ours: only what is seen of it in the end is written.
 */
const clearAll = "\x1b[2J\x1b[3J\x1b[H";

function lastScreen(text: string, rows: number): string {
  const lines = text.split("\n").slice(-rows);
  return `\x1b[H${lines.map((line) => `${line}\x1b[K`).join("\n")}\x1b[J`;
}

/** Beginning and end of an update, the cursor shown or hidden: nothing is drawn by it. */
// oxlint-disable-next-line no-control-regex -- the sequences of a terminal
const isMode = (data: string): boolean => data === "" || /^\x1b\[\?\d+[hl]$/.test(data);

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

/** From below the last line of `before` to below the last of `after`, with what is between. */
function changed(before: readonly string[], after: readonly string[]): string {
  let from = 0;
  while (from < after.length && from < before.length && after[from] === before[from]) from += 1;
  if (from === before.length && from === after.length) return "";
  const pieces = from === before.length ? [] : [`\x1b[${before.length - from}A`];
  for (let row = from; row < after.length; row++) {
    const line = after[row] ?? "";
    pieces.push(line === before[row] ? "\n" : `${line}\x1b[K\n`);
  }
  if (after.length < before.length) pieces.push("\x1b[J");
  return pieces.join("");
}
