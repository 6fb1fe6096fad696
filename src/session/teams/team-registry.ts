import { escapeTags, leadConduct } from "../../agent/index.ts";
import { type Clock, closeAll, type CreateId, nearestName } from "../../platform/index.ts";
import {
  type BackendType,
  type Event,
  isExternal,
  type LaunchFlags,
  type Member,
  type PromptId,
  teamLead,
  type TeamSettings,
  TroupeError,
} from "../../protocol/index.ts";
import type { StoredTeam, TaskList, TeamStore } from "../../store/index.ts";
import {
  type AgentSlot,
  type Backend,
  type SpawnResolver,
  type LeadTeam,
  type LeadTeamOptions,
  loadLeadTeam,
  type SpawnRequest,
} from "../../team/index.ts";
import { createTeammateSlots } from "./teammate-slots.ts";
import { createReportArchive } from "./archive-report.ts";
import type { TeammateJobs } from "../remote/teammate-jobs.ts";
import type { TeamPorts } from "./team-role.ts";
import { publishTaskList } from "./publish-task-list.ts";
import { createDamageNotices } from "./damage-notices.ts";

export interface LeadRoleOptions {
  readonly store: TeamStore;
  readonly cwd: string;
  readonly settings: TeamSettings;
  /** The tools for teams are offered. */
  readonly isOn: boolean;
  /** The team to lead from the start: joined if it is there, else made. */
  readonly team?: string | undefined;
  readonly launch: LaunchFlags;
  /** Undefined: no workers on other machines can be had. */
  readonly jobs?: TeammateJobs | undefined;
  readonly backend: (type: BackendType) => Promise<Backend>;
  /** After the last member has ended or rests. */
  readonly closeBackends: () => Promise<void>;
  /** Puts in order what a member leaves behind that was ended from outside; gives what people should know of that. */
  readonly cleanUp: (member: Member) => Promise<readonly string[]>;
  readonly defaultBackend: LeadTeamOptions["defaultBackend"];
  readonly resolver: SpawnResolver;
  /** The session's own list, for tasks outside of teams. */
  readonly ownTasks: () => Promise<TaskList>;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** The teams that a session leads. */
export interface TeamRegistry {
  all(): readonly LeadTeam[];
  /** The one of this name, or the one that was made last. */
  find(name?: string): LeadTeam | undefined;
  /** The same; throws a TroupeError if there is none. */
  get(name?: string): LeadTeam;
  /** The one that this member is in: `name@team`, or a name, which means one that is there rather than one that has ended. */
  with(member: string): LeadTeam;
  create(name: string, description?: string): Promise<{ readonly team: string; readonly lead: string }>;
  remove(name?: string): Promise<{ readonly team: string }>;
  /** Takes up again what an earlier life has led, and the team that was asked for. */
  start(): Promise<void>;
  /** A member of this team was started, and works in this place. */
  teammateStarted(team: string, name: string, slot: AgentSlot): void;
  /** Shows the entries of a task list as they are, and each change. */
  publishTaskList(tasks: TaskList, team: string | undefined): void;
  readonly closed: AbortSignal;
  close(): Promise<void>;
}

const defaultShutdownMs = 60_000;

export interface TeamRegistryOptions extends LeadRoleOptions {
  /** Starts a teammate for a member that has asked for one; gives what that one's model reads. */
  readonly spawnForMember: (team: string, member: Member, request: SpawnRequest) => Promise<string>;
}

export function createTeamRegistry(options: TeamRegistryOptions, ports: TeamPorts): TeamRegistry {
  const { store, settings, clock, createId } = options;
  const { agent, runtime: seat } = ports;
  const teams = new Map<string, LeadTeam>();
  const closers = new Map<string, () => Promise<void>>();
  /** Those that the lead's model has made, in this life or an earlier one: nobody else has a use for them. */
  const made = new Set(previouslyLedTeams(ports, ({ made: isMade }) => isMade === true));
  const closed = new AbortController();
  const onProblems = createDamageNotices(ports);
  const slots = ports.subagents && createTeammateSlots(ports.subagents.acquireSlotNow);

  const findTeam = (name?: string): LeadTeam | undefined =>
    name === undefined ? [...teams.values()].at(-1) : teams.get(name);
  const requireTeam = (name?: string): LeadTeam => {
    const found = findTeam(name);
    if (found) return found;
    const names = [...teams.keys()];
    const hint =
      names.length === 0 ? "make one with TeamCreate, or start with --team" : `there is: ${names.join(", ")}`;
    throw new TroupeError(
      "team",
      name === undefined ? `There is no team yet; ${hint}.` : `There is no team ${JSON.stringify(name)}; ${hint}.`,
    );
  };

  const startLeading = async (team: StoredTeam): Promise<readonly string[]> => {
    const { createLeadTeam, teamMailbox } = await loadLeadTeam();
    const mailbox = teamMailbox(team, { clock, createId });
    const lead = await createLeadTeam({
      team,
      mailbox,
      lead: agent,
      conversation: () => seat().conversation,
      ask: ports.shared.ask,
      backend: options.backend,
      defaultBackend: options.defaultBackend,
      plansBy: settings.planApproval ?? "lead",
      mode: () => seat().mode(),
      cleanUp: options.cleanUp,
      archiveReport: createReportArchive(ports.shared.parts.opened, team.name),
      shutdownMs: settings.shutdownMs ?? defaultShutdownMs,
      startMs: ports.shared.parts.agents?.watchdog?.startMs,
      silentMs: settings.silentMs,
      onStatus: (status, member) => {
        if (member.name !== teamLead && !isExternal(member)) slots?.statusChanged(team.name, status);
        agent().live(memberChangedEvent(team.name, status, member));
      },
      spawnForMember: settings.nestedTeams
        ? (member, request) => options.spawnForMember(team.name, member, request)
        : undefined,
      onProblems,
      replayed: ports.replayed,
      clock,
      createId,
    });
    for (const member of lead.members()) await renewBudget(team, member);
    teams.set(team.name, lead);
    followTasks(team.tasks, team.name);
    closers.set(team.name, () => closeAll([lead.close, mailbox.close, team.close]));
    return lead.start();
  };

  /** A budget may have come or changed since a member joined: whoever is started from here on keeps the one of now. */
  const renewBudget = async ({ record }: StoredTeam, { name, ended, launch }: Member) => {
    const { maxBudgetUsd, maxTokens, ledger, places: file } = options.launch;
    if (ended || !launch) return;
    const isSame = launch.maxBudgetUsd === maxBudgetUsd && launch.maxTokens === maxTokens;
    if (isSame && launch.ledger === ledger && launch.places === file) return;
    const { maxBudgetUsd: _, maxTokens: __, ledger: ___, places: ____, ...rest } = launch;
    const now = {
      ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(ledger !== undefined && { ledger }),
      ...(file !== undefined && { places: file }),
    };
    await record.change(name, { launch: { ...rest, ...now } });
  };

  const followTasks = (tasks: TaskList, team: string | undefined) =>
    publishTaskList(tasks, { team, agent, signal: closed.signal, onProblems });

  const join = async (name: string, how: { readonly made?: true } = {}) => {
    await agent().record({ type: "team.joined", team: name, name: teamLead, role: "lead", ...how });
  };

  const make = (name: string, description?: string) =>
    store.create({ name, description, leadSessionId: ports.sessionId, cwd: options.cwd });

  const create = async (wanted: string, description?: string) => {
    const team = await make(wanted, description);
    await startLeading(team);
    made.add(team.name);
    await join(team.name, { made: true });
    return { team: team.name, lead: teamLead };
  };

  /** Rejects if another session leads it: both would read one inbox. */
  const adoptUnlessLed = async (team: StoredTeam): Promise<readonly string[]> => {
    const before = await team.presence.look(teamLead);
    if (before && before.alive !== "dead" && before.state !== "ended") {
      await team.close();
      throw new TroupeError(
        "team",
        `the team ${team.name} is led by another session (process ${before.pid}): end that first.`,
      );
    }
    await team.record.changeTeam({ leadSessionId: ports.sessionId });
    return startLeading(team);
  };

  /** One that an earlier life of this session has led; meanwhile it may have become another's. */
  const resumeLeading = async (team: StoredTeam): Promise<readonly string[]> =>
    (await team.record.read()).leadSessionId === ports.sessionId ? startLeading(team) : adoptUnlessLed(team);

  /** A team that is there already, if nobody leads it; undefined if there is none. */
  const adopt = async (name: string): Promise<string | undefined> => {
    const known = (await store.list()).find((summary) => summary.name === name);
    if (!known) return undefined;
    await raiseNotices(await adoptUnlessLed(await store.open(name)));
    made.delete(name);
    await join(name);
    return name;
  };

  /** One that the user has named stays until the user takes it away. With a number it would be another one each time. */
  const createRequested = async (wanted: string): Promise<string> => {
    const team = await make(wanted);
    const { name } = team;
    if (/-\d+$/.test(name) && name !== wanted.normalize("NFC")) {
      await team.close();
      await store.delete(name);
      const names = (await store.list()).map((known) => known.name);
      const other = nearestName(wanted, names) ?? names.join(", ");
      throw new TroupeError("team", `There is a team already that is called almost ${wanted}: ${other}. Say which.`);
    }
    await startLeading(team);
    await join(name);
    return name;
  };

  const raiseNotices = async (notices: readonly string[]) => {
    for (const message of notices)
      await agent().record({ type: "notice.raised", level: "warning", code: "team", message });
    if (notices.length === 0) return;
    const parts = [{ type: "text" as const, text: escapeTags(notices.join("\n")) }];
    await agent().admitOnce({ promptId: createId<PromptId>("prm"), source: "agent", parts, quiet: true });
  };

  const leave = async (name: string, reason: string) => {
    await closers.get(name)?.();
    closers.delete(name);
    teams.delete(name);
    await agent().record({ type: "team.left", team: name, reason });
  };

  const remove = async (name?: string) => {
    const team = requireTeam(name);
    const active = team.members().filter((member) => !member.ended);
    if (active.length > 0) {
      const names = active.map((member) => member.name).join(", ");
      throw new TroupeError("team", `${team.name} still has active members: ${names}. Ask them to end first.`);
    }
    await leave(team.name, "deleted");
    await store.delete(team.name);
    return { team: team.name };
  };

  return {
    all: () => [...teams.values()],
    find: findTeam,
    get: requireTeam,
    with: (nameOrId) => findTeamWith(nameOrId, [...teams.values()]) ?? requireTeam(),
    create,
    remove,
    teammateStarted: (team, name, slot) => slots?.started(team, name, slot),
    publishTaskList: followTasks,
    closed: closed.signal,
    async start() {
      for (const name of previouslyLedTeams(ports)) {
        const missing = await store
          .open(name)
          .then(resumeLeading)
          .catch((error: unknown) => {
            if (!TroupeError.is(error)) throw error;
            return [`the team ${name} could not be taken up again: ${error.message}`];
          });
        await raiseNotices(missing);
      }
      if (options.team === undefined || teams.has(options.team)) return;
      const team = (await adopt(options.team)) ?? (await createRequested(options.team));
      const text = leadConduct({ team, lead: teamLead });
      const promptId = createId<PromptId>("prm");
      await agent().admitOnce({ promptId, source: "agent", parts: [{ type: "text", text }], quiet: true });
    },
    async close() {
      const leaving = [...teams].map(([name, team]) => async () => {
        const isOver = isEmpty(team) && !(settings.keep ?? false);
        await closers.get(name)?.();
        if (isOver && made.has(name)) await store.delete(name);
      });
      await closeAll([
        ...leaving,
        options.closeBackends,
        () => slots?.close(),
        () => closed.abort(new DOMException("the session has ended", "AbortError")),
      ]);
    },
  };
}

function findTeamWith(nameOrId: string, teams: readonly LeadTeam[]): LeadTeam | undefined {
  const has = (fits: (member: Member) => boolean) => teams.find((team) => team.members().some(fits));
  return (
    has(({ agentId }) => agentId === nameOrId) ??
    has(({ name, ended }) => name === nameOrId && !ended) ??
    has(({ name }) => name === nameOrId)
  );
}

/** Whether all have ended. One whose record cannot be read any more is closed like any other, and that says so. */
function isEmpty(team: LeadTeam): boolean {
  try {
    return team.members().every((member) => member.ended);
  } catch (error) {
    if (TroupeError.is(error)) return false;
    throw error;
  }
}

type Joined = Extract<Event, { type: "team.joined" }>;

/** Teams that an earlier life of the session has led and not left: all, or those whose last joining fits. */
function previouslyLedTeams(
  { replayed }: TeamPorts,
  fits: (joined: Joined) => boolean = () => true,
): readonly string[] {
  const led = new Set<string>();
  for (const { event } of replayed) {
    if (event.type === "team.left" || event.type === "team.joined") led.delete(event.team);
    if (event.type === "team.joined" && event.role === "lead" && fits(event)) led.add(event.team);
  }
  return [...led];
}

/** How a member is now, for whoever looks at its lead's session. */
export function memberChangedEvent(team: string, status: Parameters<LeadTeamOptions["onStatus"]>[0], member: Member) {
  const { color, agentType, model, backendType, sessionId, name, cwd, worktreePath, tmuxPaneId, joinedAt } = member;
  return {
    type: "member.changed" as const,
    team,
    ...status,
    role: name === teamLead ? ("lead" as const) : ("teammate" as const),
    ...(color && { color }),
    ...(agentType && { agentType }),
    ...(model && { model }),
    backendType,
    ...(sessionId && { sessionId }),
    cwd,
    joinedAt,
    ...(worktreePath && { worktreePath }),
    ...(tmuxPaneId && { tmuxPaneId }),
    ...(member.ended && { ended: member.ended.reason }),
  };
}
