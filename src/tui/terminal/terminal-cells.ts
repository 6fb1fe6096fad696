/** One cell of the screen. `style` lists the active codes in a fixed order, or is empty. */
export interface Cell {
  readonly text: string;
  readonly style: string;
}

export interface CellLine {
  /** The cells whose column is certain. */
  readonly cells: readonly Cell[];
  /** The remaining text: terminals disagree about its width, or it contains an unknown sequence. */
  readonly rest: string;
}

/** Splits a line with colors into cells. */
export function cellsOf(line: string): CellLine {
  const cells: Cell[] = [];
  let style = "";
  let at = 0;
  while (at < line.length) {
    const code = line.codePointAt(at) ?? 0;
    if (code === 0x1b) {
      sequence.lastIndex = at;
      const found = sequence.exec(line);
      if (!found) break;
      style = styleAfter(style, found[1] ?? "");
      at = sequence.lastIndex;
      continue;
    }
    const next = line.codePointAt(at + 1) ?? 0x20;
    if (!isCertain(code) || isJoining(next)) break;
    cells.push({ text: line.charAt(at), style });
    at += 1;
  }
  return { cells, rest: at < line.length ? `${styleOn("", style)}${line.slice(at)}` : "" };
}

/** Returns the sequence that changes one style into another. */
export function styleOn(from: string, to: string): string {
  if (from === to) return "";
  if (to === "") return "\x1b[m";
  return from === "" ? `\x1b[${to}m` : `\x1b[0;${to}m`;
}

// oxlint-disable-next-line no-control-regex -- the sequences of a terminal
const sequence = /\x1b\[([\d;]*)m/y;

/**
 * True for characters that are one column wide in every terminal: European letters, box drawing, dots, arrows, and
 * Troupe's own signs.
 */
function isCertain(code: number): boolean {
  if (code < 0x7f) return code >= 0x20;
  if (code < 0x300) return code >= 0xa1 && code !== 0xad && code !== 0xa9 && code !== 0xae;
  return (
    (code >= 0x370 && code < 0x483) ||
    (code >= 0x2010 && code < 0x2028) ||
    (code >= 0x2030 && code < 0x203c) ||
    (code >= 0x2500 && code < 0x25a0) ||
    (code >= 0x2800 && code < 0x2900) ||
    signs.includes(code)
  );
}

/** ❯ ⎿ ● ◆ ✻ ✓ ✗ ← → ↑ ↓ ☐ ◐ ↳ ⋮ € ␛ */
const signs: readonly number[] = [
  0x276f, 0x23bf, 0x25cf, 0x25c6, 0x273b, 0x2713, 0x2717, 0x2190, 0x2191, 0x2192, 0x2193, 0x2610, 0x25d0, 0x21b3,
  0x22ee, 0x20ac, 0x241b,
];

/** True for characters that modify the previous one: accents, joiners, variation selectors. */
const isJoining = (code: number): boolean =>
  (code >= 0x300 && code < 0x370) ||
  (code >= 0x483 && code < 0x48a) ||
  code === 0x200d ||
  (code >= 0xfe00 && code < 0xfe10);

const ends: Readonly<Record<string, readonly string[]>> = {
  "22": ["1", "2"],
  "23": ["3"],
  "24": ["4"],
  "27": ["7"],
  "29": ["9"],
};

function styleAfter(style: string, codes: string): string {
  const key = `${style}>${codes}`;
  const known = styles.get(key);
  if (known !== undefined) return known;
  if (styles.size > 2_000) styles.clear();
  const found = styleOf(style, codes);
  styles.set(key, found);
  return found;
}

/** A cache, because the same few styles appear on every line. */
const styles = new Map<string, string>();

function styleOf(style: string, words: string): string {
  const on = new Map<string, string>();
  const codes = `${style};${words === "" ? "0" : words}`.split(";").filter((code) => code !== "");
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? "";
    if (code === "0") on.clear();
    else if (code === "38" || code === "48") {
      const length = codes[at + 1] === "5" ? 3 : 5;
      on.set(groundOf(code), codes.slice(at, at + length).join(";"));
      at += length - 1;
    } else if (code === "39" || code === "49") on.delete(groundOf(code));
    else if (ends[code]) for (const ended of ends[code]) on.delete(ended);
    else on.set(groundOf(code), code);
  }
  return [...on]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, code]) => code)
    .join(";");
}

/**
 * Foreground codes share one key and background codes another, so that the later one replaces the earlier. Other codes
 * are their own key.
 */
function groundOf(code: string): string {
  if (/^(?:3[0-9]|9[0-7])$/.test(code)) return "letters";
  return /^(?:4[0-9]|10[0-7])$/.test(code) ? "ground" : code;
}
