import { itemsOf, type Spending, sessionSpending, type SessionView, tokensOf } from "../../src/view/index.ts";
import type { BackendType, SessionId, WorkItem } from "../../src/protocol/index.ts";
import type { Screen } from "../../src/cli/screen.ts";
import type { TeamResult } from "./read-team-result.ts";
import type { TestRun } from "../shared/run-tests.ts";
import type { RepositoryState } from "./sample-repository.ts";

export interface Summary {
  readonly before: TestRun;
  readonly after: TestRun;
  readonly state: RepositoryState;
  readonly team: TeamResult;
  readonly backend: BackendType;
  readonly sessionId: SessionId;
  readonly durationMs: number;
  /** The command that started this program, for the suggested commands. */
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
  for (const [command, what] of nextSteps(summary)) {
    screen.unwrapped(command, { first: "  ", style: paint.cyan });
    screen.paragraph(what, { first: "      ", style: paint.dim });
  }
}

function fieldsOf({ before, after, team, state, backend, durationMs }: Summary): [string, string][] {
  const commits = state.commits.map((commit, index): [string, string] => [index === 0 ? "landed" : "", commit]);
  return [
    ["tests", `before: ${before.summary}; now: ${after.summary} (verified by the demo)`],
    ...(commits.length === 0 ? [["landed", "nothing"] as [string, string]] : commits),
    [
      "",
      `${state.changed}; ${state.leftoverWorktrees.length === 0 ? "no worktrees remain" : `remaining: ${state.leftoverWorktrees.join(", ")}`}`,
    ],
    ...team.tasks.map((task, index): [string, string] => [
      index === 0 ? "tasks" : "",
      `#${task.id} ${task.subject}: ${taskProofText(task)}${task.owner ? `, ${task.owner}` : ""}`,
    ]),
    ["mail", `${team.mail.sent} sent, ${team.mail.read} read`],
    ...[...team.sessions].map(([name, view], index): [string, string] => [
      index === 0 ? "team" : "",
      [`${name}: ${workOf(view)}`, ...startsText(team, name)].join(", "),
    ]),
    ["", backend === "tmux" ? "each member in a separate process" : "all in one process"],
    ["cost", costOf([...team.sessions.values()].map(sessionSpending))],
    ["time", `${(durationMs / 1000).toFixed(1)} s`],
  ];
}

const taskProofText = ({ status, proof }: WorkItem) =>
  status !== "completed" ? status : proof === "verified" ? "verified by its check" : "done";

function workOf(view: SessionView): string {
  const agents = [...itemsOf(view.agents)];
  const turns = agents.reduce((sum, agent) => sum + agent.turns, 0);
  const calls = agents
    .flatMap(({ transcript }) => [...itemsOf(transcript)])
    .filter(({ kind }) => kind === "call").length;
  return `${turns} turns, ${calls} calls`;
}

const startsText = ({ startCounts: lives, members }: TeamResult, name: string): string[] => [
  ...((lives.get(name) ?? 1) > 1 ? ["killed and respawned"] : []),
  ...members.flatMap(({ name: member, ended }) =>
    member === name && ended ? [`ended by ${wordsOf[ended.reason]}`] : [],
  ),
];

const wordsOf = { shutdown: "agreement", killed: "force", failed: "a failure", lost: "a crash" } as const;

function costOf(spending: readonly Spending[]): string {
  const sum = (of: (each: Spending["total"]) => number) => spending.reduce((total, each) => total + of(each.total), 0);
  const tokens = sum(tokensOf).toLocaleString("en-US");
  const cached = Math.round((100 * sum(({ usage }) => usage.cacheReadTokens)) / Math.max(1, sum(tokensOf)));
  return `$${sum(({ costUsd }) => costUsd).toFixed(2)} (a script is free); ${tokens} tokens, ${cached}% cached`;
}

function nextSteps({ kept, sessionId, program }: Summary): [string, string][] {
  const home = `TROUPE_HOME=${kept?.home ?? ""} `;
  const look: [string, string][] = kept
    ? [
        [`git -C ${kept.repository} log --stat`, "the commits; the folder is kept"],
        [`${home}${program} team log demo`, "the events of the team, in order"],
        [`${home}${program} tasks list --team demo --all`, "the final task list"],
        [`${home}${program} web`, "the same in the dashboard"],
        [`${home}${program} sessions show ${sessionId}`, "the lead's session; 'team show demo' lists the others"],
      ]
    : [
        [`${program} demo --web`, "run the demo again and watch it in the dashboard"],
        [`${program} demo --keep`, "run the demo again and keep the repository, the team and its sessions"],
      ];
  return [
    ...look,
    [`${program} -p "…" --team NAME`, "a team for your own repository; set ANTHROPIC_API_KEY or OPENAI_API_KEY"],
    [`${program} doctor`, "what this machine provides and lacks"],
  ];
}
