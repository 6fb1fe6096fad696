/**
 * A terminal in memory: converts a program's output to visible cells. It supports the sequences that Troupe uses and
 * throws for others. Lines that have scrolled away are kept, so that each line is compared with itself.
 */
export function screenModel({ columns, rows, onFrame }) {
  let main = page();
  let other;
  let style = "";
  let rest = "";
  let inFrame = false;
  /** The lines before this frame, by their number from the first one on. */
  let before = new Map();
  let width = columns;
  let height = rows;

  function page() {
    return { lines: [[]], top: 0, row: 0, column: 0 };
  }
  const lineAt = (number) => {
    while (main.lines.length <= number) main.lines.push([]);
    return main.lines[number];
  };
  const touch = (number) => {
    const line = lineAt(number);
    if (!before.has(number))
      before.set(
        number,
        line.map((cell) => cell),
      );
    return line;
  };
  const here = () => main.top + main.row;
  const down = () => {
    if (main.row < height - 1) main.row += 1;
    else main.top += 1;
    lineAt(here());
  };
  const put = (text) => {
    const size = widthOf(text);
    if (size === 0) return;
    if (main.column + size > width) {
      main.column = 0;
      down();
    }
    const line = touch(here());
    while (line.length < main.column) line.push(blank);
    // For a blank, keeps only the visible styles.
    line[main.column] = { text, style: text === " " ? style.split("|").filter(isSeen).join("|") : style };
    if (size === 2) line[main.column + 1] = { text: "", style };
    main.column += size;
  };
  const erase = (number, from) => {
    touch(number).length = Math.min(lineAt(number).length, from);
  };
  const place = (row, column) => {
    main.row = Math.max(0, Math.min(row, height - 1));
    main.column = Math.max(0, Math.min(column, width - 1));
    lineAt(here());
  };
  const endFrame = () => {
    if (onFrame) onFrame(leastFor(before, lineAt));
    before = new Map();
  };

  const sequence = (kind, words, prefix) => {
    const [first = 0, second = 0] = words.split(";").map(Number);
    const many = Math.max(1, first);
    const column = Math.min(main.column, width - 1);
    if (prefix === "?") return mode(first, kind === "h");
    if (prefix !== "") return undefined;
    if (kind === "m") style = styleAfter(style, words);
    else if (kind === "A") place(main.row - many, column);
    else if (kind === "B") place(main.row + many, column);
    else if (kind === "C") place(main.row, column + many);
    else if (kind === "G") place(main.row, many - 1);
    else if (kind === "H") place(many - 1, Math.max(1, second) - 1);
    else if (kind === "K" && first === 0) erase(here(), column);
    else if (kind === "K" && first === 2) erase(here(), 0);
    else if (kind === "J" && (first === 0 || first === 2)) {
      erase(here(), first === 2 ? 0 : column);
      for (let row = first === 2 ? 0 : main.row + 1; row < height; row++) erase(main.top + row, 0);
    } else throw new Error(`the terminal model does not support ${JSON.stringify(`CSI ${words}${kind}`)}`);
    return undefined;
  };
  const mode = (number, isOn) => {
    if (number === 2026 && isOn) inFrame = true;
    if (number === 2026 && !isOn && inFrame) {
      inFrame = false;
      endFrame();
    }
    if (number === 1049 && isOn !== (other !== undefined)) {
      [main, other] = isOn ? [page(), main] : [other, undefined];
      before = new Map();
    }
  };

  return {
    write(data) {
      const text = rest + data;
      let at = 0;
      for (const match of text.matchAll(pieces)) {
        const [piece, prefix, words, kind] = match;
        at = match.index + piece.length;
        if (kind !== undefined) sequence(kind, words, prefix);
        else if (piece === "\n") {
          main.column = 0;
          down();
        } else if (piece === "\r") main.column = 0;
        else if (piece.charCodeAt(0) >= 32) put(piece);
      }
      rest = text.slice(at);
    },
    resize(toColumns, toRows) {
      width = toColumns;
      height = toRows;
    },
    /** The visible text, without blanks at the ends of lines. */
    screen: () => shown(main.lines.slice(main.top, main.top + height)),
    /** All lines ever written. */
    all: () => shown(main.lines),
    /** The visible cells with their styles. */
    cells: () =>
      main.lines.map((line) =>
        Array.from(line, (cell) => `${(cell ?? blank).text}{${(cell ?? blank).style}}`)
          .join("")
          .replace(/(?: \{\})+$/, ""),
      ),
    isOther: () => other !== undefined,
  };
}

const pieces =
  // oxlint-disable-next-line no-control-regex -- terminal sequences
  /\x1b\[([?<>]?)([\d;]*)([A-Za-z])|\x1b\][^\x07]*\x07|\n|\r|\x07|[^\x00-\x1f]\p{M}*\u{fe0f}?(?:\u200d[^\x00-\x1f]\u{fe0f}?)*/gu;

const blank = { text: " ", style: "" };

const shown = (lines) =>
  lines
    .map((line) =>
      Array.from(line, (cell) => (cell ?? blank).text)
        .join("")
        .trimEnd(),
    )
    .join("\n")
    .trimEnd();

function widthOf(text) {
  const code = text.codePointAt(0);
  if (/^[\p{Mn}\p{Me}\p{Cf}]/u.test(text)) return 0;
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(text)) return 2;
  return (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x20000 && code <= 0x3fffd)
    ? 2
    : 1;
}

/** Underline, strikethrough or background: visible without a letter. */
const isSeen = (code) => /^(?:4|7|9|4\d.*|10\d)$/.test(code);

const offs = { 22: ["1", "2"], 23: ["3"], 24: ["4"], 27: ["7"], 29: ["9"] };

/** Returns the active codes in a fixed order. */
function styleAfter(style, words) {
  let on = style === "" ? [] : style.split("|");
  const codes = words.split(";");
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at];
    if (code === "" || code === "0") on = [];
    else if (code === "38" || code === "48") {
      const length = codes[at + 1] === "5" ? 3 : 5;
      on = [...on.filter((each) => !isSame(each, code)), codes.slice(at, at + length).join(";")];
      at += length - 1;
    } else if (offs[code]) on = on.filter((each) => !offs[code].includes(each));
    else if (code === "39" || code === "49") on = on.filter((each) => !isSame(each, code));
    else on = [...on.filter((each) => each !== code && !isSame(each, code)), code];
  }
  return on.sort().join("|");
}

/** True if both are foreground colours, or both background colours. */
const isSame = (a, b) => kindOf(a) !== "" && kindOf(a) === kindOf(b);
const kindOf = (code) =>
  /^(?:3[0-9]|9[0-7])(?:;|$)/.test(code) ? "letters" : /^(?:4[0-9]|10[0-7])(?:;|$)/.test(code) ? "ground" : "";

/**
 * Returns the minimal bytes that show the changes: the position, style and text of each run of changed cells. A gap
 * that is cheaper to rewrite than to skip is rewritten.
 */
function leastFor(before, lineAt) {
  let bytes = 0;
  let cells = 0;
  for (const [number, old] of before) {
    const line = lineAt(number);
    const length = Math.max(old.length, line.length);
    let column = -1;
    let style = "";
    let isFirst = true;
    for (let at = 0; at < length; at++) {
      const [was = blank, is = blank] = [old[at], line[at]];
      if (was.text === is.text && was.style === is.style) continue;
      cells += 1;
      if (isFirst) bytes += `\x1b[${number % 100};${at + 1}H`.length;
      else if (at > column) bytes += Math.min(at - column, `\x1b[${at - column}C`.length);
      if (at >= line.length) {
        // The rest of the old line is erased at once.
        bytes += 3;
        break;
      }
      if (is.style !== style && !(is.text === " " && !style.split("|").some(isSeen)))
        bytes += is.style === "" ? 3 : `\x1b[${is.style.replaceAll("|", ";")}m`.length;
      bytes += Buffer.byteLength(is.text);
      if (is.text !== " ") style = is.style;
      [column, isFirst] = [at + 1, false];
    }
    if (style !== "") bytes += 3;
  }
  return { bytes, cells, lines: before.size };
}
