import { claimedTask, sentBackByHook } from "../../agent/index.ts";
import { type Clock, closeAll, type CreateId, currentProcess } from "../../platform/index.ts";
import {
  type Ack,
  type Member,
  type RequestId,
  teamLead,
  type TeamSettings,
  type WorkItemId,
} from "../../protocol/index.ts";
import type { OwnPresence, StoredTeam } from "../../store/index.ts";
import {
  createPermissionRequests,
  createInboxConsumer,
  createTeammateWatchdog,
  createSpawnRequests,
  createTeammateRunner,
  unreadMail,
  type Mailbox,
  type MemberEnd,
  type InboxConsumer,
  type TeammateStarter,
} from "../../team/index.ts";
import { textResult } from "../../tool/index.ts";
import type { RemoteHost } from "./remote-host.ts";
import { reportMissingTranscript } from "./missing-transcript.ts";
import type { PermissionAsker } from "../session-dependencies.ts";
import type { TeamRole, TeamPorts } from "./team-role.ts";
import { setTeammateMode } from "./set-teammate-mode.ts";
import { publishTaskList } from "./publish-task-list.ts";
import { memberOngoingWork } from "./ongoing-team-work.ts";
import { messageTool, taskTools } from "./team-tools.ts";
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
  /** Set if the teammate runs on another machine than its lead. */
  readonly remoteHost?: Pick<RemoteHost, "capMode" | "flushed" | "beforeReport"> | undefined;
}

const defaultPermissionTimeoutMs = 600_000;

export function createMemberRole(options: MemberRoleOptions): MemberRole {
  const { team, mailbox, member, presence, settings, clock } = options;
  const { name } = member;
  const startedAt = clock.now();
  let current: InboxConsumer | undefined;
  let agentOf: TeamPorts["agent"] = () => {
    throw new Error(`${name} is not connected to ${team.name} yet`);
  };
  const link = (): InboxConsumer => {
    if (!current) throw new Error(`${name} is not connected to ${team.name} yet`);
    return current;
  };
  let setWaitReason: (question: string | undefined) => void = () => undefined;
  let folder = () => member.worktreePath ?? member.cwd;
  const asks = createPermissionRequests({
    link,
    folder: () => folder(),
    createId: options.createId,
    clock,
    timeoutMs: settings.permissionTimeoutMs ?? defaultPermissionTimeoutMs,
    onWait: (question) => setWaitReason(question),
    onUnexpectedAnswer: (message) =>
      agentOf().record({ type: "notice.raised", level: "warning", code: "mail", message }),
  });

  const spawns = createSpawnRequests({ link, createId: options.createId });
  /** The lead starts the new teammate: a team has one lead, whichever member requested it. */
  const starter: TeammateStarter = {
    teamOf: (asked) => (asked === undefined || asked === team.name ? team.name : undefined),
    start: async (parent, wish) => textResult(await spawns.start(wish, parent.mode)),
  };

  const connect = (ports: TeamPorts): TeamRole => {
    const { agent, runtime: seat } = ports;
    agentOf = agent;
    folder = () => seat().cwd();
    const fail = (error: unknown) => {
      void agent().fail(error);
      runner.failWith(error);
    };
    const claims = new Map<WorkItemId, number>();
    const over = new AbortController();
    /** Marks received mail before the teammate reports that it is idle. Otherwise the lead would assume unread mail. */
    const prepareReport = async () => {
      await options.remoteHost?.beforeReport();
      // Errors from receiving mail were already reported. They do not prevent the report.
      await Promise.allSettled([link().settled()]);
    };
    const runner = createTeammateRunner({
      name,
      link,
      agent,
      conversation: () => seat().conversation,
      tasks: team.tasks,
      presence,
      tools: () => ports.tools().map((tool) => tool.name),
      holder: currentProcess(),
      claims,
      unreadMail: () => unreadMail(name, { mailbox, agent: agent() }),
      beforeIdle: async () => seat().hooks?.teammateIdle({ name, team: team.name }),
      sentBackPrompt: sentBackByHook,
      claimPrompt: claimedTask,
      prepareReport,
      setMode: ({ mode, atMost }) =>
        setTeammateMode(seat(), { mode: options.remoteHost?.capMode(mode) ?? mode, atMost }, member),
      isOutdated: ({ timestamp }) => ports.replayed.length > 0 && Date.parse(timestamp) < startedAt,
      replayed: ports.replayed,
      onEnd: options.onEnd,
      onFailure: fail,
      clock,
    });
    setWaitReason = runner.setWaitReason;
    current = createInboxConsumer({
      team: team.name,
      name,
      mailbox,
      agent,
      conversation: () => seat().conversation,
      handlers: { ...asks.handlers, ...spawns.handlers, ...runner.handlers },
      replayed: ports.replayed,
      onAdmitted: async ({ wakes }) => {
        if (wakes) runner.markBusy();
      },
      beforeMark: async () => {
        await runner.statePublished();
        await options.remoteHost?.flushed();
      },
      onFailure: fail,
      clock,
      createId: options.createId,
    });
    const watchdog = createTeammateWatchdog({
      agent,
      conversation: () => seat().conversation,
      settings: ports.shared.parts.agents?.watchdog,
      clock,
      onFailure: fail,
    });
    const toolPorts = {
      ports,
      claims,
      me: () => name,
      team: () => team.name,
      tasks: async () => team.tasks,
      members: () => team.record.current().members,
      link,
    };
    const message = messageTool({
      ...toolPorts,
      linkTo: link,
      isLead: () => false,
      statusOf: (members) => team.presence.statusOf(members),
      control: {
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
    const watch = warnOnReservedFile({
      teams: () => [{ team: team.record.current(), me: name, link: link() }],
      agent,
      cwd: () => seat().cwd(),
      now: clock.now,
    });
    const tools = [message, ...taskTools(toolPorts)];
    return {
      tools,
      starter: settings.nestedTeams ? starter : undefined,
      observe(envelope) {
        link().observe(envelope);
        runner.observe(envelope);
        watchdog.observe(envelope.event);
        watch(envelope);
      },
      async start() {
        const isNew = !ports.replayed.some(({ event }) => event.type === "team.joined");
        if (isNew) await agent().record({ type: "team.joined", team: team.name, name, role: "teammate" });
        const { sessionId } = ports;
        if (isNew && options.wasStartedBefore)
          await reportMissingTranscript({ name, sessionId }, { mailbox, agent: agent() });
        link().start();
        watchdog.start();
        if (options.publishesTasks) publishTaskList(team.tasks, { team: team.name, agent, signal: over.signal });
        for (const requestId of findUnsettledRequests(ports)) await asks.withdraw(requestId);
        // A conversation that still needs an answer is a reason to work, like new mail. Wake the agent before it
        // publishes its state, so that it does not appear idle.
        if (seat().conversation.awaitsAnswer || seat().conversation.hasReason) agent().wake();
        await runner.start();
      },
      dispatch: async (): Promise<Ack> => ({
        ok: false,
        code: "not_the_lead",
        message: `${name} is a member of ${team.name}. Only the session of ${teamLead} can do this.`,
      }),
      running: () => [],
      ongoingWork: async () => {
        const { members } = team.record.current();
        return [await memberOngoingWork({ name, team: team.name, members }, team.tasks)];
      },
      async close() {
        over.abort(new DOMException("the session has ended", "AbortError"));
        await closeAll([watchdog.close, runner.close, link().close]);
      },
    };
  };

  return {
    asker: (question, signal) => asks.ask(question, signal),
    askHost: asks.askHost,
    connect,
  };
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
