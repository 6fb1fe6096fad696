import { visibleLine } from "../../view/index.ts";
import { withHangingIndent, type Line, paintLines, plainLine, span, wrapLine } from "../terminal/terminal-lines.ts";
import { createTheme } from "../theme.ts";

export interface FirstRunOptions {
  /** Why there is no model. */
  readonly problem: string;
  /** 0 where the terminal does not say. */
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** All that is on the screen where there is no model to talk to. */
export function firstRunScreen({ problem, columns, env }: FirstRunOptions): string {
  return `${paintLines(firstRunLines({ problem, width: (columns > 0 ? columns : 80) - 1 }), createTheme({ env }))}\n`;
}

/**
 * What a newcomer is told. With a `problem` there is no model to talk to, and this is all there is on the screen; without
 * one it says what can be done first.
 */
export function firstRunLines({
  problem,
  width,
}: {
  readonly problem?: string | undefined;
  readonly width: number;
}): Line[] {
  const wrap = (text: string) => wrapLine(plainLine(text), width);
  const problemText = (words: string) =>
    withHangingIndent(wrapLine([span(words, { role: "code" })], width - 2), span("  "));
  const example = (command: string, about: string): Line[] => [
    ...withHangingIndent(wrapLine([span(command, { role: "code" })], width - 2), span("  ")),
    ...withHangingIndent(wrapLine([span(about, { dim: true })], width - 6), span("      ")),
  ];
  if (problem !== undefined)
    return [
      [span("Welcome to Troupe", { bold: true })],
      ...wrap("A coding agent that works as a team. It needs a model to talk to, and found none:"),
      // What to do about it is below.
      ...wrapLine([span(visibleLine(problem.replace(/\. .*$/s, ".")), { role: "warning" })], width),
      [],
      ...wrap("One of these is enough:"),
      ...example("export ANTHROPIC_API_KEY=…", "a key of Anthropic's"),
      ...example("export OPENAI_API_KEY=…", "a key of OpenAI's, or of a service that speaks its protocol"),
      ...example(
        "export TROUPE_LOCAL_BASE_URL=http://localhost:11434/v1",
        "a server of your own; then: troupe --model local/NAME",
      ),
      [],
      ...wrap("Or look first, without any key:"),
      ...example("troupe demo", "a team at work on a sample repository, on a scripted model"),
      ...example("troupe doctor", "what this machine has, and what is missing"),
    ];
  return [
    [span("Welcome to Troupe", { bold: true })],
    ...wrap("Say what you want done in this folder, in your own words. For example:"),
    ...problemText("what does this project do, and how is it tested?"),
    ...problemText("find out why the login test fails and mend it"),
    ...problemText("make a team of three: one writes, one tests, one reviews"),
    [],
    ...wrap("Nothing is changed or run before you have been asked. Esc interrupts, /help lists everything."),
  ];
}
