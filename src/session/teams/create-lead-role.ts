import { join } from "node:path";
import { escapeTags } from "../../agent/index.ts";
import { createFolderWatcher, makeFolder, projectName } from "../../platform/index.ts";
import {
  type BackendType,
  type Envelope,
  type LaunchFlags,
  type Member,
  type PromptId,
  TroupeError,
} from "../../protocol/index.ts";
import { loadTaskList, type OpenedSession, shareTeams, type TaskList } from "../../store/index.ts";
import { type Backend, type SpawnResolver, createInProcessBackend, createRemoteBackend } from "../../team/index.ts";
import { connectLeadRole } from "./lead-role.ts";
import type { Config } from "../config/load-config.ts";
import { createNoticeRecorder, storageNoticeKind } from "./record-notice.ts";
import { memberWorktrees } from "./teammate-worktree.ts";
import { createTeammateJobs } from "../remote/teammate-jobs.ts";
import { createTeammateBudget } from "../remote/teammate-budget.ts";
import { mirrorTeammateLog } from "../remote/mirror-teammate-log.ts";
import type { RemoteWork } from "../remote/remote-work.ts";
import type { SessionDependencies } from "../session-dependencies.ts";
import type { ProcessShared } from "./process-shared.ts";
import type { SessionHost } from "../session-host.ts";
import type { StartOptions } from "../start-session.ts";

export interface CreateLeadRoleOptions {
  readonly ledgerFile?: string | undefined;
  readonly slotsFile?: string | undefined;
  /** Undefined without a bus to other machines. */
  readonly remote?: RemoteWork | undefined;
  /** The lead's deny rules. */
  readonly deny: readonly string[];
  readonly options: StartOptions;
  readonly config: Config;
  readonly shared: ProcessShared;
  readonly opened: OpenedSession;
  readonly resolver: SpawnResolver;
  readonly host: SessionHost;
}

/** Creates the session's lead role: the team store and the backends of members. */
export function createLeadRole({
  ledgerFile,
  slotsFile,
  remote,
  deny,
  options,
  config,
  shared,
  opened,
  resolver,
  host,
}: CreateLeadRoleOptions): SessionDependencies["team"] {
  const { clock, createId } = host;
  const { home, teams: settings, cwd, bus, claudeFolder } = config;
  const teams = shareTeams(
    host.openTeamStore({ home, bus, claudeFolder, clock, createId, onNotice: (text) => reportNotice(text) }),
  );
  const launch = {
    ...launchFlagsOf(options, config),
    ...(ledgerFile !== undefined && { ledger: ledgerFile }),
    ...(slotsFile !== undefined && { places: slotsFile }),
  };
  const work = bus && claudeFolder === undefined ? remote : undefined;
  const jobs =
    work &&
    createTeammateJobs({
      work,
      sessionId: opened.sessionId,
      place: { home, userHome: config.userHome, env: config.childEnv, clock, createId },
      types: resolver.types,
      deny,
      launch,
      ledger: shared.ledger,
      clock,
      createId,
    });
  const backends = new Map<BackendType, Promise<Backend>>();
  const backend = (type: BackendType): Promise<Backend> => {
    const known = backends.get(type) ?? make(type);
    backends.set(type, known);
    return known;
  };

  const make = async (type: BackendType): Promise<Backend> => {
    switch (type) {
      case "in-process":
        return createInProcessBackend(runInProcess);
      case "tmux":
        return host.openPanes({
          env: { ...options.env, TROUPE_HOME: home, ...(bus && { TROUPE_BUS: bus.servers.join(",") }) },
          cwd,
          sessionId: opened.sessionId,
          placement: settings.tmux ?? "own",
          clock,
        });
      case "remote":
        if (!jobs || !work) throw new TroupeError("team", noBus);
        return createRemoteBackend({
          ...jobs,
          leaseMs: work.leaseMs,
          workerWaitMs: work.workerWaitMs,
          clock,
          openTeam: ({ agentId, name }) => teams.open(agentId.slice(name.length + 1)),
          budget: (ports) => createTeammateBudget(shared.ledger, ports),
          mirror: (member, { team, spent }) =>
            mirrorTeammateLog(team, member, {
              home,
              clock,
              createId,
              publish: (envelope) => show(envelope),
              spent,
              onFailure: (error) =>
                reportNotice(`Cannot show the activity of ${member.name} any more: ${String(error)}`),
            }),
          notice: (text) => raiseNotice(text, "warning"),
          notify: (text, level) => informLead(text, level),
        });
    }
  };

  const runInProcess = async (member: Member) => {
    const { runTeammate } = await import("./run-teammate.ts");
    const team = member.agentId.slice(member.name.length + 1);
    const onEnvelope = (envelope: Envelope) => show(envelope);
    const { name, cwd: own } = member;
    const { env, isObservable } = options;
    return runTeammate({ team, name, cwd: own, env, isObservable, shared, teams, onEnvelope, host });
  };

  const hasLed = opened.leadLog.replayed.some(({ event }) => event.type === "team.joined");
  // If a call opts out of remote workers, the teammate uses a local backend.
  const wanted = settings.backend === "remote" ? "auto" : (settings.backend ?? "auto");
  const isInside = (options.env["TMUX"] ?? "") !== "";
  /** Uses tmux panes if they are wanted and available, otherwise this process. */
  const defaultBackend = async () => {
    if (wanted === "in-process" || (wanted === "auto" && !isInside)) return { type: "in-process" as const };
    try {
      await backend("tmux");
      return { type: "tmux" as const };
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      return { type: "in-process" as const, notice: `tmux panes are not available for teammates: ${error.message}` };
    }
  };
  /** Shows the events of teammates in this process next to the lead's own events. */
  let show: (envelope: Envelope) => void = () => undefined;
  const connect = connectLeadRole({
    store: teams,
    cwd,
    settings,
    isOn: areTeamsOn(options, config) || hasLed,
    team: options.flags.team,
    launch,
    jobs,
    backends: { open: backend, choose: defaultBackend },
    closeBackends: async () => {
      for (const made of await Promise.allSettled(backends.values()))
        if (made.status === "fulfilled") await made.value.close();
    },
    worktrees: memberWorktrees({ config, clock, createId }),
    resolver,
    ownTasks: () => ownTasks(join(home, "projects", projectName(cwd), opened.sessionId), host),
    clock,
    createId,
  });
  let reportNotice: (message: string) => void = () => undefined;
  let raiseNotice: (message: string, level: "info" | "warning") => Promise<void> = async () => undefined;
  let informLead: (text: string, level: "info" | "warning") => Promise<void> = async () => undefined;
  return (ports) => {
    show = ports.shared.publish;
    reportNotice = createNoticeRecorder(ports, storageNoticeKind(bus));
    raiseNotice = (message, level) => ports.agent().record({ type: "notice.raised", level, code: "member", message });
    informLead = async (message, level) => {
      await raiseNotice(message, level);
      const parts = [{ type: "text" as const, text: escapeTags(message) }];
      await ports.agent().admitOnce({ promptId: createId<PromptId>("prm"), source: "agent", parts, quiet: true });
    };
    return connect(ports);
  };
}

const noBus = "Teammates on other machines need a team on a bus. Start with --bus nats://host:4222.";

async function ownTasks(folder: string, { memory, clock, createId }: SessionHost): Promise<TaskList> {
  if (memory) return memory.ownTasks();
  await makeFolder(folder);
  const watcher = createFolderWatcher();
  const openTaskList = await loadTaskList();
  const tasks = openTaskList({ clock, createId, path: join(folder, "tasks.jsonl"), watcher });
  return {
    ...tasks,
    async close() {
      await tasks.close();
      watcher.close();
    },
  };
}

export const areTeamsOn = ({ flags }: StartOptions, { teams }: Config): boolean =>
  flags.team !== undefined || teams.enabled === true;

/**
 * The flags that also apply to teammates, wherever they run. Includes budgets from the settings of the lead's folder.
 */
export function launchFlagsOf(
  { flags, trust }: Pick<StartOptions, "flags" | "trust">,
  { maxBudgetUsd, limits: { maxTokens } }: Config,
): LaunchFlags {
  const { settings, agents, appendSystemPrompt, strictMcpConfig, maxTurns } = flags;
  const { allowedTools, disallowedTools, addDir, mcpConfig } = flags;
  return {
    ...(settings !== undefined && { settings }),
    ...(agents !== undefined && { agents }),
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
    ...(strictMcpConfig !== undefined && { strictMcpConfig }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(allowedTools && { allowedTools: [...allowedTools] }),
    ...(disallowedTools && { disallowedTools: [...disallowedTools] }),
    ...(addDir && { addDir: [...addDir] }),
    ...(mcpConfig && { mcpConfig: [...mcpConfig] }),
    ...(trust === "all" && { trusted: true }),
  };
}
