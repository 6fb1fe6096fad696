import {
  type Agent,
  type DeletedTeam,
  leadConduct,
  teamAlreadyLed,
  teamStillActive,
  troupeNotice,
} from "../../agent/index.ts";
import { type Clock, closeAll, type CreateId, nearestName, sameName, definedFields } from "../../platform/index.ts";
import {
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
  type SpawnResolver,
  type LeadTeam,
  type LeadTeamOptions,
  loadLeadTeam,
  type SpawnRequest,
  unlandedWork,
} from "../../team/index.ts";
import { followedMode } from "../permissions/followed-mode.ts";
import { lastMode } from "../permissions/plan-mode.ts";
import { createTeammateSlots } from "./teammate-slots.ts";
import { createReportArchive } from "./archive-report.ts";
import type { TeammateJobs } from "../../remote/index.ts";
import type { TeamPorts } from "./team-role.ts";
import { leadOngoingWork, tellResumed } from "./ongoing-team-work.ts";
import { publishTaskList } from "./publish-task-list.ts";
import { createDamageNotices } from "./damaged-file-notices.ts";

export interface LeadRoleOptions {
  readonly store: TeamStore;
  readonly cwd: string;
  readonly settings: TeamSettings;
  /** True if the team tools are offered. */
  readonly isOn: boolean;
  /** The team to lead from the start: adopted if it exists, otherwise created. */
  readonly team?: string | undefined;
  readonly launch: LaunchFlags;
  /** Undefined if no workers on other machines are available. */
  readonly jobs?: TeammateJobs | undefined;
  readonly backends: LeadTeamOptions["backends"];
  /** Runs after the last member has ended or is suspended. */
  readonly closeBackends: () => Promise<void>;
  readonly worktrees: LeadTeamOptions["worktrees"];
  readonly resolver: SpawnResolver;
  /** The session's own task list, for tasks without a team. */
  readonly ownTasks: () => Promise<TaskList>;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** The teams that a session leads. */
export interface TeamRegistry {
  all(): readonly LeadTeam[];
  /** Returns the team of this name, or the most recent team. */
  find(name?: string): LeadTeam | undefined;
  /** Like `find`, but throws a TroupeError if there is no such team. */
  get(name?: string): LeadTeam;
  /** Returns the team of a member: `name@team` or a name. A name prefers an active member over one that has ended. */
  with(member: string): LeadTeam;
  create(name: string, description?: string): Promise<{ readonly team: string; readonly lead: string }>;
  remove(name?: string): Promise<DeletedTeam>;
  /** Resumes the teams of previous runs, and adopts or creates the requested team. */
  start(): Promise<void>;
  /** Reports that a teammate has started in this slot. */
  teammateStarted(team: string, name: string, slot: AgentSlot): void;
  /** Publishes the entries of a task list and each change. */
  publishTaskList(tasks: TaskList, team: string | undefined): void;
  readonly closed: AbortSignal;
  close(): Promise<void>;
}

const defaultShutdownMs = 60_000;

export interface TeamRegistryOptions extends LeadRoleOptions {
  /** Starts a teammate at the request of a member. Returns the text for that member's model. */
  readonly spawnForMember: (team: string, member: Member, request: SpawnRequest) => Promise<string>;
}

export function createTeamRegistry(options: TeamRegistryOptions, ports: TeamPorts): TeamRegistry {
  const { store, createId } = options;
  const { agent } = ports;
  const teams = new Map<string, LeadTeam>();
  const closers = new Map<string, () => Promise<void>>();
  /** Teams that the lead's model created, also in previous runs. Unused ones are deleted on close. */
  const made = new Set(previouslyLedTeams(ports, ({ made: isMade }) => isMade === true));
  const closed = new AbortController();
  const leading: Leading = {
    options,
    ports,
    teams,
    closers,
    closed: closed.signal,
    onProblems: createDamageNotices(ports),
    slots: ports.subagents && createTeammateSlots(ports.subagents.acquireSlotNow),
  };

  const findTeam = (name?: string): LeadTeam | undefined =>
    name === undefined ? [...teams.values()].at(-1) : teams.get(sameName(name, [...teams.keys()]) ?? name);
  const requireTeam = (name?: string): LeadTeam => {
    const found = findTeam(name);
    if (!found) throw noTeamError(name, [...teams.keys()]);
    return found;
  };

  const join = async (name: string, how: { readonly made?: true } = {}) => {
    await agent.record({ type: "team.joined", team: name, name: teamLead, role: "lead", ...how });
  };

  const make = (name: string, description?: string) =>
    store.create({ name, description, leadSessionId: ports.sessionId, cwd: options.cwd });
  const create = async (wanted: string, description?: string) => {
    await assertNeedsTeam(wanted, [...teams.values()]);
    const team = await make(wanted, description);
    await startLeading(team, leading);
    made.add(team.name);
    await join(team.name, { made: true });
    return { team: team.name, lead: teamLead };
  };

  /** Adopts an existing team that has no active lead. Returns undefined if there is no such team. */
  const adopt = async (name: string): Promise<string | undefined> => {
    const known = (await store.list()).find((summary) => summary.name === name);
    if (!known) return undefined;
    await raiseNotices(await adoptUnlessLed(await store.open(name), leading));
    made.delete(name);
    await join(name);
    return name;
  };

  /** Creates a team that the user named, which stays until deleted. Refuses a numbered variant. */
  const createRequested = async (wanted: string): Promise<string> => {
    const team = await make(wanted);
    const { name } = team;
    if (/-\d+$/.test(name) && name !== wanted.normalize("NFC")) {
      await team.close();
      await store.delete(name);
      throw similarTeamError(
        wanted,
        (await store.list()).map((known) => known.name),
      );
    }
    await startLeading(team, leading);
    await join(name);
    return name;
  };

  const raiseNotices = (notices: readonly string[]) => raiseTeamNotices(notices, agent, createId);

  const remove = async (wanted?: string) => {
    const team = requireTeam(wanted);
    const { name } = team;
    assertAllEnded(team);
    const unlanded = await unlandedWork(team.members(), options.worktrees.leftBy);
    await drop(name, leading);
    await agent.record({ type: "team.left", team: name, reason: "deleted" });
    await store.delete(name);
    return { team: name, still: findTeam()?.name, unlanded };
  };

  return {
    all: () => [...teams.values()],
    find: findTeam,
    get: requireTeam,
    with: (nameOrId) => findTeamWith(nameOrId, [...teams.values()]) ?? requireTeam(),
    create,
    remove,
    teammateStarted: (team, name, slot) => leading.slots?.started(team, name, slot),
    publishTaskList: (tasks, team) => followTasks({ team, tasks }, leading),
    closed: closed.signal,
    async start() {
      for (const name of previouslyLedTeams(ports)) await raiseNotices(await resumeLeading(name, leading));
      await tellLeadResumed(leading);
      if (options.team === undefined || teams.has(options.team)) return;
      const team = (await adopt(options.team)) ?? (await createRequested(options.team));
      const text = troupeNotice(leadConduct({ team, lead: teamLead, tools: toolNames(ports.tools()) }));
      const promptId = createId<PromptId>("prm");
      await agent.admitOnce({ promptId, source: "agent", parts: [{ type: "text", text }], quiet: true });
    },
    async close() {
      const leaving = [...teams].map(([name, team]) => async () => {
        const isOver = isEmpty(team) && !(options.settings.keep ?? false);
        await closers.get(name)?.();
        if (isOver && made.has(name)) await store.delete(name);
      });
      await closeAll([
        ...leaving,
        options.closeBackends,
        () => leading.slots?.close(),
        () => closed.abort(new DOMException("the session has ended", "AbortError")),
      ]);
    },
  };
}

/** The teams that the session leads now, and what it needs to lead one more. */
interface Leading {
  readonly options: TeamRegistryOptions;
  readonly ports: TeamPorts;
  readonly teams: Map<string, LeadTeam>;
  readonly closers: Map<string, () => Promise<void>>;
  readonly closed: AbortSignal;
  readonly onProblems: ReturnType<typeof createDamageNotices>;
  readonly slots: ReturnType<typeof createTeammateSlots> | undefined;
}

/** Returns notices about members that could not be resumed. */
async function startLeading(team: StoredTeam, leading: Leading): Promise<readonly string[]> {
  const { options, ports, teams, closers, slots, onProblems } = leading;
  const { settings, clock, createId } = options;
  const { agent, runtime } = ports;
  const { createLeadTeam, teamMailbox } = await loadLeadTeam();
  const mailbox = teamMailbox(team, { clock, createId });
  const lead = await createLeadTeam({
    team,
    mailbox,
    lead: agent,
    conversation: runtime.conversation,
    permissions: {
      ask: ports.shared.ask,
      plansBy: settings.planApproval ?? "lead",
      mode: () => runtime.mode(),
      followedBy: (member) =>
        followedMode(member, {
          before: lastMode(ports.replayed),
          now: runtime.mode(),
          modeOf: options.resolver.modeOf,
        }),
    },
    backends: options.backends,
    worktrees: options.worktrees,
    archiveReport: createReportArchive(ports.shared.session.log.opened, team.name),
    limits: leadLimits(settings, ports),
    onStatus: (status, member) => {
      if (member.name !== teamLead && !isExternal(member)) slots?.statusChanged(team.name, status);
      agent.live(memberChangedEvent(team.name, status, member));
    },
    spawnForMember: settings.nestedTeams
      ? (member, request) => options.spawnForMember(team.name, member, request)
      : undefined,
    onProblems,
    replayed: ports.replayed,
    clock,
    createId,
  });
  for (const member of lead.members()) await renewBudget(team, member, options.launch);
  teams.set(team.name, lead);
  const left = new AbortController();
  followTasks({ team: team.name, tasks: team.tasks, left: left.signal }, leading);
  closers.set(team.name, () => closeAll([() => left.abort(), lead.close, mailbox.close, team.close]));
  return lead.start().catch((error: unknown) => drop(team.name, { teams, closers, error }));
}

function followTasks(
  { team, tasks, left }: { readonly team?: string | undefined; readonly tasks: TaskList; readonly left?: AbortSignal },
  { ports, closed, onProblems }: Leading,
): void {
  const signal = left ? AbortSignal.any([closed, left]) : closed;
  publishTaskList(tasks, { team, agent: ports.agent, signal, onProblems });
}

/** Rejects if another session leads the team: both would read the same inbox. */
async function adoptUnlessLed(team: StoredTeam, leading: Leading): Promise<readonly string[]> {
  const before = await team.presence.look(teamLead);
  if (before && before.alive !== "dead" && before.state !== "ended") {
    await team.close();
    throw new TroupeError(
      "team",
      `cannot lead team ${team.name}: another session leads it (process ${before.pid}). Close that session first.`,
    );
  }
  await team.record.changeTeam({ leadSessionId: leading.ports.sessionId });
  return startLeading(team, leading);
}

/**
 * Resumes a team that a previous run of this session led, unless another session leads it now. Returns notices about
 * what could not be resumed.
 */
async function resumeLeading(name: string, leading: Leading): Promise<readonly string[]> {
  const { options, ports } = leading;
  try {
    const team = await options.store.open(name);
    const { leadSessionId } = await team.record.read();
    return await (leadSessionId === ports.sessionId ? startLeading(team, leading) : adoptUnlessLed(team, leading));
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return [`cannot resume team ${name}: ${error.message}`];
  }
}

function noTeamError(name: string | undefined, known: readonly string[]): TroupeError {
  const hint =
    known.length === 0 ? "Create one with TeamCreate, or start with --team" : `Known teams: ${known.join(", ")}`;
  const what = name === undefined ? "There is no team yet" : `There is no team ${JSON.stringify(name)}`;
  return new TroupeError("team", `${what}. ${hint}.`);
}

function similarTeamError(wanted: string, names: readonly string[]): TroupeError {
  const other = nearestName(wanted, names) ?? names.join(", ");
  return new TroupeError("team", `A team with a name similar to ${wanted} exists: ${other}. Use its exact name.`);
}

/** Gives a member the current budget for its next start: it may have changed since the member joined. */
async function renewBudget(
  { record }: StoredTeam,
  { name, ended, launch }: Member,
  { maxBudgetUsd, maxTokens, ledger, places: file }: LaunchFlags,
): Promise<void> {
  if (ended || !launch) return;
  const isSame = launch.maxBudgetUsd === maxBudgetUsd && launch.maxTokens === maxTokens;
  if (isSame && launch.ledger === ledger && launch.places === file) return;
  const { maxBudgetUsd: _, maxTokens: __, ledger: ___, places: ____, ...rest } = launch;
  const now = definedFields({ maxBudgetUsd, maxTokens, ledger, places: file });
  await record.change(name, { launch: { ...rest, ...now } });
}

/** The names that a text for the agent may use. */
export const toolNames = (tools: ReturnType<TeamPorts["tools"]>) => new Set(tools.map(({ name }) => name));

const leadLimits = (
  { shutdownMs = defaultShutdownMs, silentMs, maxWakes, gatherMs }: TeamSettings,
  ports: TeamPorts,
): LeadTeamOptions["limits"] => ({
  shutdownMs,
  startMs: ports.shared.session.config.watchdog.startMs,
  silentMs,
  maxWakes,
  gatherMs,
});

function findTeamWith(nameOrId: string, teams: readonly LeadTeam[]): LeadTeam | undefined {
  const has = (fits: (member: Member) => boolean) => teams.find((team) => team.members().some(fits));
  const names = teams.flatMap((team) => team.members()).flatMap(({ name, agentId }) => [name, agentId]);
  const same = sameName(nameOrId, names);
  return (
    has(({ agentId }) => agentId === same) ??
    has(({ name, ended }) => name === same && !ended) ??
    has(({ name }) => name === same)
  );
}

/** Tells the user, and the lead with its next prompt. */
async function raiseTeamNotices(notices: readonly string[], agent: Agent, createId: CreateId): Promise<void> {
  for (const message of notices) await agent.record({ type: "notice.raised", level: "warning", code: "team", message });
  if (notices.length === 0) return;
  const parts = [{ type: "text" as const, text: troupeNotice(notices.join("\n")) }];
  await agent.admitOnce({ promptId: createId<PromptId>("prm"), source: "agent", parts, quiet: true });
}

/** Only teams of previous runs are there yet. */
async function tellLeadResumed({ teams: led, options, ports: { agent, replayed } }: Leading) {
  const teams = [...led.values()];
  if (teams.length === 0) return;
  const { createId, worktrees } = options;
  const hasMembers = teams.some((team) => !isEmpty(team));
  const ongoing = await Promise.all(teams.map((team) => leadOngoingWork(team, worktrees.leftBy)));
  const open = new Set(teams.flatMap((team) => [...team.plans().values()].map(({ from }) => from)));
  const isOpen = (name: string) => open.has(name);
  await tellResumed(ongoing, { agent, replayed, createId, hasMembers, isPlanOpen: isOpen });
}

/** True if all members have ended. False if the record cannot be read: closing the team then reports that. */
function isEmpty(team: LeadTeam): boolean {
  try {
    return team.members().every((member) => member.ended);
  } catch (error) {
    if (TroupeError.is(error)) return false;
    throw error;
  }
}

/** A lead that calls TeamCreate although it has a team usually means that team. */
async function assertNeedsTeam(wanted: string, teams: readonly LeadTeam[]): Promise<void> {
  for (const team of teams) {
    const members = activeNames(team);
    const isUnused = members.length === 0 && (await team.tasks.list()).length === 0;
    if (isUnused || sameName(wanted, [team.name]) !== undefined)
      throw new TroupeError("team", teamAlreadyLed({ team: team.name, members, isUnused }));
  }
}

function assertAllEnded(team: LeadTeam): void {
  const active = activeNames(team);
  if (active.length === 0) return;
  const isAsked = (name: string) => team.pendingEnd(name) !== undefined;
  const asked = active.filter(isAsked);
  throw new TroupeError(
    "team",
    teamStillActive({ team: team.name, asked, others: active.filter((name) => !isAsked(name)) }),
  );
}

const activeNames = (team: LeadTeam): readonly string[] =>
  team.members().flatMap(({ name, ended }) => (ended ? [] : [name]));

type Joined = Extract<Event, { type: "team.joined" }>;

/**
 * Returns the teams that previous runs of the session led and did not leave, limited to those whose last `team.joined`
 * satisfies `fits`.
 */
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

/** Describes a member's current state for viewers of the lead's session. */
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

interface LedTeams {
  readonly teams: Map<string, LeadTeam>;
  readonly closers: Map<string, () => Promise<void>>;
}

/** Stops leading a team, so that no run waits for it. Throws the error that made it impossible to lead, if any. */
async function drop(name: string, { teams, closers, error }: LedTeams & { readonly error: unknown }): Promise<never>;
async function drop(name: string, led: LedTeams): Promise<void>;
async function drop(name: string, { teams, closers, error }: LedTeams & { readonly error?: unknown }): Promise<void> {
  const close = closers.get(name);
  closers.delete(name);
  teams.delete(name);
  await close?.();
  if (error !== undefined) throw error;
}
