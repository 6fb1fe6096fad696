import { useEffect, useState } from "react";
import type { Asker, Question } from "../view/index.ts";
import type { LineInput } from "./line-input.ts";
import { type Line, span } from "./terminal-lines.ts";

export interface QuestionProps {
  readonly question: Question;
  readonly asker: Asker;
  readonly waiting: number;
}

/** What is still being typed when a question comes up is not an answer to it. */
const armMs = 350;

export function useArmed(): boolean {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), armMs);
    return () => clearTimeout(timer);
  }, []);
  return isArmed;
}

export const inputLine = ({ before, after }: LineInput): Line => [
  span("  > ", { role: "accent" }),
  span(before),
  span(after.slice(0, 1) || " ", { inverse: true }),
  span(after.slice(1)),
];
