import { leadOf, sessionSpending } from "../../view/index.ts";
import type { Played } from "./play-scenario.ts";
import type { TestRun } from "./sample-repository.ts";
import type { Screen } from "../screen.ts";

export interface Summary extends Played {
  readonly before: TestRun;
  readonly after: TestRun;
  readonly commit: readonly string[];
  readonly durationMs: number;
  /** How this program was started, for commands to copy. */
  readonly program: string;
  readonly kept: { readonly repository: string; readonly home: string } | undefined;
}

export function drawSummary(screen: Screen, summary: Summary): void {
  const { paint } = screen;
  screen.line();
  screen.line("─".repeat(screen.width), paint.dim);
  for (const [name, value] of fieldsOf(summary)) screen.field(name, value);
  drawCommit(screen, summary.commit);
  screen.line();
  screen.line("What to try next", paint.bold);
  for (const [command, what] of nextOf(summary)) {
    screen.whole(command, { first: "  ", style: paint.cyan });
    screen.paragraph(what, { first: "      ", style: paint.dim });
  }
}

function fieldsOf({ before, after, view, durationMs }: Summary): [string, string][] {
  const { usage } = sessionSpending(view).total;
  const sent = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const cached = sent === 0 ? 0 : Math.round((usage.cacheReadTokens / sent) * 100);
  return [
    ["before", before.summary],
    ["after", `${after.summary} (run again by the demo itself)`],
    ["turns", String(leadOf(view)?.turns ?? 0)],
    ["tokens", `${number(sent)} in, ${cached}% of them from the prompt cache; ${number(usage.outputTokens)} out`],
    ["time", `${(durationMs / 1000).toFixed(1)} s`],
  ];
}

function drawCommit(screen: Screen, [subject = "", ...stat]: readonly string[]): void {
  screen.field("commit", subject);
  for (const line of stat.filter((text) => text.trim() !== "")) screen.field("", line.trim());
}

function nextOf({ kept, sessionId, program }: Summary): [string, string][] {
  const look: [string, string][] = kept
    ? [
        [`git -C ${kept.repository} show`, "the commit; the folder is kept"],
        [`TROUPE_HOME=${kept.home} ${program} sessions show ${sessionId}`, "the session, kept as well"],
      ]
    : [[`${program} demo --keep`, "the same, and the repository and the session stay for you to look at"]];
  return [
    ...look,
    [`${program} -p "what does this project do?"`, "your own repository, with ANTHROPIC_API_KEY or OPENAI_API_KEY set"],
    [`${program} doctor`, "what this machine has and what is missing"],
  ];
}

const number = (value: number) => value.toLocaleString("en-US");
