import { useEffect } from "react";
import { type Asker, type Question, visibleLine } from "../../view/index.ts";
import type { LineInput } from "../terminal/line-input.ts";
import { breakLine, withHangingIndent, type Line, span } from "../terminal/terminal-lines.ts";
import { graphemesOf } from "../terminal/terminal-width.ts";
import { type LiveState, useLiveState } from "../use-live-state.ts";

export interface QuestionProps {
  readonly question: Question;
  readonly asker: Asker;
  readonly waiting: number;
}

/** Keys typed within this time after a question appears are not taken as an answer. */
const armMs = 350;

/** Starts again when `since` changes. */
export function useAcceptsKeys(since: unknown): Pick<LiveState<boolean>, "get"> {
  const armed = useLiveState(false);
  useEffect(() => {
    armed.set(() => false);
    const timer = setTimeout(() => armed.set(() => true), armMs);
    return () => clearTimeout(timer);
  }, [armed, since]);
  return armed;
}

/** Shows the input, wrapped. */
export function inputLines({ before, after }: LineInput, width: number): Line[] {
  const [under = " ", ...rest] = graphemesOf(visibleLine(after));
  const line: Line = [span(visibleLine(before)), span(under, { inverse: true }), span(rest.join(""))];
  return withHangingIndent(breakLine(line, width - 4), span("  > ", { role: "accent" }));
}
