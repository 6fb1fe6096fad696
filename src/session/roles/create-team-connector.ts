import { join } from "node:path";
import { escapeTags } from "../../agent/index.ts";
import {
  createFolderWatcher,
  type CreateId,
  createLate,
  makeFolder,
  projectName,
  definedFields,
} from "../../platform/index.ts";
import type { PromptId } from "../../protocol/index.ts";
import { loadTaskList, shareTeams, type TaskList } from "../../store/index.ts";
import type { SpawnResolver } from "../../team/index.ts";
import type { Config } from "../config/load-config.ts";
import { type RemoteWork, createTeammateJobs } from "../../remote/index.ts";
import type { SessionHost } from "../session-host.ts";
import { areTeamsOn, launchFlagsOf } from "../teams/launch-flags.ts";
import { connectLeadTeamRole } from "../teams/lead-team-role.ts";
import { createNoticeRecorder, storageNoticeKind } from "../teams/record-notice.ts";
import type { TeamPorts, TeamRole } from "../teams/team-role.ts";
import { memberWorktrees } from "../teams/teammate-worktree.ts";
import { type LeadNews, type MemberBackendOptions, openMemberBackends } from "./member-backends.ts";

export interface TeamConnectorOptions extends Omit<MemberBackendOptions, "teams" | "remote" | "lead"> {
  /** The shared files for teammates in other processes. */
  readonly files: { readonly ledger?: string | undefined; readonly places?: string | undefined };
  /** Undefined without a bus to other machines. */
  readonly remote?: RemoteWork | undefined;
  /** The lead's deny rules. */
  readonly deny: readonly string[];
  readonly resolver: SpawnResolver;
  /** The lead delegates all work to workers. */
  readonly coordinates: boolean;
}

/** Opens the team store and the backends of members for a session that leads teams. */
export function createTeamConnector(from: TeamConnectorOptions): (ports: TeamPorts) => TeamRole {
  const { options, config, opened, resolver, host } = from;
  const { clock, createId } = host;
  const { home, cwd, bus, claudeFolder } = config;
  // The store reports problems to the lead's agent, which is connected to its teams later.
  const news = createLate<LeadNews>("the lead's agent");
  const teams = shareTeams(
    host.openTeamStore({
      home,
      bus,
      claudeFolder,
      clock,
      createId,
      onNotice: (text) => news.whenSet((lead) => lead.reportNotice(text)),
    }),
  );
  const launch = {
    ...launchFlagsOf(options, config),
    ...definedFields(from.files),
  };
  const remote = openTeammateJobs(from, launch);
  const hasLed = opened.leadLog.replayed.some(({ event }) => event.type === "team.joined");
  return (ports) => {
    const lead = createLeadNews(ports, { bus, createId });
    news.set(lead);
    const { close: closeBackends, ...backends } = openMemberBackends({ ...from, teams, remote, lead });
    return connectLeadTeamRole({
      store: teams,
      cwd,
      settings: config.teams,
      isOn: areTeamsOn(options, config, from) || hasLed,
      team: options.flags.team,
      launch,
      jobs: remote?.jobs,
      backends,
      closeBackends,
      worktrees: memberWorktrees({ config, worktrees: host.worktrees, clock, createId }),
      resolver,
      ownTasks: () => ownTasks(join(home, "projects", projectName(cwd), opened.sessionId), host),
      clock,
      createId,
    })(ports);
  };
}

/** Undefined if members cannot run on other machines. */
function openTeammateJobs(
  { config, remote: work, opened, resolver, deny, shared, host }: TeamConnectorOptions,
  launch: Parameters<typeof createTeammateJobs>[0]["launch"],
) {
  const { clock, createId } = host;
  if (!config.bus || config.claudeFolder !== undefined || !work) return undefined;
  const jobs = createTeammateJobs({
    work,
    sessionId: opened.sessionId,
    place: { home: config.home, userHome: config.userHome, env: config.childEnv, clock, createId },
    types: resolver.types,
    deny,
    launch,
    ledger: shared.ledger,
    clock,
    createId,
  });
  return { work, jobs };
}

function createLeadNews(
  ports: TeamPorts,
  { bus, createId }: { readonly bus: Config["bus"]; readonly createId: CreateId },
): LeadNews {
  const raiseNotice: LeadNews["raiseNotice"] = (message, level) =>
    ports.agent.record({ type: "notice.raised", level, code: "member", message });
  return {
    show: ports.shared.publish,
    reportNotice: createNoticeRecorder(ports, storageNoticeKind(bus)),
    raiseNotice,
    async informLead(message, level) {
      await raiseNotice(message, level);
      const parts = [{ type: "text" as const, text: escapeTags(message) }];
      await ports.agent.admitOnce({ promptId: createId<PromptId>("prm"), source: "agent", parts, quiet: true });
    },
  };
}

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
