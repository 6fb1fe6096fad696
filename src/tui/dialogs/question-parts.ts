import { useEffect, useRef } from "react";
import { type Asker, type Question, visibleLine } from "../../view/index.ts";
import { useFrontend } from "../app-context.ts";
import type { LineInput } from "../terminal/line-input.ts";
import { breakLine, withHangingIndent, type Line, span } from "../terminal/terminal-lines.ts";
import { graphemesOf } from "../terminal/terminal-width.ts";
import { useLiveState } from "../use-live-state.ts";

export interface QuestionProps {
  readonly question: Question;
  readonly asker: Asker;
  readonly waiting: number;
}

/** A question that opened by itself takes no key until no key came for this time. */
const armMs = 350;

/**
 * Tells whether the question takes keys. A question that the user opened takes them at once. `since`: the wait starts
 * again when it changes, because other answers are visible then.
 */
export function useAcceptsKeys(since: unknown): { get(): boolean; wait(): void } {
  const { store } = useFrontend();
  const { dialog } = store.getState();
  const isFirst = useRef(dialog.kind === "permission" && dialog.openedBy === "user");
  const armed = useLiveState(isFirst.current);
  const timer = useRef<NodeJS.Timeout>(undefined);
  const wait = () => {
    armed.set(() => false);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => armed.set(() => true), armMs);
  };
  useEffect(() => {
    if (!isFirst.current) wait();
    isFirst.current = false;
    return () => clearTimeout(timer.current);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `wait` uses only references that stay the same
  }, [since]);
  return { get: armed.get, wait };
}

/** Shows the input, wrapped. */
export function inputLines({ before, after }: LineInput, width: number): Line[] {
  const [under = " ", ...rest] = graphemesOf(visibleLine(after));
  const line: Line = [span(visibleLine(before)), span(under, { inverse: true }), span(rest.join(""))];
  return withHangingIndent(breakLine(line, width - 4), span("  > ", { role: "accent" }));
}
