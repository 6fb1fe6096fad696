import { basename, relative, resolve } from "node:path";
import { systemClock } from "../platform/index.ts";
import { drawSession } from "./demo/draw-session.ts";
import { drawSummary } from "./demo/draw-summary.ts";
import { createSampleRepository, type TestRun } from "./demo/sample-repository.ts";
import { mendTheTests } from "./demo/scenario.ts";
import { createScreen, type Screen } from "./screen.ts";
import { playScenario } from "./demo/play-scenario.ts";
import { makeWorkspace, type Workspace } from "./demo/workspace.ts";
import { whatWentWrong } from "./demo/what-went-wrong.ts";
import { exitCodes } from "./exit-codes.ts";
import { listenToSignals } from "./signals.ts";

export interface DemoFlags {
  readonly keep?: boolean;
  readonly fast?: boolean;
}

/** A lead and three agents, in a real session with real tools in a real repository; only the model is played by a script. Needs no key and no network. */
export async function demo(flags: DemoFlags): Promise<number> {
  const leaving = new AbortController();
  const leave = () => leaving.abort(new DOMException("left", "AbortError"));
  const signals = listenToSignals({ interrupt: leave, leave });
  const screen = createScreen(process.stdout, process.env);
  let workspace: Workspace | undefined;
  try {
    workspace = await makeWorkspace(process.env, resolve(process.argv[1] ?? "troupe"));
    return await show({ workspace, screen, flags, signal: leaving.signal });
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    screen.endWords();
    screen.paragraph(flags.keep ? "Stopped." : "Stopped. What the demo had made is removed.");
    return signals.exitCode ?? exitCodes.interrupted;
  } finally {
    if (!flags.keep) await workspace?.remove();
    signals.stop();
  }
}

interface Showing {
  readonly workspace: Workspace;
  readonly screen: Screen;
  readonly flags: DemoFlags;
  readonly signal: AbortSignal;
}

async function show({ workspace, screen, flags, signal }: Showing): Promise<number> {
  const scenario = mendTheTests(flags.fast ? "fast" : "readable");
  const repository = await createSampleRepository(workspace, signal);
  const before = await repository.runTests(signal);
  introduce(screen, { folder: repository.path, prompt: scenario.prompt, before });

  const startedAt = systemClock.monotonic();
  const played = await playScenario(scenario, {
    cwd: repository.path,
    env: workspace.env,
    draw: drawSession(screen),
    signal,
  });
  const durationMs = systemClock.monotonic() - startedAt;

  // The script says that all is well whatever happens: only a run of our own tells.
  const after = await repository.runTests(signal);
  const state = await repository.look();
  drawSummary(screen, {
    ...played,
    before,
    after,
    state,
    durationMs,
    program: programName(process.argv[1] ?? "troupe", process.cwd()),
    kept: flags.keep ? { repository: repository.path, home: workspace.home } : undefined,
  });
  const problem = whatWentWrong({ before, after, state, outcome: played.outcome });
  if (problem === undefined) return exitCodes.done;
  process.stderr.write(`troupe: the demo did not come out as it should: ${problem}\n`);
  return exitCodes.failed;
}

/** As it can be typed again from here: by its name when it is installed, by its file in a checkout. */
function programName(file: string, cwd: string): string {
  return basename(file) === "troupe" ? "troupe" : `node ${relative(cwd, file)}`;
}

function introduce(screen: Screen, { folder, prompt, before }: { folder: string; prompt: string; before: TestRun }) {
  screen.line("Troupe demo", screen.paint.bold);
  screen.paragraph(
    "A lead and three agents in a real session: real files, real git, real commands. Only the model is played by a script, so it needs no key and no network.",
  );
  screen.line();
  screen.whole(folder, { first: "folder    " });
  screen.field("tests", before.summary);
  screen.field("prompt", prompt);
}
