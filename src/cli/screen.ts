import { cut } from "../protocol/index.ts";
import { visibleLine, visibleText } from "../view/index.ts";

/** Plain output for a terminal of any width, and for a pipe. Escapes unsafe text, so callers pass it unchanged. */
export interface Screen {
  readonly paint: Paint;
  readonly width: number;
  /** Prints one line, cut with a mark if it does not fit. */
  line(text?: string, style?: Style): void;
  /** Prints one line to be copied, neither cut nor wrapped. */
  unwrapped(text: string, options?: { first?: string; style?: Style }): void;
  /**
   * Wraps text at words. `first`, in the style `mark`, starts the first line, and the other lines are indented to
   * match.
   */
  paragraph(text: string, options?: { first?: string; mark?: Style; style?: Style }): void;
  field(name: string, value: string): void;
  /** Prints streamed text, wrapped. `endStream` ends the paragraph. */
  streamText(text: string): void;
  endStream(): void;
  /** On a terminal, prints a line that the next output replaces. */
  transientLine(text: string): void;
}

export type Style = (text: string) => string;
export type Paint = Readonly<Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "blue" | "magenta", Style>>;

const fieldWidth = 10;
const streamMark = "● ";

export function createScreen(
  output: Pick<NodeJS.WriteStream, "isTTY" | "columns" | "write">,
  env: Readonly<Record<string, string | undefined>>,
): Screen {
  const isTerminal = output.isTTY;
  const width = Math.max(20, Math.min(isTerminal ? output.columns || 80 : 80, 80));
  const paint = createPaint(isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb");
  let transientLine = false;
  let column = 0;
  let word = "";

  const write = (text: string) => {
    if (transientLine) output.write("\r\x1b[2K");
    transientLine = false;
    output.write(text);
  };

  const paragraph: Screen["paragraph"] = (text, { first = "", style = plain, mark = style } = {}) => {
    const indent = " ".repeat(first.length);
    for (const [index, part] of wrap(visibleText(text), width - first.length).entries()) {
      write(`${index === 0 ? mark(first) : indent}${style(part)}\n`);
    }
  };

  const flushWord = () => {
    if (word === "") return;
    if (column > streamMark.length && column + 1 + word.length > width) breakWords();
    else if (column > streamMark.length) emit(" ");
    emit(word);
    word = "";
  };
  const emit = (text: string) => {
    column += text.length;
    write(text);
  };
  const breakWords = () => {
    write(`\n${" ".repeat(streamMark.length)}`);
    column = streamMark.length;
  };

  return {
    paint,
    width,
    paragraph,
    line: (text = "", style = plain) => write(`${style(cut(visibleLine(text), width))}\n`),
    unwrapped: (text, { first = "", style = plain } = {}) => write(`${paint.dim(first)}${style(visibleLine(text))}\n`),
    field: (name, value) => paragraph(value, { first: name.padEnd(fieldWidth), mark: paint.dim }),
    streamText(text) {
      if (column === 0) {
        write(`\n${paint.cyan(streamMark)}`);
        column = streamMark.length;
      }
      for (const character of visibleText(text)) {
        if (!/\s/.test(character)) word += character;
        else flushWord();
        if (character === "\n") breakWords();
      }
    },
    endStream() {
      flushWord();
      if (column > 0) write("\n");
      column = 0;
    },
    transientLine(text) {
      if (!isTerminal) return;
      write(cut(visibleLine(text), width - 1));
      transientLine = true;
    },
  };
}

const plain: Style = (text) => text;

function createPaint(colored: boolean): Paint {
  const style =
    (on: number, off: number): Style =>
    (text) =>
      colored && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39),
    blue: style(94, 39),
    magenta: style(35, 39),
  };
}

/** Wraps text to `width`. A longer word stays whole, because it is a path or an id to be copied. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
