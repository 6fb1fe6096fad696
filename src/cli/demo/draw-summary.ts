import { type AgentView, itemsOf, sessionSpending, type SessionView, type Totals } from "../../view/index.ts";
import type { Played } from "./play-scenario.ts";
import type { RepositoryState, TestRun } from "./sample-repository.ts";
import type { Screen } from "../screen.ts";

export interface Summary extends Played {
  readonly before: TestRun;
  readonly after: TestRun;
  readonly state: RepositoryState;
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
  screen.line();
  screen.line("What to try next", paint.bold);
  for (const [command, what] of nextOf(summary)) {
    screen.whole(command, { first: "  ", style: paint.cyan });
    screen.paragraph(what, { first: "      ", style: paint.dim });
  }
}

function fieldsOf({ before, after, view, state, branches, durationMs }: Summary): [string, string][] {
  const { usage } = sessionSpending(view).total;
  const commits = state.commits.map((commit, index): [string, string] => [index === 0 ? "landed" : "", commit]);
  return [
    ["before", before.summary],
    ["after", `${after.summary} (run again by the demo itself)`],
    ...(commits.length === 0 ? [["landed", "nothing"] as [string, string]] : commits),
    ["", state.changed],
    ["worktrees", state.leftOver.length === 0 ? "all removed, with their branches" : state.leftOver.join(", ")],
    ...[...itemsOf(view.agents)].map((agent): [string, string] => [
      agent.path.split("/").at(-1) ?? agent.path,
      `${agent.turns} turns, ${callsOf(agent)} calls, ${spent(agent.spending.total)}, ${branches.get(agent.id) ?? "main"}`,
    ]),
    ["together", `${spent(sessionSpending(view).total)}, ${number(usage.outputTokens)} of them written`],
    ["time", timeOf(view, durationMs)],
  ];
}

const callsOf = ({ transcript }: AgentView) => [...itemsOf(transcript)].filter(({ kind }) => kind === "call").length;

function spent({ usage }: Totals): string {
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const cached = read === 0 ? 0 : Math.round((usage.cacheReadTokens / read) * 100);
  return `${number(read + usage.outputTokens)} tokens (${cached}% cached)`;
}

/** Agents that work at the same time take less than the sum of their times. */
function timeOf(view: SessionView, durationMs: number): string {
  const agents = [...itemsOf(view.agents)].filter(({ parent }) => parent !== undefined);
  const [starts, ends] = [agents.map((it) => Date.parse(it.startedAt)), agents.map((it) => Date.parse(it.updatedAt))];
  const sum = ends.reduce((total, end, index) => total + end - (starts[index] ?? end), 0);
  const whole = agents.length === 0 ? 0 : Math.max(...ends) - Math.min(...starts);
  return `${seconds(durationMs)}; the agents' ${seconds(sum)} of work took ${seconds(whole)}, side by side`;
}

function nextOf({ kept, sessionId, program }: Summary): [string, string][] {
  const home = `TROUPE_HOME=${kept?.home ?? ""} `;
  const look: [string, string][] = kept
    ? [
        [`git -C ${kept.repository} log --stat`, "the commits; the folder is kept"],
        [`${home}${program} sessions show ${sessionId}`, "the session, kept as well"],
        [`${home}${program} cost ${sessionId}`, "what each agent used"],
      ]
    : [[`${program} demo --keep`, "the same, and the repository and the session stay for you to look at"]];
  return [
    ...look,
    [`${program} -p "what does this project do?"`, "your own repository, with ANTHROPIC_API_KEY or OPENAI_API_KEY set"],
    [`${program} agents list`, "the types of agents there are, yours among them"],
    [`${program} doctor`, "what this machine has and what is missing"],
  ];
}

const number = (value: number) => value.toLocaleString("en-US");
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
