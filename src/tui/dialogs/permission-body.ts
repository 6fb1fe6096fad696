import { type Question, visibleLine, visibleText } from "../../view/index.ts";
import { breakLine, withHangingIndent, type Line, plainLine, span, wrapLine } from "../terminal/terminal-lines.ts";
import type { Style } from "../theme.ts";
import { textLines } from "../transcript/transcript-text.ts";

/** Shows the complete and exact request, so that the user can see everything before allowing it. */
export function questionLines(question: Question, width: number): Line[] {
  const input = fieldsOf(question.input);
  const [description, why] = [descriptionLines(question, width), reasonLines(question, width)];
  switch (question.tool) {
    case "Bash": {
      const { command, ...others } = input;
      return [...description, ...commandLines(text(command), width), ...fieldLines(others, width), ...why];
    }
    case "Edit": {
      const { file_path: path, old_string: before, new_string: after, ...others } = input;
      return [
        ...description,
        ...pathLines(path, width),
        ...changeLines({ before: text(before), after: text(after), around: question.around }, width),
        ...fieldLines(others, width),
        ...why,
      ];
    }
    case "Write": {
      const { file_path: path, content, ...others } = input;
      const written = contentLines(text(content), width);
      return [...description, ...pathLines(path, width), ...written, ...fieldLines(others, width), ...why];
    }
    case "AskUserQuestion":
      return [...proseLines(text(input["question"]), width), ...optionLines(input["options"], width)];
    case "ExitPlanMode":
      return [...proseLines(text(input["plan"]), width), ...fieldLines(without(input, "plan"), width)];
    default:
      return [...description, ...fieldLines(input, width), ...why];
  }
}

/** The consequences of each answer. The answers themselves are the choices below. */
function optionLines(options: unknown, width: number): Line[] {
  const described = (Array.isArray(options) ? options : []).map(fieldsOf).filter((option) => option["description"]);
  const lines = described.flatMap((option) =>
    textLines(exact(`${text(option["label"])}: ${text(option["description"])}`), width, { dim: true }),
  );
  return lines.length === 0 ? [] : [[], ...lines];
}

/** Returns the text of the question that goes beyond the displayed request. */
function descriptionLines({ question }: Question, width: number): Line[] {
  const description = /^(.*?)\s*Allow [\s\S]*\?$/s.exec(question)?.[1] ?? question;
  return description === "" ? [] : [...proseLines(description, width), []];
}

/** The reason why the call is not allowed without a question. */
const reasonLines = ({ reason }: Question, width: number): Line[] =>
  reason === undefined ? [] : textLines(`Reason for asking: ${exact(reason)}`, width, { dim: true });

/** Marks wrapped lines, so that a wrap does not look like a real line break. */
const brokenMark = span("↳ ", { dim: true });

function commandLines(command: string, width: number): Line[] {
  const lines = exact(command).split("\n");
  return lines.flatMap((line, index) =>
    withHangingIndent(
      breakLine(plainLine(line, { bold: true }), width - 2),
      span(index === 0 ? "$ " : "  ", { dim: true }),
      brokenMark,
    ),
  );
}

function pathLines(path: unknown, width: number): Line[] {
  return breakLine(plainLine(visibleLine(text(path)), { bold: true }), width);
}

interface Change {
  readonly before: string;
  readonly after: string;
  readonly around: Question["around"];
}

/** Shows the requested change in its file. Lines that both versions share count as context. */
function changeLines({ before, after, around }: Change, width: number): Line[] {
  // If both end with a line break, there is nothing more to show.
  const isWhole = before.endsWith("\n") && after.endsWith("\n");
  const linesOf = (words: string) => exact(isWhole ? words.slice(0, -1) : words).split("\n");
  const [old, next] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start++;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  const sides = { prefix: exact(around?.prefix ?? ""), suffix: exact(around?.suffix ?? "") };
  const piece = (lines: readonly string[], sign: Sign, [from, of]: readonly [number, number]) =>
    lines.flatMap((line, index) =>
      signedLine(line, sign, {
        width,
        prefix: from + index === 0 ? sides.prefix : "",
        suffix: from + index === of - 1 ? sides.suffix : "",
      }),
    );
  const near = (lines: readonly string[]) => lines.flatMap((line) => nearLine(exact(line), width));
  const others = around?.others ?? 0;
  return [
    ...(around ? wrapLine([span(`line ${around.line}`, { dim: true })], width) : []),
    ...near(around?.before ?? []),
    ...piece(old.slice(0, start), " ", [0, old.length]),
    ...piece(old.slice(start, old.length - end), "-", [start, old.length]),
    ...piece(next.slice(start, next.length - end), "+", [start, next.length]),
    ...piece(old.slice(old.length - end), " ", [old.length - end, old.length]),
    ...near(around?.after ?? []),
    ...(others > 0
      ? wrapLine(
          [span(`and the same change in ${others} more ${others === 1 ? "place" : "places"}`, { role: "warning" })],
          width,
        )
      : []),
  ];
}

type Sign = "+" | "-" | " ";

const styleOf = (sign: Sign): Style | undefined =>
  sign === "+" ? { role: "added" } : sign === "-" ? { role: "removed" } : undefined;

/** Shows an unchanged line around the change. */
const nearLine = (line: string, width: number): Line[] =>
  withHangingIndent(breakLine(plainLine(line, { dim: true }), width - 2), span("  "), span(" ↳", { dim: true }));

interface Sides {
  readonly width: number;
  /** The unchanged text before and after the change on its line. */
  readonly prefix: string;
  readonly suffix: string;
}

function signedLine(line: string, sign: Sign, { width, prefix, suffix }: Sides): Line[] {
  const style = styleOf(sign);
  const whole: Line = [
    ...(prefix === "" ? [] : plainLine(prefix, { dim: true })),
    ...plainLine(line, style),
    ...(suffix === "" ? [] : plainLine(suffix, { dim: true })),
  ];
  return withHangingIndent(breakLine(whole, width - 2), span(`${sign} `, style), span(`${sign}↳`, { dim: true }));
}

function contentLines(content: string, width: number): Line[] {
  if (content === "") return [plainLine("(the file becomes empty)", { dim: true })];
  const lines = exact(content).split("\n");
  const isWhole = lines.at(-1) === "";
  return [
    ...signed(isWhole ? lines.slice(0, -1) : lines, "+", width),
    ...(isWhole ? [] : [plainLine("(no line break at the end)", { dim: true })]),
  ];
}

const signed = (lines: readonly string[], sign: Sign, width: number): Line[] =>
  lines.flatMap((line) => signedLine(line, sign, { width, prefix: "", suffix: "" }));

/** Shows every field with its name. */
function fieldLines(fields: Readonly<Record<string, unknown>>, width: number): Line[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const label = span(`${visibleLine(name)}: `, { dim: true });
    const lines = exact(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")).split("\n");
    const [first = "", ...more] = lines;
    return [
      ...breakLine([label, span(first.replaceAll("\t", "  "))], width),
      ...more.flatMap((line) => withHangingIndent(breakLine(plainLine(line), width - 2), span("  "), brokenMark)),
    ];
  });
}

const proseLines = (words: string, width: number): Line[] =>
  exact(words)
    .split("\n")
    .flatMap((line) => wrapLine(plainLine(line), width));

/** Hides nothing from the user, not even carriage returns. */
const exact = (words: string): string => visibleText(words.replaceAll("\r", "\u240d"));

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

const without = (fields: Readonly<Record<string, unknown>>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return { ...input };
  return { input };
}
