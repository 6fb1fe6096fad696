import { codeTokens } from "../../view/index.ts";
import { type Line, span } from "../terminal/terminal-lines.ts";
import { diffLine } from "./diff-lines.ts";

/** Highlights comments, strings, numbers and keywords. Unknown languages stay plain. */
export function highlightCode(code: string, language: string): Line[] {
  const text = code.replaceAll("\t", "  ");
  if (/^(?:diff|patch)$/i.test(language)) return text.split("\n").map(diffLine);
  return codeTokens(text, language).map((tokens) =>
    tokens.map(({ kind, text }) => span(text, kind === "plain" ? undefined : { role: kind })),
  );
}
