import { modeChanged, type Agent, claimedTask, planReminder, sentBackByHook, troupeNotice } from "../../agent/index.ts";
import { type Clock, closeAll, createLate, type CreateId, currentProcess } from "../../platform/index.ts";
import {
  type Ack,
  type Envelope,
  type Member,
  type PromptId,
  type RequestId,
  teamLead,
  type TeamSettings,
  type WorkItemId,
} from "../../protocol/index.ts";
import type { OwnPresence, StoredTeam } from "../../store/index.ts";
import {
  type ClaimingPorts,
  createPermissionRequests,
  createInboxConsumer,
  createRosterNotes,
  createMailSender,
  type MailSender,
  createTeammateWatchdog,
  createSpawnRequests,
  createTeammateRunner,
  unlandedBlockers,
  unreadMail,
  type LeadTeamOptions,
  type Mailbox,
  type MemberEnd,
  type InboxConsumer,
  type PermissionRequests,
  type RosterNotes,
  type TeammateRunner,
  type TeammateStarter,
  outdatedAssignment,
} from "../../team/index.ts";
import { textResult } from "../../tool/index.ts";
import type { RemoteHost } from "./remote-host.ts";
import { reportMissingTranscript } from "./missing-transcript.ts";
import type { PermissionAsker } from "../session-context.ts";
import type { TeamRole, TeamPorts } from "./team-role.ts";
import { type TeammateWorktree, unlandedWorkOf } from "./teammate-worktree.ts";
import { setTeammateMode } from "./set-teammate-mode.ts";
import { publishTaskList } from "./publish-task-list.ts";
import { memberOngoingWork, tellResumed } from "./ongoing-team-work.ts";
import { adaptToolTo, branchUseOf, messageTool, type TaskToolPorts, taskTools } from "./team-tools.ts";
import { warnOnReservedFile } from "./warn-on-reserved-file.ts";

/** The team role of a teammate: its mail, its requests to the lead and its tasks. */
export interface MemberRole {
  readonly asker: PermissionAsker;
  /** Asks the lead if sandboxed commands may connect to a host. */
  askHost(host: string): Promise<boolean>;
  connect(ports: TeamPorts): TeamRole;
}

export interface MemberRoleOptions {
  readonly team: StoredTeam;
  readonly mailbox: Mailbox;
  readonly member: Member;
  readonly presence: OwnPresence;
  readonly settings: TeamSettings;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly onEnd: (end: MemberEnd, detail: string | undefined) => void;
  /**
   * True if this session publishes the team's tasks to its viewers. A lead in the same process publishes them itself.
   */
  readonly publishesTasks: boolean;
  /** True if the teammate ran before, so its log should have the earlier conversation. */
  readonly wasStartedBefore: boolean;
  readonly worktree?: Pick<TeammateWorktree, "facts" | "stateLine"> | undefined;
  /** The work in another member's worktree on this machine. */
  readonly leftBy: LeadTeamOptions["worktrees"]["leftBy"];
  /** Set if the teammate runs on another machine than its lead. */
  readonly remoteHost?: Pick<RemoteHost, "capMode" | "flushed" | "beforeReport"> | undefined;
}

const defaultPermissionTimeoutMs = 600_000;

export function createMemberRole(options: MemberRoleOptions): MemberRole {
  const { team, member, clock } = options;
  // The agent's questions go through the connection, and the connection needs the agent.
  const asks = createLate<PermissionRequests>(`the connection of ${member.name} to ${team.name}`);
  const startedAt = clock.now();
  return {
    asker: (question, signal) => asks.get().ask(question, signal),
    askHost: (host) => asks.get().askHost(host),
    connect: (ports) => connectMember(options, ports, { startedAt, onConnected: asks.set }),
  };
}

function connectMember(
  options: MemberRoleOptions,
  ports: TeamPorts,
  { startedAt, onConnected }: { readonly startedAt: number; onConnected(asks: PermissionRequests): void },
): TeamRole {
  const { team, mailbox, member, presence, settings, clock, createId } = options;
  const { name } = member;
  const { agent, runtime } = ports;
  const { conversation } = runtime;
  const roster = createRosterNotes(name, () => team.record.current().members);
  const sending = new AbortController();
  const retry = { clock, signal: sending.signal };
  const sender = createMailSender({ team: team.name, name, mailbox, agent, createId, retry });
  const fail = (error: unknown) => {
    void agent.fail(error);
    runner.failWith(error);
  };
  const claims = new Map<WorkItemId, number>();
  const over = new AbortController();
  const runner = createTeammateRunner({
    sender,
    agent,
    conversation,
    presence,
    claiming: claimingPorts(options, { claims, roster, ports }),
    unreadMail: () => unreadMail(name, { mailbox, agent }),
    beforeIdle: createBeforeIdle(ports, { name, team: team.name }),
    prepareReport: () => prepareReport(options, ports, link),
    setMode: async ({ mode, atMost }) => {
      const before = runtime.mode();
      await setTeammateMode(runtime, { mode: options.remoteHost?.capMode(mode) ?? mode, atMost }, member);
      const now = runtime.mode();
      // Plan mode has its own texts.
      if (now === before || now === "plan" || before === "plan") return;
      const parts = [{ type: "text" as const, text: modeChanged(now) }];
      await agent.admitOnce({ promptId: options.createId<PromptId>("prm"), source: "agent", parts, quiet: true });
    },
    isOutdated: ({ timestamp }) => ports.replayed.length > 0 && Date.parse(timestamp) < startedAt,
    jobs: () => runtime.background.running(),
    replayed: ports.replayed,
    onEnd: options.onEnd,
    onFailure: fail,
    clock,
  });
  const asks = createMemberAsks(options, ports, { sender, onWait: runner.setWaitReason });
  const spawns = createSpawnRequests({ sender, clock, createId });
  const link = createInboxConsumer({
    sender,
    mailbox,
    agent,
    conversation,
    handlers: { ...asks.handlers, ...spawns.handlers, ...runner.handlers },
    replayed: ports.replayed,
    noteOn: async (mail) =>
      joinNotes([asks.noteOn(mail), await outdatedAssignment(mail, { team, name }), roster.take()]),
    onAdmitted: async ({ wakes }) => {
      if (wakes) runner.markBusy();
    },
    beforeMark: async () => {
      await runner.statePublished();
      await options.remoteHost?.flushed();
    },
    onFailure: fail,
    clock,
  });
  onConnected(asks);
  const watchers = createWatchers(options, ports, { link, fail });
  const toolPorts = {
    ports,
    claims,
    me: () => name,
    team: () => team.name,
    tasks: async () => team.tasks,
    members: () => team.record.current().members,
    link: () => link,
    unlandedWork: unlandedWorkBy(options),
  };
  return {
    tools: [memberMessageTool(toolPorts, { team, runner }), ...taskTools(toolPorts)],
    adaptTool: adaptToolTo(toolPorts),
    starter: settings.nestedTeams ? starterOf(team, spawns) : undefined,
    ready: (signal) => link.catchUp(signal),
    observe(envelope) {
      link.observe(envelope);
      runner.observe(envelope);
      watchers.observe(envelope);
    },
    async start() {
      const isNew = !ports.replayed.some(({ event }) => event.type === "team.joined");
      if (isNew) await agent.record({ type: "team.joined", team: team.name, name, role: "teammate" });
      if (isNew && options.wasStartedBefore)
        await reportMissingTranscript({ name, sessionId: ports.sessionId }, { ...options, mailbox, agent });
      await tellRecreatedWorktree(agent, options);
      await (isNew ? runner.beginOwnTask() : tellMemberResumed(options, ports));
      link.start();
      watchers.start();
      if (options.publishesTasks) publishTaskList(team.tasks, { team: team.name, agent, signal: over.signal });
      for (const requestId of findUnsettledRequests(ports)) await asks.withdraw(requestId);
      // A conversation that still needs an answer is a reason to work, like new mail. Wake the agent before it
      // publishes its state, so that it does not appear idle.
      if (conversation.awaitsAnswer || conversation.hasReason) agent.wake();
      await runner.start();
    },
    dispatch: async (): Promise<Ack> => ({
      ok: false,
      code: "not_the_lead",
      message: `${name} is a member of ${team.name}. Only the session of ${teamLead} can do this.`,
    }),
    running: () => [],
    ongoingWork: async () => [await ongoingOf(options)],
    async close() {
      over.abort(new DOMException("the session has ended", "AbortError"));
      await closeAll([watchers.close, runner.close, link.close, async () => sending.abort()]);
    },
  };
}

/** The questions of the member, which its lead answers by mail. */
const createMemberAsks = (
  options: MemberRoleOptions,
  { agent, runtime }: TeamPorts,
  { sender, onWait }: { readonly sender: MailSender; readonly onWait: TeammateRunner["setWaitReason"] },
): PermissionRequests =>
  createPermissionRequests({
    sender,
    folder: runtime.cwd(),
    createId: options.createId,
    clock: options.clock,
    timeoutMs: options.settings.permissionTimeoutMs ?? defaultPermissionTimeoutMs,
    onWait,
    onUnexpectedAnswer: (message) => agent.record({ type: "notice.raised", level: "warning", code: "mail", message }),
    tell: (text) => tellQuietly(agent, text, options),
  });

/** The lead starts the new teammate: a team has one lead, whichever member requested it. */
const starterOf = (team: StoredTeam, spawns: ReturnType<typeof createSpawnRequests>): TeammateStarter => ({
  teamOf: (asked) => (asked === undefined || asked === team.name ? team.name : undefined),
  start: async (parent, wish) => textResult(await spawns.start(wish, parent.mode)),
});

/** Marks received mail before a report. Otherwise the lead would assume unread mail. */
async function prepareReport({ remoteHost, worktree }: MemberRoleOptions, ports: TeamPorts, link: InboxConsumer) {
  await remoteHost?.beforeReport();
  await Promise.allSettled([link.settled()]); // its errors were reported already
  return { line: await worktree?.stateLine(), isPlanning: canPresentPlan(ports) };
}

/** True in plan mode. No plan waits for an answer then, because the agent waits in the call that presents it. */
const canPresentPlan = ({ runtime, tools }: TeamPorts): boolean =>
  runtime.plan.isPlanning && tools().some(({ name }) => name === "ExitPlanMode");

/** Returns the prompt that sends a member back to work. In plan mode it is reminded once to present a plan. */
function createBeforeIdle(ports: TeamPorts, who: { readonly name: string; readonly team: string }) {
  let isReminded = false;
  return async (): Promise<string | undefined> => {
    if (!isReminded && canPresentPlan(ports)) {
      isReminded = true;
      return planReminder;
    }
    const objection = await ports.runtime.hooks?.teammateIdle(who);
    return objection === undefined ? undefined : sentBackByHook(objection);
  };
}

/** A stalled model and edits of files that another member has reserved. */
function createWatchers(
  { team, member, clock }: MemberRoleOptions,
  { agent, runtime, shared }: TeamPorts,
  { link, fail }: { readonly link: InboxConsumer; readonly fail: (error: unknown) => void },
) {
  const watchdog = createTeammateWatchdog({
    agent,
    conversation: runtime.conversation,
    settings: shared.session.config.watchdog,
    clock,
    onFailure: fail,
  });
  const watch = warnOnReservedFile({
    teams: () => [{ team: team.record.current(), me: member.name, link }],
    agent,
    cwd: () => runtime.cwd(),
    now: clock.now,
  });
  return {
    start: watchdog.start,
    close: watchdog.close,
    observe(envelope: Envelope) {
      watchdog.observe(envelope.event);
      watch(envelope);
    },
  };
}

const ongoingOf = ({ team, member: { name } }: MemberRoleOptions) =>
  memberOngoingWork({ name, team: team.name, members: team.record.current().members }, team.tasks);

const tellMemberResumed = async (options: MemberRoleOptions, { agent, replayed }: TeamPorts) =>
  tellResumed([await ongoingOf(options)], {
    agent,
    replayed,
    createId: options.createId,
    hasMembers: true,
  });

const memberMessageTool = (
  toolPorts: TaskToolPorts & { link(): InboxConsumer },
  { team, runner }: { readonly team: StoredTeam; readonly runner: TeammateRunner },
) =>
  messageTool({
    ...toolPorts,
    linkTo: toolPorts.link,
    isLead: () => false,
    statusOf: (members) => team.presence.statusOf(members),
    control: {
      lacksPlan: () => canPresentPlan(toolPorts.ports),
      open: {
        shutdown: () =>
          runner.shutdownRequest === undefined ? [] : [{ requestId: runner.shutdownRequest, from: teamLead }],
        plan: () => [],
      },
      requestShutdown: () => Promise.reject(new Error("only a lead can request a shutdown")),
      answerPlan: () => Promise.reject(new Error("only a lead can answer a plan")),
      answerShutdown: (answer) => runner.answerShutdown(answer),
    },
  });

/** It reads this with its next prompt. */
async function tellRecreatedWorktree(agent: Agent, options: MemberRoleOptions): Promise<void> {
  const text = options.worktree?.facts.recreated;
  if (text !== undefined) await tellQuietly(agent, text, options);
}

async function tellQuietly(agent: Agent, text: string, { createId }: Pick<MemberRoleOptions, "createId">) {
  const parts = [{ type: "text" as const, text: troupeNotice(text) }];
  await agent.admitOnce({ promptId: createId<PromptId>("prm"), source: "hook", parts, quiet: true });
}

/** The ports with which the runner claims tasks for the teammate. */
const claimingPorts = (
  options: MemberRoleOptions,
  { claims, roster, ports }: { ports: TeamPorts; claims: Map<WorkItemId, number>; roster: RosterNotes },
): ClaimingPorts => {
  const { team, member, wasStartedBefore } = options;
  return {
    tasks: team.tasks,
    tools: () => ports.tools().map((tool) => tool.name),
    holder: currentProcess(),
    claims,
    claimPrompt: async (task, how) => {
      const notes = await unlandedBlockers(task, await team.tasks.list(), {
        memberName: () => member.name,
        unlandedWork: unlandedWorkBy(options),
        branchUse: (name) => branchUseOf(name, { ports, members: () => team.record.current().members }),
      });
      return claimedTask(
        task,
        how,
        [...notes, roster.take()].filter((note) => note !== undefined),
      );
    },
    isLeadWorking: () => isLeadWorking(team),
    awaitsPrompt: member.prompt !== undefined && !wasStartedBefore,
    branch: member.worktreeBranch ?? member.worker?.branch,
  };
};

const joinNotes = (notes: readonly (string | undefined)[]): string | undefined =>
  notes.filter((note) => note !== undefined).join("\n") || undefined;

const unlandedWorkBy =
  ({ team, leftBy }: MemberRoleOptions) =>
  (owner: string) =>
    unlandedWorkOf(owner, team.record.current().members, leftBy);

/** False if the lead is gone: the members continue without it. */
async function isLeadWorking({ presence }: StoredTeam): Promise<boolean> {
  const lead = await presence.look(teamLead);
  return lead !== undefined && lead.state === "working" && lead.alive !== "dead" && !lead.expired;
}

/** Returns the permission requests that a previous run left open. The resumed run asks again. */
function findUnsettledRequests({ replayed }: TeamPorts): readonly RequestId[] {
  const open = new Set<RequestId>();
  for (const { event } of replayed) {
    if (event.type === "permission.asked") open.add(event.requestId);
    if (event.type === "permission.settled") open.delete(event.requestId);
  }
  return [...open];
}
