import { createScreen } from "../screen.ts";
import type { Finding } from "./finding.ts";

/** On narrower screens the name is printed above its line. */
const narrow = 60;

/** Prints one line for each finding: status, name, detail, advice. */
export function printFindings(
  findings: readonly Finding[],
  output: Parameters<typeof createScreen>[0],
  env: Readonly<Record<string, string | undefined>>,
): void {
  const screen = createScreen(output, env);
  const { green, yellow, red, dim } = screen.paint;
  const width = Math.max(...findings.map(({ name }) => name.length));
  const isNarrow = screen.width < narrow;
  for (const { status, name, detail, advice, blocks } of findings) {
    const mark = status === "ok" ? green : blocks ? red : yellow;
    if (isNarrow) screen.paragraph(name, { first: `${status.padEnd("problem".length)}  `, mark });
    const first = isNarrow ? "  " : `${status.padEnd("problem".length)}  ${name.padEnd(width)}  `;
    screen.paragraph(detail, { first, mark });
    if (advice !== undefined) screen.paragraph(advice, { first: `${" ".repeat(first.length)}→ `, style: dim });
  }
  screen.line();
  screen.paragraph(verdict(findings));
}

function verdict(findings: readonly Finding[]): string {
  const names = (wanted: readonly Finding[]) => [...new Set(wanted.map(({ name }) => name))].join(", ");
  const blocking = findings.filter(({ blocks }) => blocks);
  if (blocking.length > 0) return `Troupe cannot run here yet: ${names(blocking)}.`;
  const others = findings.filter(({ status }) => status !== "ok");
  return others.length === 0 ? "No problems found." : `Troupe can run here. Check these: ${names(others)}.`;
}
