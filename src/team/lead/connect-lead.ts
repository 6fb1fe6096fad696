import { troupeNotice } from "../../agent/index.ts";
import {
  isExternal,
  jobWaitOf,
  type Mail,
  type Member,
  type MemberStatus,
  type PromptId,
  teamLead,
  teamUser,
  TroupeError,
} from "../../protocol/index.ts";
import { memberOf } from "../mailbox/find-member.ts";
import { createMailSender, type MailSender } from "../mailbox/mail-sender.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";
import { createInboxConsumer, type InboxConsumer, promptIdOfMail } from "../mailbox/inbox-consumer.ts";
import { createPermissionResponder, type PermissionResponder } from "../requests/permission-responder.ts";
import { createSpawnHandlers, type SpawnRequest } from "../requests/spawn-requests.ts";
import { watchdogDefaults } from "../watchdog/stall-watchdog.ts";
import { createAllowTeamPath } from "./allow-team-path.ts";
import { createEndAnnouncements, type EndAnnouncements, endsKnownBefore } from "./announce-ends.ts";
import { createTeammateEndings, type TeammateEndings } from "./end-teammate.ts";
import { createLeadAttention, type LeadAttention } from "./lead-attention.ts";
import { type ExpectReports, withExpectedReports } from "./expect-reports.ts";
import type { LeadContext, LeadTeamOptions } from "./lead-context.ts";
import { createPermissionCeiling, type PermissionCeiling } from "./permission-ceiling.ts";
import { createPresenceWatch, type PresenceWatch } from "./presence-watch.ts";
import { reportWeight } from "./report-weight.ts";
import { unlandedWork } from "../storage/unlanded-work.ts";
import { seenBefore } from "./seen-before.ts";
import { createStopRequests, type StopRequests } from "./request-shutdown.ts";
import { createTeamObserver, type TeamObserver } from "./team-observer.ts";
import { createTeammateLifecycle, type TeammateLifecycle } from "./teammate-lifecycle.ts";

/** The parts of a team's lead, each created after those that it uses. */
export interface LeadParts {
  /** Expects reports for what is sent with it. */
  readonly mailbox: Mailbox;
  /** Sends as the lead. */
  readonly sender: MailSender;
  readonly watch: PresenceWatch;
  readonly attention: LeadAttention;
  readonly ceiling: PermissionCeiling;
  readonly answers: PermissionResponder;
  readonly stopRequests: StopRequests;
  readonly lifecycle: TeammateLifecycle;
  readonly ends: EndAnnouncements;
  readonly endings: TeammateEndings;
  readonly observer: TeamObserver;
  readonly link: InboxConsumer;
}

export function connectLead(options: LeadTeamOptions, context: LeadContext): LeadParts {
  const { team, members, fail, warn, warnNotDelivered } = context;
  const { lead, clock, conversation, createId } = options;
  const { record } = team;
  const watch = createPresenceWatch({ team, onFailure: fail, clock });
  const attention = createLeadAttention({
    lead,
    waiting: () => conversation.waiting,
    tasks: team.tasks,
    unlanded: () => unlandedWork(members.teammates(), options.worktrees.leftBy),
    mailbox: options.mailbox,
    refresh: () => watch.refresh(),
    names: () => members.reporting().flatMap(({ name, ended }) => (ended ? [] : [name])),
    askers: () => answers.plans,
    activityOf: (name) => activityText(watch.statusOf(name), clock.now()),
    onlyReportsIdle: team.reportsIdle,
    onGivenUp: (name) => tell(givenUpText(name)),
    onSettled: () => republishStatus(options, context, watch),
    onFailure: fail,
    clock,
    limits: definedLimits(options),
  });
  const mailbox = withExpectedReports(options.mailbox, (to) =>
    expectReports(to, options, { members, attention, watch }),
  );
  const retry = context.sendRetry;
  const sender = createMailSender({ team: team.name, name: teamLead, mailbox, agent: lead, createId, retry });
  const ceiling = createPermissionCeiling({ record, sender, others: members.others, warnNotDelivered });
  const tell = createTell(options, context, attention);
  const answers: PermissionResponder = createPermissionResponder({
    sender,
    lead,
    ask: options.permissions.ask,
    colorOf: members.colorOf,
    folderOf: members.folderOf,
    plansDecidedBy: options.permissions.plansBy,
    onPlanOpened: (requestId, plan) =>
      attention.notify({
        type: "request_opened",
        requestId,
        ...plan,
        seen: seenBefore(plan.promptId, { replayed: options.replayed, waiting: conversation.waiting }),
      }),
    onPlanClosed: (requestId) => attention.notify({ type: "request_closed", requestId }),
    allowPath: createAllowTeamPath({
      record,
      sender,
      memberOf: members.get,
      folderOf: (name) => lifecycle.folderOf(name),
      teammates: members.teammates,
      warnNotDelivered,
    }),
  });
  const stopRequests = createStopRequests({ ...options, sender, deadlineMs: options.limits.shutdownMs });
  const lifecycle: TeammateLifecycle = createTeammateLifecycle({
    team,
    lead,
    sender,
    watch,
    tell,
    backend: options.backends.open,
    memberOf: members.get,
    cap: (member) => ceiling.limitNewMember(member, options.permissions.mode()),
    forget: answers.forget,
    cleanUp: options.worktrees.cleanUp,
    clock,
  });
  const ends = createEndAnnouncements({
    team: team.name,
    lead,
    conversation,
    lifecycle,
    attention,
    leftWorktree: options.worktrees.leftBy,
    known: endsKnownBefore(members.others(), options.replayed),
    onFailure: fail,
  });
  const endings = createTeammateEndings({
    ...options,
    stopRequests,
    lifecycle,
    watch,
    memberOf: members.get,
    onAsked: (name) => attention.notify({ type: "asked_to_end", name }),
    onDone: (name) => {
      attention.notify({ type: "end_settled", name });
      republishStatus(options, context, watch);
    },
  });
  const observer = createTeamObserver({
    ...options,
    team,
    watch,
    members,
    lifecycle,
    endings,
    ends,
    attention,
    warn,
    onFailure: fail,
  });
  const parts = {
    mailbox,
    sender,
    watch,
    attention,
    ceiling,
    answers,
    stopRequests,
    lifecycle,
    ends,
    endings,
    observer,
  };
  return { ...parts, link: createLeadInbox(options, context, parts) };
}

/** The lead's inbox: reports, requests and answers of its members. */
function createLeadInbox(
  options: LeadTeamOptions,
  { members, warn, fail, closing }: LeadContext,
  { mailbox, sender, watch, attention, answers, stopRequests, lifecycle }: Omit<LeadParts, "link">,
): InboxConsumer {
  const { conversation, clock } = options;
  const spawnForMember = async (from: string, request: SpawnRequest) => {
    const member = members.get(from);
    if (member.ended) throw new TroupeError("agent", `${from} has ended, so no teammate was started for it.`);
    return options.spawnForMember?.(member, request) ?? "";
  };
  const onReport = async (mail: Mail) => {
    if (mail.body.kind !== "idle_notification") return;
    await lifecycle.settled(mail.from);
    const promptId = promptIdOfMail(mail.id);
    // A lead that runs may have read it already.
    const isRead = !conversation.waiting.includes(promptId);
    const report = { name: mail.from, hasFailed: mail.body.idleReason === "failed" };
    attention.notify(
      isRead
        ? { type: "report_read", ...report }
        : { type: "report", ...report, promptId, weight: reportWeight(mail.body) },
    );
  };
  /** A member that reports idle publishes that state soon after, unless it found more work. */
  const awaitIdleState = async (name: string) => {
    for (let times = 0; times < 5; times++) {
      await watch.refresh();
      if (closing.aborted || watch.statusOf(name)?.state !== "working") return;
      await clock.sleep(20 * 2 ** times);
    }
  };
  return createInboxConsumer({
    sender,
    mailbox,
    agent: options.lead,
    conversation,
    wake: attention.wakeForMail,
    handlers: {
      ...answers.handlers,
      ...stopRequests.handlers,
      ...createSpawnHandlers({ sender, start: options.spawnForMember && spawnForMember, warn }),
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
    onAdmitted: async (mail) => {
      // The limit of wakes ends a team that keeps itself busy. Mail of the user is a prompt.
      attention.notify(mail.from === teamUser ? { type: "user_prompt" } : { type: "sign", name: mail.from });
      await onReport(mail);
      awaitIdleState(mail.from).catch(fail);
    },
    onFailure: fail,
    clock,
  });
}

/** Members that have ended report nothing. A member that already owes a report still owes it after a failed mail. */
function expectReports(
  to: string,
  options: LeadTeamOptions,
  { members, attention, watch }: Pick<LeadContext, "members"> & Pick<LeadParts, "attention" | "watch">,
): ReturnType<ExpectReports> {
  const reporting = members.reporting().filter(({ ended }) => !ended);
  const receiver = memberOf(to, reporting);
  const expected = new Map<string, () => void>();
  for (const member of to === "*" ? reporting : receiver ? [receiver] : []) {
    const { name } = member;
    const isUnseen = isExternal(member) && watch.statusOf(name)?.alive !== "alive";
    if (!attention.hasUnreportedWork(name)) expected.set(name, () => attention.notify({ type: "work_dropped", name }));
    attention.notify({ type: "work_sent", name, ...(isUnseen && { limitMs: signLimitMs(options) }) });
  }
  return expected;
}

/** Tells the user, and the lead at its next turn, which this causes. */
const createTell =
  (
    { lead, conversation, createId }: Pick<LeadTeamOptions, "lead" | "conversation" | "createId">,
    { warn }: Pick<LeadContext, "warn">,
    attention: LeadAttention,
  ) =>
  async (text: string): Promise<void> => {
    const promptId = createId<PromptId>("prm");
    await warn(text);
    const parts = [{ type: "text" as const, text: troupeNotice(text) }];
    await lead.admitOnce({ promptId, source: "agent", parts, quiet: true });
    if (conversation.waiting.includes(promptId)) attention.notify({ type: "notice", promptId });
  };

/** `waits for background command npm test, 40 s`. */
function activityText(status: MemberStatus | undefined, now: number): string | undefined {
  const wait = status && jobWaitOf(status);
  return wait && `${wait}, ${Math.round((now - Date.parse(status.since)) / 1000)} s`;
}

/** Publishes the lead's status again, so that callers waiting for the team check again. */
function republishStatus({ onStatus }: LeadTeamOptions, { team, closing }: LeadContext, watch: PresenceWatch): void {
  const status = watch.statusOf(teamLead);
  const member: Member | undefined = team.record.current().members.find(({ name }) => name === teamLead);
  if (status && member && !closing.aborted) onStatus(status, member);
}

const definedLimits = ({ limits: { maxWakes, gatherMs } }: LeadTeamOptions) => ({
  ...(maxWakes !== undefined && { maxWakes }),
  ...(gatherMs !== undefined && { gatherMs }),
});

/** How long a member that has never shown a sign is waited for. */
const signLimitMs = ({ limits }: Pick<LeadTeamOptions, "limits">): number => limits.startMs ?? watchdogDefaults.startMs;

const givenUpText = (name: string) =>
  `${name} has shown no sign since it was added: its program does not seem to run. It is no longer waited for. Its mail waits for it.`;
