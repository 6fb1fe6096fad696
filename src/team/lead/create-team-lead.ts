import { effectiveMode } from "../../agent/definitions/index.ts";
import { type Agent, type Conversation, isDiskFull, type PermissionQuestion } from "../../agent/index.ts";
import { type Clock, closeAll, type CreateId } from "../../platform/index.ts";
import {
  type BackendType,
  type Envelope,
  isExternal,
  type Mail,
  type Member,
  type MemberStatus,
  messageOf,
  type PermissionAnswer,
  type PermissionMode,
  teamLead,
  TroupeError,
  workMailKinds,
} from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import { createAllowTeamPath } from "./allow-team-path.ts";
import { createPermissionResponder } from "../requests/permission-responder.ts";
import type { Backend } from "../backend/backend.ts";
import { createTeammateEndings } from "./end-teammate.ts";
import { sendInitialPrompt } from "./send-initial-prompt.ts";
import { membersWithPendingWork } from "./pending-on-resume.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";
import type { LeadTeam, TeammateRequest, SpawnedTeammate } from "./lead-team.ts";
import { createInboxConsumer, type InboxConsumer } from "../mailbox/inbox-consumer.ts";
import { createTeammateLifecycle } from "./teammate-lifecycle.ts";
import { createPermissionCeiling } from "./permission-ceiling.ts";
import { createPresenceWatch, type PresenceWatch } from "./presence-watch.ts";
import { sendWithDiskFullRetry, withDiskFullRetry } from "../storage/disk-full-retry-team.ts";
import { createTeamIdleDetector } from "./team-idle.ts";
import { createHeartbeatTimeout } from "./heartbeat-timeout.ts";
import { createSpawnHandlers, type SpawnRequest } from "../requests/spawn-requests.ts";
import { createStopRequests } from "./request-shutdown.ts";
import { retryWhileDiskFull } from "../storage/retry-while-disk-full.ts";
import { sendFailureReason } from "../mailbox/mail-error.ts";

export interface LeadTeamOptions {
  readonly team: StoredTeam;
  readonly mailbox: Mailbox;
  readonly lead: () => Agent;
  readonly conversation: () => Pick<Conversation, "waiting" | "waitingParts" | "hasReason">;
  readonly ask: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer> | undefined;
  /** Rejects with a TroupeError if the backend is not available here. */
  readonly backend: (type: BackendType) => Promise<Backend>;
  /** The backend for members without one, and a notice about it for the lead. */
  readonly defaultBackend: () => Promise<{ readonly type: BackendType; readonly notice?: string | undefined }>;
  readonly plansBy: "lead" | "user";
  /** The lead's current permission mode. */
  readonly mode: () => PermissionMode;
  /** Cleans up after a member that was ended without its cooperation. Returns notices for the user. */
  readonly cleanUp: (member: Member) => Promise<readonly string[]>;
  /** Archives a member's report when a newer one replaces it. Returns the path of the file. */
  readonly archiveReport?: ((member: string, text: string) => Promise<string>) | undefined;
  readonly shutdownMs: number;
  /** How long a member may take to start. */
  readonly startMs?: number | undefined;
  /** How long a member's process may be silent after its lease. */
  readonly silentMs?: number | undefined;
  readonly onStatus: (status: MemberStatus, member: Member) => void;
  /** Called repeatedly with the problems in reading the team's files. */
  readonly onProblems?: ((problems: readonly string[]) => void) | undefined;
  /** Starts a teammate for a member. Undefined if members cannot start teammates. */
  readonly spawnForMember?: ((member: Member, request: SpawnRequest) => Promise<string>) | undefined;
  /** The stored events of the lead's previous runs. */
  readonly replayed: readonly Pick<Envelope, "event">[];
  readonly clock: Clock;
  readonly createId: CreateId;
}

export async function createTeamLead(options: LeadTeamOptions): Promise<LeadTeam> {
  const { mailbox, lead, clock } = options;
  let closing = false;
  const over = new AbortController();
  const retry = { clock, signal: over.signal };
  const team = withDiskFullRetry(options.team, retry);
  const { record } = team;
  const ownPresence = await team.presence.announce(teamLead, "idle");

  /** Ignore disk-full errors while closing: close() reports them. */
  const fail = (error: unknown) => {
    if (!closing || !isDiskFull(error)) void lead().fail(error);
  };
  const warn = (message: string) => lead().record({ type: "notice.raised", level: "warning", code: "member", message });
  const warnNotDelivered = (name: string) => (error: unknown) =>
    warn(`cannot notify ${name}: ${sendFailureReason(error)}`);
  ownPresence.lost.addEventListener("abort", () => {
    if (!closing)
      fail(new TroupeError("team", `Another process leads the team ${team.name} now. This process must stop.`));
  });
  const others = () => record.current().members.filter(({ name }) => name !== teamLead);
  /** External members are never waited for. */
  const teammates = () => others().filter((member) => !isExternal(member));
  /** Includes external members whose program reports when it is idle. */
  const reportingMembers = () =>
    others().filter((member) => !isExternal(member) || team.reportsIdle?.(member.name) === true);
  const unobserved = new Set<string>();
  const memberOf = (name: string): Member => {
    const found = others().find((member) => member.name === name);
    if (found) return found;
    const names = others().map((member) => member.name);
    const list = names.length === 0 ? "it has no members yet" : `its members are: ${names.join(", ")}`;
    throw new TroupeError("team", `Team ${team.name} has no member ${JSON.stringify(name)}; ${list}.`);
  };

  const answers = createPermissionResponder({
    link: () => link,
    lead,
    ask: options.ask,
    colorOf: (name) => record.current().members.find((member) => member.name === name)?.color,
    folderOf: (name) => {
      const { worktreePath, cwd } = memberOf(name);
      return worktreePath ?? cwd;
    },
    plansDecidedBy: options.plansBy,
    allowPath: createAllowTeamPath({
      record,
      link: () => link,
      memberOf,
      folderOf: (name) => lifecycle.folderOf(name),
      teammates,
      warnNotDelivered,
    }),
  });
  const spawnForMember = async (from: string, request: SpawnRequest) => {
    const member = memberOf(from);
    if (member.ended) throw new TroupeError("agent", `${from} has ended, so no teammate was started for it.`);
    return options.spawnForMember?.(member, request) ?? "";
  };
  const stopRequests = createStopRequests({ ...options, link: () => link, deadlineMs: options.shutdownMs });
  const link: InboxConsumer = createInboxConsumer({
    team: team.name,
    name: teamLead,
    mailbox,
    agent: lead,
    conversation: options.conversation,
    handlers: {
      ...answers.handlers,
      ...stopRequests.handlers,
      ...createSpawnHandlers({ link: () => link, start: options.spawnForMember && spawnForMember, warn }),
      // Takes a while, so other mail is handled in the meantime.
      respawn_request: (_, { name }) => ({
        later: lifecycle.respawn(name).then(
          () => undefined,
          async (error: unknown) => {
            if (!TroupeError.is(error)) throw error;
            await warn(`cannot respawn ${name}: ${error.message}`);
          },
        ),
      }),
    },
    replayed: options.replayed,
    archiveReport: options.archiveReport,
    onAdmitted: async (mail: Mail) => {
      if (mail.body.kind === "idle_notification") {
        if (mail.body.isLeaving && mail.body.evidence === undefined) idleDetector.onFarewell(mail.id);
        await lifecycle.settled(mail.from);
        idleDetector.onReport(mail.from);
      }
      awaitIdleState(mail.from).catch(fail);
    },
    onFailure: fail,
    clock,
    createId: options.createId,
  });
  const idleDetector = createTeamIdleDetector({
    lead,
    conversation: options.conversation,
    tasks: team.tasks,
    mailbox,
    onSettled: () => republishStatus(),
    pause: (ms) => clock.sleep(ms, over.signal).catch(() => undefined),
    refresh: () => watch.refresh(),
    statuses: () => watch.all().filter(({ name }) => name !== teamLead && !unobserved.has(name)),
    onlyReportsIdle: team.reportsIdle,
    onFailure: fail,
  });
  const publishState = (state: MemberStatus["state"]) =>
    void retryWhileDiskFull(() => ownPresence.set(state), retry).catch(fail);
  /** Publishes the lead's status again, so that callers waiting for the team check again. */
  const republishStatus = () => {
    const status = watch.statusOf(teamLead);
    const member = record.current().members.find(({ name }) => name === teamLead);
    if (status && member && !closing) options.onStatus(status, member);
  };
  const watch: PresenceWatch = createPresenceWatch({
    team,
    onChange: (status, member) => {
      if (isExternal(member) && !team.reportsIdle?.(member.name)) unobserved.add(member.name);
      else unobserved.delete(member.name);
      options.onStatus(status, member);
      idleDetector.onStatus(status);
      endings
        .observe(status)
        .catch((error: unknown) => warn(`cannot end ${status.name}: ${messageOf(error)}`))
        .catch(fail);
    },
    onRefresh: () => options.onProblems?.([...record.problems(), ...team.tasks.problems()]),
    onGone: (member, { reason: why, wasSeen }) =>
      isExternal(member) ? lifecycle.disconnected(member, { wasSeen }) : lifecycle.markLost(member, why),
    onFailure: fail,
  });

  const lifecycle = createTeammateLifecycle({
    ...options,
    team,
    link: () => link,
    watch: () => watch,
    memberOf,
    cap: (member) => ceiling.limitNewMember(member, options.mode()),
    forget: answers.forget,
  });

  const endings = createTeammateEndings({
    ...options,
    stopRequests,
    lifecycle: () => lifecycle,
    watch: () => watch,
    memberOf,
    onDone: () => republishStatus(),
  });

  const heartbeats = createHeartbeatTimeout({
    statuses: () => watch.all(),
    // For remote members the job decides: another worker may be about to adopt it.
    isRunHere: (name) => lifecycle.isRunning(name) && memberOf(name).worker === undefined,
    onSilent: lifecycle.onSilent,
    abort: lifecycle.abort,
    refresh: () => watch.refresh(),
    startMs: options.startMs,
    silentMs: options.silentMs,
    clock,
    onFailure: fail,
  });

  /** A member that reports idle publishes that state soon after, unless it found more work. */
  const awaitIdleState = async (name: string) => {
    for (let times = 0; times < 5; times++) {
      await watch.refresh();
      if (closing || watch.statusOf(name)?.state !== "working") return;
      await clock.sleep(20 * 2 ** times);
    }
  };

  const expectReport = (name: string) => {
    for (const member of reportingMembers())
      if (!member.ended && [member.name, member.agentId, "*"].includes(name)) idleDetector.onWorkSent(member.name);
  };

  const ceiling = createPermissionCeiling({ record, link: () => link, others, warnNotDelivered });

  const spawning = new Map<string, Promise<SpawnedTeammate>>();
  const spawn = async (request: TeammateRequest): Promise<SpawnedTeammate> => {
    const { worktree, backend, description, ...entry } = request;
    const backendChoice = backend ? { type: backend } : await options.defaultBackend();
    const notices = "notice" in backendChoice && backendChoice.notice !== undefined ? [backendChoice.notice] : [];
    const { member, isNew } = await record.join({
      ...entry,
      backendType: backendChoice.type,
      ...(worktree && { worktreePath: worktree.path, worktreeBranch: worktree.branch }),
    });
    if (!isNew && (lifecycle.isRunning(member.name) || member.ended)) return { member, isNew, notices };
    try {
      const capped = await ceiling.limitNewMember(member, options.mode());
      await link.send({ to: member.name, text: request.prompt, summary: description });
      return { member: await lifecycle.start(capped), isNew, notices };
    } catch (error) {
      const detail = messageOf(error);
      await record
        .end(member.name, { reason: "failed", detail })
        .catch((cause: unknown) => warn(`cannot record that ${member.name} has failed: ${messageOf(cause)}`));
      throw error;
    }
  };

  return {
    name: team.name,
    link,
    tasks: options.team.tasks,
    mailbox,
    send: sendWithDiskFullRetry(mailbox, { ...retry, createId: options.createId }),
    members: others,
    statuses: () => watch.all(),
    plans: () => answers.plans,
    answerPlan: answers.answerPlan,
    current: () => record.current(),
    openStopRequest: stopRequests.openRequestTo,
    async spawn(request) {
      // The same call, repeated before it got its answer.
      const call = `${request.startedBy} ${request.callId}`;
      const underWay = spawning.get(call);
      if (underWay) return { ...(await underWay), isNew: false };
      const spawned = spawn(request).finally(() => spawning.delete(call));
      spawning.set(call, spawned);
      return spawned;
    },
    async interrupt(name) {
      await link.send({ to: memberOf(name).name, body: { kind: "interrupt_request" } });
    },
    async stop(name, wanted = {}) {
      if (memberOf(name).ended) return { kind: "approved" };
      return endings.stop(name, wanted);
    },
    respawn: lifecycle.respawn,
    async setMode(name, mode) {
      const targets = name === "*" ? teammates().filter(({ ended }) => !ended) : [memberOf(name)];
      const own = options.mode();
      if (effectiveMode({ parent: own, definition: mode }).mode !== mode)
        throw new TroupeError("team", `Cannot set mode ${mode}: it allows more than the lead's own mode ${own}.`);
      for (const member of targets) {
        await record.change(member.name, { mode });
        const sent = link.send({ to: member.name, body: { kind: "mode_set_request", mode } });
        await (name === "*" ? sent.catch(warnNotDelivered(member.name)) : sent);
      }
    },
    expectReport,
    get isSettling() {
      return idleDetector.isSettling;
    },
    busyMembers() {
      const states = new Set<string>(["starting", "working", "waiting"]);
      return reportingMembers().filter(({ name, ended }) => {
        const status = watch.statusOf(name);
        const isBusy = idleDetector.hasUnreportedWork(name) || (status !== undefined && states.has(status.state));
        return endings.isEnding(name) || (!ended && isBusy);
      });
    },
    observe(envelope) {
      link.observe(envelope);
      if (envelope.event.type === "turn.started") publishState("working");
      if (envelope.event.type === "agent.idle") {
        publishState("idle");
        idleDetector.onLeadIdle();
      }
      if (envelope.event.type.startsWith("task.")) idleDetector.onTasksChanged();
      // Use the event's mode: the lead applies it only after it is stored.
      if (envelope.event.type === "agent.changed" && envelope.event.permissionMode)
        ceiling.onLeadMode(envelope.event.permissionMode).catch(fail);
      if (
        envelope.event.type === "mail.sent" &&
        envelope.event.team === team.name &&
        workMailKinds.has(envelope.event.kind)
      )
        expectReport(envelope.event.to);
    },
    async start() {
      const missing: string[] = [];
      for (const member of teammates()) {
        if (member.ended) continue;
        try {
          const attached = await (await options.backend(member.backendType)).attach(member);
          if (attached) lifecycle.track(member, attached);
          const capped = await ceiling.limitMember(member, { most: options.mode(), isRunning: attached !== undefined });
          if (!attached) {
            await sendInitialPrompt(member, { ...team, mailbox, link });
            await lifecycle.start(capped);
          }
        } catch (error) {
          if (!TroupeError.is(error)) throw error;
          missing.push(`cannot restart ${member.name}: ${error.message}`);
          await record.end(member.name, { reason: "lost", detail: error.message });
        }
      }
      missing.push(...(await lifecycle.releaseTasksOfEnded()));
      for (const name of await membersWithPendingWork(teammates(), mailbox)) idleDetector.onWorkSent(name);
      link.start();
      watch.start();
      heartbeats.start();
      await watch.refresh();
      return missing;
    },
    async close() {
      closing = true;
      over.abort();
      stopRequests.close();
      await endings.settled();
      await closeAll([
        idleDetector.close,
        // Suspended members withdraw their open requests.
        async () => {
          for (const problem of await lifecycle.suspendAll()) await warn(problem);
        },
        answers.close,
        heartbeats.close,
        watch.close,
        link.close,
        () => ownPresence.set("ended"),
        ownPresence.close,
      ]);
    },
  };
}
