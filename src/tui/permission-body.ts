import { type Question, visibleLine, visibleText } from "../view/index.ts";
import { breakLine, hang, type Line, plainLine, span, wrapLine } from "./terminal-lines.ts";
import type { Style } from "./theme.ts";

/** What is asked about, whole and exact: whoever says yes has to have been able to see all of it. */
export function questionLines(question: Question, width: number): Line[] {
  const input = fieldsOf(question.input);
  const said = reasonLines(question, width);
  switch (question.tool) {
    case "Bash": {
      const { command, ...others } = input;
      return [...said, ...commandLines(text(command), width), ...fieldLines(others, width)];
    }
    case "Edit": {
      const { file_path: path, old_string: before, new_string: after, ...others } = input;
      return [
        ...said,
        ...pathLines(path, width),
        ...changeLines(text(before), text(after), width),
        ...fieldLines(others, width),
      ];
    }
    case "Write": {
      const { file_path: path, content, ...others } = input;
      return [...said, ...pathLines(path, width), ...contentLines(text(content), width), ...fieldLines(others, width)];
    }
    case "ExitPlanMode":
      return [...proseLines(text(input["plan"]), width), ...fieldLines(without(input, "plan"), width)];
    default:
      return [...said, ...fieldLines(input, width)];
  }
}

/** The question's own words, where they say more than what is shown anyway. */
function reasonLines({ question, tool }: Question, width: number): Line[] {
  const why = /^(.*?)\s*Allow [\s\S]*\?$/s.exec(question)?.[1] ?? question;
  if (why === "" || tool === "ExitPlanMode") return [];
  return [...proseLines(why, width), []];
}

/** A line break that was not there is marked, so that none can be taken for one that is. */
const brokenMark = span("↳ ", { dim: true });

function commandLines(command: string, width: number): Line[] {
  const lines = exact(command).split("\n");
  return lines.flatMap((line, index) =>
    hang(
      breakLine(plainLine(line, { bold: true }), width - 2),
      span(index === 0 ? "$ " : "  ", { dim: true }),
      brokenMark,
    ),
  );
}

function pathLines(path: unknown, width: number): Line[] {
  return breakLine(plainLine(visibleLine(text(path)), { bold: true }), width);
}

/** Lines that both have in common at the beginning and the end are the change's surroundings. */
function changeLines(before: string, after: string, width: number): Line[] {
  const [old, next] = [exact(before).split("\n"), exact(after).split("\n")];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start++;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  return [
    ...signed(old.slice(0, start), " ", width),
    ...signed(old.slice(start, old.length - end), "-", width),
    ...signed(next.slice(start, next.length - end), "+", width),
    ...signed(old.slice(old.length - end), " ", width),
  ];
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

function signed(lines: readonly string[], sign: "+" | "-" | " ", width: number): Line[] {
  const style: Style | undefined = sign === "+" ? { role: "added" } : sign === "-" ? { role: "removed" } : undefined;
  return lines.flatMap((line) =>
    hang(breakLine(plainLine(line, style), width - 2), span(`${sign} `, style), span(`${sign}↳`, { dim: true })),
  );
}

/** Every field there is, under its name. */
function fieldLines(fields: Readonly<Record<string, unknown>>, width: number): Line[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const label = span(`${visibleLine(name)}: `, { dim: true });
    const lines = exact(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")).split("\n");
    const [first = "", ...more] = lines;
    return [
      ...breakLine([label, span(first.replaceAll("\t", "  "))], width),
      ...more.flatMap((line) => hang(breakLine(plainLine(line), width - 2), span("  "), brokenMark)),
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
