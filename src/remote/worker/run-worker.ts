import { hostname } from "node:os";
import { join } from "node:path";
import { effectiveMode } from "../../agent/definitions/index.ts";
import { createIdFactory, makeFolder, systemClock } from "../../platform/index.ts";
import { messageOf, type PermissionMode, TroupeError } from "../../protocol/index.ts";
import type { HeldJob } from "../jobs/work-bus.ts";
import { loadWorkBus } from "../jobs/load-work-bus.ts";
import { openTeamStore, shareTeams } from "../../store/index.ts";
import { workLabel } from "../jobs/work-label.ts";
import { loadConfig } from "../../session/index.ts";
import { runJob } from "./run-job.ts";
import { runTeammateJob } from "./run-teammate-job.ts";

export interface WorkerOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly name?: string | undefined;
  readonly labels: readonly string[];
  readonly maxAgents: number;
  /** Replaces the models that jobs request. */
  readonly model?: string | undefined;
  /** The highest mode of any job without asking. */
  readonly permissionMode?: PermissionMode | undefined;
  readonly settings?: string | undefined;
  /** The bus to take jobs from, instead of the one in the settings. */
  readonly bus?: string | undefined;
  /** The folder for clones. */
  readonly folder?: string | undefined;
  /** Aborts when no more jobs are accepted. Running jobs continue. */
  readonly signal: AbortSignal;
  /** Aborts when running jobs are released to other workers. */
  readonly leaving: AbortSignal;
  say(line: string): void;
}

/** Runs agents of sessions on other machines until it is stopped. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { labels, maxAgents, say } = options;
  const clock = systemClock;
  const createId = createIdFactory(clock);
  const { settings, model, permissionMode } = options;
  const flags = { settings, model, permissionMode, bus: options.bus };
  const config = await loadConfig({ cwd: options.cwd, env: options.env, flags });
  if (config.bus === undefined)
    throw new TroupeError("usage", "no bus is configured. Set one with --bus nats://host:4222, or in the settings.");
  for (const label of labels)
    if (!workLabel.test(label))
      throw new TroupeError(
        "usage",
        `invalid label ${JSON.stringify(label)}: use up to 32 characters: lowercase letters, digits, - and _`,
      );
  const name = options.name ?? `${hostname()}-${process.pid}`;
  const folder = options.folder ?? join(config.userHome, ".cache", "troupe-worker");
  await makeFolder(folder);
  const bus = await (await loadWorkBus())({ bus: config.bus, clock });
  const teams = shareTeams(openTeamStore({ home: config.home, bus: config.bus, clock, createId, onNotice: say }));
  const run = async (job: HeldJob) => {
    const { spec, state } = job;
    say(`${spec.path} (${spec.id}) starts${state.generation > 1 ? ` (attempt ${state.generation})` : ""}`);
    const how = {
      files: bus.files,
      folder: join(folder, `${spec.id}-${state.generation}`),
      place: { home: config.home, userHome: config.userHome, env: config.childEnv, clock, createId },
      env: options.env,
      flags,
      mode: effectiveMode({ parent: config.permissionMode, definition: spec.mode }).mode,
      most: config.permissionMode,
      leaving: options.leaving,
      say,
    };
    const { member } = spec;
    const end = await (member
      ? runTeammateJob({ ...job, spec: { ...spec, member } }, { ...how, teams, stopping: options.signal })
      : runJob(job, how));
    say(`${spec.path} (${spec.id}) ${end}`);
  };
  try {
    const words = labels.length === 0 ? "" : `, labels ${labels.join(", ")}`;
    say(`${name} takes up to ${maxAgents} agents from ${config.bus.servers.map(withoutPassword).join(", ")}${words}`);
    await bus.claimJobs({
      name,
      labels,
      maxAgents,
      signal: options.signal,
      run,
      onProblem: (error) => say(messageOf(error)),
    });
  } finally {
    await bus.close();
  }
}

const withoutPassword = (server: string): string => server.replace(/\/\/[^/@]*@/, "//");
