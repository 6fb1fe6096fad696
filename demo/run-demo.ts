import { basename, relative, resolve } from "node:path";
import { createIdFactory, systemClock } from "../src/platform/index.ts";
import { type BackendType, type SessionId, TroupeError } from "../src/protocol/index.ts";
import { ownExecutable } from "../src/session/index.ts";
import { createTmuxBackend } from "../src/team/index.ts";
import { drawSummary } from "./team/draw-summary.ts";
import { drawTeam } from "./team/draw-team.ts";
import { readTeamResult } from "./team/read-team-result.ts";
import { playTeam, team as teamName } from "./team/play-team.ts";
import type { DemoDashboard } from "./shared/demo-dashboard.ts";
import type { TestRun } from "./shared/run-tests.ts";
import { createSampleRepository } from "./team/sample-repository.ts";
import { prompt } from "./team/script/lead.ts";
import { teamRunProblem } from "./team/check-team-result.ts";
import { createWorkspace, type Workspace } from "./shared/workspace.ts";
import { exitCodes } from "../src/cli/exit-codes.ts";
import { createScreen, type Screen } from "../src/cli/screen.ts";
import { listenToSignals } from "../src/cli/signals.ts";

export interface DemoFlags {
  readonly keep?: boolean;
  readonly fast?: boolean;
  readonly coordinator?: boolean;
  /** The port of the dashboard; 0 for any. */
  readonly web?: number;
}

/**
 * Shows a team at work in a real repository, with real tools and processes. A script plays the model, so the demo needs
 * no key and no network.
 */
export async function runDemo(flags: DemoFlags): Promise<number> {
  const leaving = new AbortController();
  const leave = () => leaving.abort(new DOMException("left", "AbortError"));
  const signals = listenToSignals({ interrupt: leave, leave });
  const screen = createScreen(process.stdout, process.env);
  let workspace: Workspace | undefined;
  let dashboard: DemoDashboard | undefined;
  try {
    workspace = await createWorkspace(process.env, resolve(process.argv[1] ?? "troupe"));
    const stage = { workspace, screen, flags, signal: leaving.signal };
    if (flags.web !== undefined) {
      const { openDemoDashboard } = await import("./shared/demo-dashboard.ts");
      dashboard = await openDemoDashboard(workspace, { screen, port: flags.web });
    }
    const exitCode = flags.coordinator
      ? await (await import("./coordinator/coordinator-demo.ts")).runCoordinatorDemo(stage)
      : await runTeamDemo(stage);
    await dashboard?.waitForEnd(leaving.signal);
    return exitCode;
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    screen.endStream();
    screen.paragraph(flags.keep ? "Stopped." : "Stopped. The files of the demo are removed.");
    return signals.exitCode ?? exitCodes.interrupted;
  } finally {
    await dashboard?.close();
    if (!flags.keep) await workspace?.remove();
    signals.stop();
  }
}

interface TeamDemoOptions {
  readonly workspace: Workspace;
  readonly screen: Screen;
  readonly flags: DemoFlags;
  readonly signal: AbortSignal;
}

async function runTeamDemo({ workspace, screen, flags, signal }: TeamDemoOptions): Promise<number> {
  const repository = await createSampleRepository(workspace, signal);
  const before = await repository.runTests(signal);
  const { backend, noTmuxReason } = await chooseBackend(workspace);
  introduce(screen, { folder: repository.path, before, noTmuxReason });

  const startedAt = systemClock.monotonic();
  const sessionId = await playTeam({
    cwd: repository.path,
    workspace,
    backend,
    pace: flags.fast ? "fast" : "readable",
    draw: drawTeam(screen),
    signal,
  });
  const durationMs = systemClock.monotonic() - startedAt;

  // The script reports success in any case, so the demo runs the tests itself.
  const after = await repository.runTests(signal);
  const state = await repository.readState();
  const team = await readTeamResult(teamName, { home: workspace.home, lead: sessionId });
  drawSummary(screen, {
    before,
    after,
    state,
    team,
    backend,
    sessionId,
    durationMs,
    program: programName(process.argv[1] ?? "troupe", process.cwd()),
    kept: flags.keep ? { repository: repository.path, home: workspace.home } : undefined,
  });
  const problem = teamRunProblem({ before, after, state, team });
  if (problem === undefined) return exitCodes.done;
  process.stderr.write(`troupe: the demo failed: ${problem}\n`);
  return exitCodes.failed;
}

/** Members run in tmux panes, so that one can really be killed. Without tmux they run in this process. */
async function chooseBackend({ env, root }: Workspace): Promise<{ backend: BackendType; noTmuxReason?: string }> {
  try {
    const createId = createIdFactory(systemClock);
    await createTmuxBackend({
      env,
      cwd: root,
      sessionId: createId<SessionId>("ses"),
      placement: "own",
      program: ownExecutable(),
      clock: systemClock,
    });
    return { backend: "tmux" };
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return { backend: "in-process", noTmuxReason: error.message };
  }
}

/** Returns the command that starts this program again: its name when it is installed, its file in a checkout. */
function programName(file: string, cwd: string): string {
  return basename(file) === "troupe" ? "troupe" : `node ${relative(cwd, file)}`;
}

interface Introduction {
  readonly folder: string;
  readonly before: TestRun;
  /** Why members do not run in separate processes. */
  readonly noTmuxReason: string | undefined;
}

function introduce(screen: Screen, { folder, before, noTmuxReason }: Introduction): void {
  screen.line("Troupe demo", screen.paint.bold);
  screen.paragraph(
    "A lead and three teammates: real sessions, files, git and commands. A script plays the model, so the demo needs no key and no network.",
  );
  screen.line();
  screen.unwrapped(folder, { first: "folder    " });
  screen.field("tests", before.summary);
  if (noTmuxReason !== undefined) screen.field("members", `all in this process: ${noTmuxReason}`);
  screen.field("prompt", prompt);
  screen.line();
}
