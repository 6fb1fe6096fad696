import { visibleLine } from "../../view/index.ts";
import { withHangingIndent, type Line, paintLines, plainLine, span, wrapLine } from "../terminal/terminal-lines.ts";
import { createTheme } from "../theme.ts";

export interface FirstRunOptions {
  /** The reason why no model is available. */
  readonly problem: string;
  /** 0 if the terminal does not report its width. */
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The text that is printed when no model is available. */
export function firstRunScreen({ problem, columns, env }: FirstRunOptions): string {
  return `${paintLines(firstRunLines({ problem, width: (columns > 0 ? columns : 80) - 1 }), createTheme({ env }))}\n`;
}

/**
 * The introduction for new users. With a `problem` no model is available, and the text tells how to get one. Otherwise
 * it suggests first prompts.
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
      ...wrap("A coding agent that works as a team. It needs a model, but found none:"),
      // The advice is below.
      ...wrapLine([span(visibleLine(problem.replace(/\. .*$/s, ".")), { role: "warning" })], width),
      [],
      ...wrap("Set up one of these:"),
      ...example("export ANTHROPIC_API_KEY=…", "an Anthropic API key"),
      ...example("export OPENAI_API_KEY=…", "an API key of OpenAI or a compatible service"),
      ...example(
        "export TROUPE_LOCAL_BASE_URL=http://localhost:11434/v1",
        "your own server; then run: troupe --model local/NAME",
      ),
      [],
      ...wrap("Or try it without a key:"),
      ...example("troupe demo", "a team at work on a sample repository, with a scripted model"),
      ...example("troupe doctor", "what this machine provides and lacks"),
    ];
  return [
    [span("Welcome to Troupe", { bold: true })],
    ...wrap("Describe what you want done in this folder. For example:"),
    ...problemText("what does this project do, and how is it tested?"),
    ...problemText("find out why the login test fails and fix it"),
    ...problemText("make a team of three: one writes, one tests, one reviews"),
    [],
    ...wrap("Troupe asks before it changes or runs anything. Esc interrupts, ? shows all keys."),
  ];
}
