import { systemClock } from "../../src/platform/index.ts";
import { itemsOf } from "../../src/view/index.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import type { Screen } from "../../src/cli/screen.ts";
import type { Workspace } from "../shared/workspace.ts";
import { drawCoordinator } from "./draw-coordinator.ts";
import { type CoordinatorResult, playCoordinator, prompt } from "./play-coordinator.ts";
import { createSampleAppRepository, type SampleAppRepository } from "./sample-app-repository.ts";
import { summarizeRun, filesIn, coordinatorProblem } from "./coordinator-summary.ts";

export interface CoordinatorDemoOptions {
  readonly workspace: Workspace;
  readonly screen: Screen;
  readonly flags: { readonly keep?: boolean; readonly fast?: boolean };
  readonly signal: AbortSignal;
}

/** Runs a coordinator and three workers: research, synthesis, implementation, verification. Returns the exit code. */
export async function runCoordinatorDemo({
  workspace,
  screen,
  flags,
  signal,
}: CoordinatorDemoOptions): Promise<number> {
  const repository = await createSampleAppRepository(workspace, signal);
  const before = await repository.runTests(signal);
  introduce(screen, repository, before.summary);
  const startedAt = systemClock.monotonic();
  const played = await playCoordinator({
    cwd: repository.path,
    env: workspace.env,
    pace: flags.fast ? "fast" : "readable",
    draw: drawCoordinator(screen),
    signal,
  });
  const durationMs = systemClock.monotonic() - startedAt;
  // The script reports success in any case, so the demo runs the tests itself.
  const after = await repository.runTests(signal);
  const changed = await repository.changed();
  const shared = filesIn(summarizeRun(played.envelopes).scratchpad);
  summarize(screen, played, [
    ["before", before.summary],
    ["after", `${after.summary} (verified by the demo)`],
    ["changed", changed.join(", ")],
    ["shared", `${shared?.join(", ") ?? "nothing"}, in the scratchpad, written without a permission question`],
    ["time", `${(durationMs / 1000).toFixed(1)} s`],
    ...(flags.keep ? [["kept", workspace.root] as const] : []),
  ]);
  const problem = coordinatorProblem({ played, before, after, changed }, shared);
  if (problem === undefined) return exitCodes.done;
  process.stderr.write(`troupe: the demo failed: ${problem}\n`);
  return exitCodes.failed;
}

function introduce(screen: Screen, { path }: SampleAppRepository, tests: string): void {
  screen.line("Troupe demo: coordinator mode", screen.paint.bold);
  screen.paragraph(
    "The lead has only the tools to start, message and stop workers. They run in the background in a real session: real files, real commands. A script plays the model, so the demo needs no key and no network.",
  );
  screen.line();
  screen.unwrapped(path, { first: "folder    " });
  screen.field("tests", tests);
  screen.field("prompt", prompt);
  screen.line();
}

function summarize(
  screen: Screen,
  { view, envelopes }: CoordinatorResult,
  more: readonly (readonly [string, string])[],
) {
  const { leadTools, notifications } = summarizeRun(envelopes);
  screen.line();
  screen.line("─".repeat(screen.width), screen.paint.dim);
  for (const agent of itemsOf(view.agents)) {
    const calls = [...itemsOf(agent.transcript)].filter(({ kind }) => kind === "call").length;
    const tools = agent.parent === undefined ? ` (${leadTools.join(", ")}), ${notifications} reports` : "";
    screen.field(agent.path.split("/").at(-1) ?? "", `${agent.turns} turns, ${calls} calls${tools}`);
  }
  for (const [name, value] of more) screen.field(name, value);
  screen.line();
  screen.line("What to try next", screen.paint.bold);
  screen.unwrapped('troupe -p --coordinator "what to do"', { first: "  ", style: screen.paint.cyan });
  screen.paragraph("your own repository, with a real model", { first: "      ", style: screen.paint.dim });
}
