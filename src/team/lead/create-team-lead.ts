import { effectiveMode } from "../../agent/definitions/index.ts";
import { closeAll } from "../../platform/index.ts";
import { type Envelope, type Member, TroupeError } from "../../protocol/index.ts";
import { isMailPrompt } from "../mailbox/inbox-consumer.ts";
import { sendWithDiskFullRetry } from "../storage/disk-full-retry-team.ts";
import { connectLead, type LeadParts } from "./connect-lead.ts";
import { type LeadContext, type LeadTeamOptions, openLeadContext } from "./lead-context.ts";
import type { LeadTeam } from "./lead-team.ts";
import { pendingOnResume } from "./pending-on-resume.ts";
import { sendInitialPrompt } from "./send-initial-prompt.ts";
import { createSpawns } from "./spawn-member.ts";

/** Leads a team: starts and ends its members, answers them, and wakes the lead when it has something to do. */
export async function createTeamLead(options: LeadTeamOptions): Promise<LeadTeam> {
  const context = await openLeadContext(options);
  const parts = connectLead(options, context);
  const lead = { options, context, parts };
  const { team, members } = context;
  const { watch, attention, answers, stopRequests, lifecycle, endings, link } = parts;
  return {
    name: team.name,
    link,
    tasks: options.team.tasks,
    mailbox: parts.mailbox,
    send: sendWithDiskFullRetry(parts.mailbox, { ...context.retry, createId: options.createId }),
    members: members.others,
    statuses: () => watch.all(),
    plans: () => answers.plans,
    answerPlan: answers.answerPlan,
    current: () => team.record.current(),
    pendingEnd: (name) => {
      const requestId = stopRequests.openRequestTo(name);
      return requestId !== undefined || endings.isEnding(name) ? { requestId } : undefined;
    },
    spawn: createSpawns(options, context, parts),
    async interrupt(name) {
      await parts.sender.send({ to: members.get(name).name, body: { kind: "interrupt_request" } });
    },
    async stop(name, wanted = {}) {
      const member = members.get(name);
      return member.ended ? { kind: "approved" } : endings.stop(member.name, wanted);
    },
    respawn: (name) => lifecycle.respawn(members.get(name).name),
    setMode: (name, mode) => setMode(name, mode, lead),
    get isSettling() {
      return attention.isSettling;
    },
    busyMembers: () => members.reporting().filter((member) => isBusy(member, parts)),
    observe: (envelope) => observe(envelope, lead),
    start: () => start(lead),
    close: () => close(context, parts),
  };
}

interface Lead {
  readonly options: LeadTeamOptions;
  readonly context: LeadContext;
  readonly parts: LeadParts;
}

const busyStates = new Set<string>(["starting", "working", "waiting", "draining"]);

function isBusy({ name, ended }: Member, { watch, attention, endings }: LeadParts): boolean {
  if (endings.isEnding(name)) return true;
  if (ended || attention.isGivenUp(name)) return false;
  return attention.hasUnreportedWork(name) || busyStates.has(watch.statusOf(name)?.state ?? "");
}

async function setMode(
  name: string,
  mode: Parameters<LeadTeam["setMode"]>[1],
  { options: { permissions }, context, parts: { sender } }: Lead,
): Promise<void> {
  const { members, team, warnNotDelivered } = context;
  const targets = name === "*" ? members.teammates().filter(({ ended }) => !ended) : [members.get(name)];
  const own = permissions.mode();
  if (effectiveMode({ parent: own, definition: mode }).mode !== mode)
    throw new TroupeError("team", `Cannot set mode ${mode}: it allows more than the lead's own mode ${own}.`);
  for (const member of targets) {
    await team.record.change(member.name, { mode });
    const sent = sender.send({ to: member.name, body: { kind: "mode_set_request", mode } });
    await (name === "*" ? sent.catch(warnNotDelivered(member.name)) : sent);
  }
}

function observe(envelope: Envelope, lead: Lead): void {
  const { event } = envelope;
  const { context } = lead;
  const { attention, ceiling, link } = lead.parts;
  link.observe(envelope);
  switch (event.type) {
    case "prompt.admitted":
      if (event.source === "user") attention.notify({ type: "user_prompt" });
      return;
    case "prompt.promoted":
      return attention.notify({ type: "read", promptId: event.promptId });
    case "turn.started":
      context.publishState("working");
      return attention.notify({ type: "lead_started" });
    case "turn.ended":
      return attention.notify({ type: "lead_answered" });
    case "agent.idle":
      context.publishState("idle");
      return attention.leadIdle();
    case "agent.changed":
      // Use the event's mode: the lead applies it only after it is stored.
      if (event.permissionMode) ceiling.onLeadMode(event.permissionMode).catch(context.fail);
      return;
    default:
      if (event.type.startsWith("task.")) attention.notify({ type: "tasks_changed" });
  }
}

async function start({ options, context, parts }: Lead): Promise<readonly string[]> {
  const { team, members } = context;
  const { sender, lifecycle, attention, ceiling, ends, link, observer } = parts;
  const notices: string[] = [];
  const ranOn = new Set<string>();
  for (const member of members.teammates()) {
    if (member.ended) continue;
    try {
      const attached = await (await options.backends.open(member.backendType)).attach(member);
      if (attached) lifecycle.track(member, attached);
      if (attached) ranOn.add(member.name);
      const isRunning = attached !== undefined;
      const wider = options.permissions.followedBy?.(member);
      if (wider !== undefined && wider !== "bubble") {
        await sender.send({ to: member.name, body: { kind: "mode_set_request", mode: wider } });
        notices.push(`${member.name} works in ${wider} now, as you do.`);
      }
      const followed = wider === undefined ? member : await team.record.change(member.name, { mode: wider });
      const capped = await ceiling.limitMember(followed, { most: options.permissions.mode(), isRunning });
      if (!attached) {
        await sendInitialPrompt(member, { ...team, mailbox: options.mailbox, sender });
        await lifecycle.start(capped);
      }
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      notices.push(`cannot restart ${member.name}: ${error.message}`);
      ends.isToldOtherwise(member.name);
      await team.record.end(member.name, { reason: "lost", detail: error.message });
    }
  }
  notices.push(...(await lifecycle.releaseTasksOfEnded()));
  const pending = await pendingOnResume(members.teammates(), {
    mailbox: options.mailbox,
    lead: options.lead,
    replayed: options.replayed,
    ranOn: (name) => ranOn.has(name),
  });
  for (const name of pending.failed) attention.notify({ type: "report_read", name, hasFailed: true });
  for (const name of pending.awaited) attention.awaitResumed(name);
  // Reports that a previous run of the lead has not read.
  for (const promptId of options.conversation.waiting)
    if (isMailPrompt(promptId)) attention.notify({ type: "report", name: "", promptId, weight: "answer" });
  link.start();
  await observer.start();
  return notices;
}

async function close(context: LeadContext, parts: LeadParts): Promise<void> {
  const { lifecycle, attention, answers, stopRequests, endings, link, observer } = parts;
  context.close("work");
  stopRequests.close();
  await endings.settled();
  await closeAll([
    attention.close,
    // Suspended members withdraw their open requests.
    async () => {
      for (const problem of await lifecycle.suspendAll()) await context.warn(problem);
    },
    answers.close,
    observer.close,
    link.close,
    async () => context.close("sending"),
    () => context.presence.set("ended"),
    context.presence.close,
  ]);
}
