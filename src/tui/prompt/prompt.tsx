import { Box, Text } from "ink";
import { type ReactNode, useSyncExternalStore } from "react";
import { visibleLine } from "../../view/index.ts";
import { type Size, useFrontend, useSize } from "../app-context.ts";
import { maxCompletions } from "../panels/live-layout.ts";
import { rowOfCursor, rowsOf } from "./prompt-buffer.ts";
import type { PromptController } from "./prompt-controller.ts";
import type { PromptState } from "./prompt-state.ts";
import { type Line, paintLine, paintLines, span } from "../terminal/terminal-lines.ts";
import { cutTo, graphemesOf, widthOf } from "../terminal/terminal-width.ts";
import type { Theme } from "../theme.ts";

export interface PromptProps {
  readonly prompt: Pick<PromptController, "store">;
  /** The agent that receives the prompt, if it is not the lead. */
  readonly to?: { readonly name: string; readonly color: string | undefined } | undefined;
  /** False while a dialog receives the keys. */
  readonly isActive: boolean;
  /** The text of an empty prompt. */
  readonly placeholder: string;
  /** Maximum lines for completions. */
  readonly maxCompletions?: number | undefined;
}

/** The input area: borders, the text, and the completions below. */
export function Prompt({ prompt, to, isActive, placeholder, maxCompletions: most }: PromptProps): ReactNode {
  const { theme } = useFrontend();
  const size = useSize();
  const state = useSyncExternalStore(prompt.store.subscribe, prompt.store.getState);
  const width = promptWidth(size.columns);
  const rows = promptLines(state, { width, most: maxRows(size), isActive, placeholder, theme });
  const room = most ?? maxCompletions;
  const rule = (ruleText: string) => (
    <Text>{paintLine(ruleLine(ruleText, { width: size.columns - 1, theme, to }), theme)}</Text>
  );
  return (
    <Box flexDirection="column">
      {rule(to ? `to ${visibleLine(to.name)}` : "")}
      <Text>{paintLines(rows, theme)}</Text>
      {rule("")}
      {state.search && <Text>{paintLine(searchLine(state, size.columns - 1), theme)}</Text>}
      {state.completion && isActive && room > 0 && (
        <Text>{paintLines(completionLines(state, { columns: size.columns, room }), theme)}</Text>
      )}
    </Box>
  );
}

const maxRows = ({ rows }: Size): number => Math.max(1, Math.min(12, Math.floor(rows / 3)));

/** Returns the number of lines without completions. */
export function promptHeight({ buffer, search }: PromptState, size: Size): number {
  const rows = Math.min(maxRows(size), rowsOf(buffer.text, promptWidth(size.columns)).length);
  return 2 + Math.max(1, rows) + (search ? 1 : 0);
}

/** Columns for the text: two are reserved for the sign before it, and one after it stays free. */
export const promptWidth = (columns: number): number => Math.max(10, columns - 4);

interface Drawing {
  readonly width: number;
  readonly most: number;
  readonly isActive: boolean;
  readonly placeholder: string;
  readonly theme: Theme;
}

function promptLines({ buffer, search }: PromptState, { width, most, isActive, placeholder, theme }: Drawing): Line[] {
  const sign = span(`${theme.marks.prompt} `, { role: "user", bold: true });
  if (buffer.text === "" && !search) {
    const ruleText = cutTo(placeholder, width - 1);
    const [first = " ", ...rest] = isActive ? graphemesOf(ruleText === "" ? " " : ruleText) : ["", ruleText];
    return [[sign, span(first, { inverse: isActive, dim: true }), span(rest.join(""), { dim: true })]];
  }
  const all = rowsOf(buffer.text, width);
  const at = rowOfCursor(all, buffer.cursor);
  const top = Math.max(0, Math.min(at - Math.floor(most / 2), all.length - most));
  return all.slice(top, top + most).map(({ start, end }, index): Line => {
    const mark = index === 0 && top === 0 ? sign : span(index === 0 ? "↑ " : "  ", { dim: true });
    if (!isActive || top + index !== at) return [mark, span(shown(buffer.text.slice(start, end)))];
    const [under = ""] = graphemesOf(buffer.text.slice(buffer.cursor, end));
    return [
      mark,
      span(shown(buffer.text.slice(start, buffer.cursor))),
      span(under === "" ? " " : shown(under), { inverse: true }),
      span(shown(buffer.text.slice(buffer.cursor + under.length, end))),
    ];
  });
}

/** Pasted text is untrusted, so it is made visible. */
const shown = (text: string): string => visibleLine(text.replaceAll("\t", " "));

function ruleLine(
  ruleText: string,
  { width, theme, to }: { readonly width: number; readonly theme: Theme; readonly to: PromptProps["to"] },
): Line {
  const style = { role: "border", agent: to?.color } as const;
  if (theme.isScreenReader) return [span(ruleText, style)];
  const name = ruleText === "" ? "" : ` ${cutTo(ruleText, width - 8)} `;
  return [
    span(theme.marks.rule.repeat(2), style),
    span(name, { ...style, bold: true }),
    span(theme.marks.rule.repeat(Math.max(0, width - 2 - widthOf(name))), style),
  ];
}

function searchLine({ search }: PromptState, width: number): Line {
  const found = search?.query === "" ? "" : search?.at === undefined ? " (no match)" : "";
  return [
    span("search: ", { dim: true }),
    span(cutTo(visibleLine(search?.query ?? ""), width - 28)),
    span(`${found}  Enter to accept`, { dim: true }),
  ];
}

function completionLines(
  { completion }: PromptState,
  { columns, room: shownItems }: { readonly columns: number; readonly room: number },
): Line[] {
  if (!completion) return [];
  const { items, chosen } = completion;
  const top = Math.max(0, Math.min(chosen - Math.floor(shownItems / 2), items.length - shownItems));
  const visible = items.slice(top, top + shownItems);
  const widest = Math.min(
    Math.floor(columns / 2),
    Math.max(...visible.map(({ value }) => widthOf(visibleLine(value)))),
  );
  return visible.map((item, index): Line => {
    const isChosen = top + index === chosen;
    const room = item.detail === undefined ? columns - 4 : widest;
    const value = cutTo(visibleLine(item.value), room);
    const detail = item.detail === undefined ? "" : cutTo(visibleLine(item.detail), columns - widest - 7);
    return [
      span(isChosen ? "❯ " : "  ", { role: "accent" }),
      span(value + " ".repeat(item.detail === undefined ? 0 : Math.max(0, widest - widthOf(value))), {
        bold: isChosen,
        role: isChosen ? "accent" : undefined,
      }),
      span(detail === "" ? "" : `  ${detail}`, { dim: true }),
    ];
  });
}
