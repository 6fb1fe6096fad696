import { type Question, visibleLine, visibleText } from "../../view/index.ts";
import { breakLine, withHangingIndent, type Line, plainLine, span, wrapLine } from "../terminal/terminal-lines.ts";
import type { Style } from "../theme.ts";
import { textLines } from "../transcript/transcript-text.ts";

/** What is asked about, whole and exact: whoever says yes has to have been able to see all of it. */
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
    case "ExitPlanMode":
      return [...proseLines(text(input["plan"]), width), ...fieldLines(without(input, "plan"), width)];
    default:
      return [...description, ...fieldLines(input, width), ...why];
  }
}

/** The question's own words, where they say more than what is shown anyway. */
function descriptionLines({ question }: Question, width: number): Line[] {
  const description = /^(.*?)\s*Allow [\s\S]*\?$/s.exec(question)?.[1] ?? question;
  return description === "" ? [] : [...proseLines(description, width), []];
}

/** Why it is not simply allowed. */
const reasonLines = ({ reason }: Question, width: number): Line[] =>
  reason === undefined ? [] : textLines(`Asked because: ${exact(reason)}`, width, { dim: true });

/** A line break that was not there is marked, so that none can be taken for one that is. */
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

/** The change, exactly as it was asked for, in its file. Lines that both have in common are surroundings as well. */
function changeLines({ before, after, around }: Change, width: number): Line[] {
  // Where both end with their line, there is nothing to see behind it.
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
          [span(`and the same in ${others} more ${others === 1 ? "place" : "places"}`, { role: "warning" })],
          width,
        )
      : []),
  ];
}

type Sign = "+" | "-" | " ";

const styleOf = (sign: Sign): Style | undefined =>
  sign === "+" ? { role: "added" } : sign === "-" ? { role: "removed" } : undefined;

/** What is in the file around the change, and stays. */
const nearLine = (line: string, width: number): Line[] =>
  withHangingIndent(breakLine(plainLine(line, { dim: true }), width - 2), span("  "), span(" ↳", { dim: true }));

interface Sides {
  readonly width: number;
  /** What its line has before and behind it in the file: that stays. */
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
  if (content === "") return [plainLine("(the file is emptied)", { dim: true })];
  const lines = exact(content).split("\n");
  const isWhole = lines.at(-1) === "";
  return [
    ...signed(isWhole ? lines.slice(0, -1) : lines, "+", width),
    ...(isWhole ? [] : [plainLine("(no line break at the end)", { dim: true })]),
  ];
}

const signed = (lines: readonly string[], sign: Sign, width: number): Line[] =>
  lines.flatMap((line) => signedLine(line, sign, { width, prefix: "", suffix: "" }));

/** Every field there is, under its name. */
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

/** Nothing is left out of what a person judges, not even how its lines end. */
const exact = (words: string): string => visibleText(words.replaceAll("\r", "\u240d"));

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

const without = (fields: Readonly<Record<string, unknown>>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return { ...input };
  return { input };
}
