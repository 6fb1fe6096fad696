import { type Question, questionText, relativePaths, visibleLine, visibleText } from "../../view/index.ts";
import { diffCounts, diffLines } from "../markdown/diff-lines.ts";
import { breakLine, withHangingIndent, type Line, plainLine, span, wrapLine } from "../terminal/terminal-lines.ts";
import type { Style } from "../theme.ts";
import { textLines } from "../transcript/transcript-text.ts";

/** Shows the complete and exact request, so that the user can see everything before allowing it. */
export function questionLines(
  question: Question,
  { width, cwd }: { readonly width: number; readonly cwd: string },
): Line[] {
  const input = fieldsOf(question.input);
  const pathOf = (path: unknown) => pathLines(relativePaths(text(path), cwd), width);
  const { description: said, place } = questionText(question);
  const [description, why] = [descriptionLines(said, width), reasonLines(question, place, width)];
  switch (question.tool) {
    case "Bash": {
      const { command, description: purpose, ...others } = input;
      return [
        ...description,
        ...commandLines(text(command), width),
        ...fieldLines({ "the agent says": purpose, ...others }, width),
        ...why,
      ];
    }
    case "Edit": {
      const { file_path: path, old_string: before, new_string: after, ...others } = input;
      return [
        ...description,
        ...pathOf(path),
        ...changeLines({ before: text(before), after: text(after), around: question.around }, width),
        ...fieldLines(others, width),
        ...why,
      ];
    }
    case "Write": {
      const { file_path: path, content, ...others } = input;
      const written =
        question.patch === undefined
          ? contentLines(text(content), width)
          : patchLines(question.patch, { width, path: text(path) });
      return [...description, ...pathOf(path), ...written, ...fieldLines(others, width), ...why];
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

const descriptionLines = (description: string, width: number): Line[] =>
  description === "" ? [] : [...proseLines(description, width), []];

/** Where the command runs, and the reason why the call is not allowed without a question. */
const reasonLines = ({ reason }: Question, place: string, width: number): Line[] => [
  ...(place === "" ? [] : proseLines(place, width)),
  ...(reason === undefined ? [] : textLines(`Reason for asking: ${exact(reason)}`, width, { dim: true })),
];

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

function pathLines(path: string, width: number): Line[] {
  return breakLine(plainLine(visibleLine(path), { bold: true }), width);
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
  const line = around?.line ?? 1;
  const digits = around ? String(line + next.length + around.after.length).length : 0;
  const room = digits === 0 ? width : width - digits - 1;
  const gutter = (number: number, lines: Line[]): Line[] =>
    digits === 0 ? lines : withHangingIndent(lines, span(`${String(number).padStart(digits)} `, { dim: true }));
  const piece = (lines: readonly string[], sign: Sign, { from, of, number }: Piece) =>
    lines.flatMap((each, index) =>
      gutter(
        number + index,
        signedLine(each, sign, {
          width: room,
          prefix: from + index === 0 ? sides.prefix : "",
          suffix: from + index === of - 1 ? sides.suffix : "",
        }),
      ),
    );
  const near = (lines: readonly string[], number: number) =>
    lines.flatMap((each, index) => gutter(number + index, nearLine(exact(each), room)));
  const others = around?.others ?? 0;
  const [of, tail] = [old.length, old.length - end];
  return [
    ...near(around?.before ?? [], line - (around?.before.length ?? 0)),
    ...piece(old.slice(0, start), " ", { from: 0, of, number: line }),
    ...piece(old.slice(start, tail), "-", { from: start, of, number: line + start }),
    ...piece(next.slice(start, next.length - end), "+", { from: start, of: next.length, number: line + start }),
    ...piece(old.slice(tail), " ", { from: tail, of, number: line + next.length - end }),
    ...near(around?.after ?? [], line + next.length),
    ...(others > 0
      ? wrapLine(
          [span(`and the same change in ${others} more ${others === 1 ? "place" : "places"}`, { role: "warning" })],
          width,
        )
      : []),
  ];
}

/** Some lines of a version: the index of the first, the number of all, and the number of the first in the file. */
interface Piece {
  readonly from: number;
  readonly of: number;
  readonly number: number;
}

type Sign = "+" | "-" | " ";

const styleOf = (sign: Sign): Style | undefined =>
  sign === "+" ? { ground: "added" } : sign === "-" ? { ground: "removed" } : undefined;

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

/** Shows what a write changes in the existing file. */
function patchLines(patch: string, { width, path }: { readonly width: number; readonly path: string }): Line[] {
  const { added, removed } = diffCounts(patch);
  const about = `replaces the existing file: ${added} added, ${removed} removed`;
  return [
    ...wrapLine([span(about, { role: "warning" })], width),
    ...diffLines(patch.replaceAll("\r", "\u240d"), width, path),
  ];
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
