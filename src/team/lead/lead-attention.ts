import { type Agent, openPlansPrompt, teamIdlePrompt, teamNewsPrompt } from "../../agent/index.ts";
import { type Clock, rejectOnAbort } from "../../platform/index.ts";
import type { PromptId, RequestId } from "../../protocol/index.ts";
import { busyMembers } from "./busy-members.ts";
import { type InspectIdleTeamPorts, inspectWithRetry, untilNothingToReport } from "./inspect-idle-team.ts";
import {
  attend,
  type AttentionEffect,
  type AttentionEvent,
  type AttentionLimits,
  attentionLimits,
  noAttention,
  type TeamAttention,
  type WakeReason,
} from "./team-attention.ts";

/** Runs the state machine of `team-attention.ts` for one lead: looks closer, keeps time and wakes the lead. */
export interface LeadAttention {
  notify(event: Untimed<AttentionEvent>): void;
  /** Waits for the report of a member with unread mail, unless the member has acted on the mail in a previous run. */
  awaitResumed(name: string): void;
  /** The lead announced that it is idle. Its run ends only after that. */
  leadIdle(): void;
  /** The lead counts as having something to do until this is over. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Wakes the lead for mail, unless it was woken too often without a prompt of the user. */
  wakeForMail(): void;
  /** True while it is not yet known whether the lead has something to do. */
  readonly isSettling: boolean;
  /** True if this member got work and has not reported idle since. */
  hasUnreportedWork(name: string): boolean;
  /** True for a member that has never shown a sign and is no longer waited for. */
  isGivenUp(name: string): boolean;
  close(): Promise<void>;
}

type Untimed<E> = E extends unknown ? Omit<E, "at"> : never;

export interface LeadAttentionPorts
  extends Omit<InspectIdleTeamPorts, "hasFailed" | "isOnItsWay" | "onUnread" | "onWorkFound" | "pause"> {
  readonly lead: Pick<Agent, "admit" | "wake" | "running" | "settled" | "hasPrompt" | "record">;
  /** The prompts that the lead has not read. */
  readonly waiting: () => readonly PromptId[];
  /** The members that wait for the lead's answer, by request id. */
  readonly askers: () => ReadonlyMap<string, { readonly from: string }>;
  /** The activity that a working member has published, with its duration. */
  readonly activityOf: (name: string) => string | undefined;
  /** Called when a member that never showed a sign is no longer waited for. */
  readonly onGivenUp: (name: string) => Promise<void>;
  /** Called whenever everything is settled. The lead is woken by then if it has something to do. */
  readonly onSettled: () => void;
  /** Called after repeated failures. */
  readonly onFailure: (error: unknown) => void;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly limits?: Partial<AttentionLimits> | undefined;
}

export function createLeadAttention(ports: LeadAttentionPorts): LeadAttention {
  const { clock, lead } = ports;
  const limits = { ...attentionLimits, ...ports.limits };
  const over = new AbortController();
  let state: TeamAttention = noAttention;
  let unread: ReadonlySet<string> = new Set();
  const givenUp = new Set<string>();
  let timer = new AbortController();
  const ongoing = new Set<Promise<unknown>>();

  const during = async <T>(work: Promise<T>): Promise<T> => {
    ongoing.add(work);
    try {
      return await work;
    } finally {
      ongoing.delete(work);
      if (ongoing.size === 0 && !over.signal.aborted) ports.onSettled();
    }
  };
  const inBackground = (work: Promise<void>) =>
    void during(work).catch((error: unknown) => {
      if (!over.signal.aborted) ports.onFailure(error);
    });

  const notify: LeadAttention["notify"] = (event) => {
    if (over.signal.aborted) return;
    if (event.type === "sign" || event.type === "report") givenUp.delete(event.name);
    if (event.type === "report") unread = new Set([...unread].filter((name) => name !== event.name));
    const next = attend(state, { ...event, at: clock.monotonic() }, limits);
    state = next.state;
    for (const effect of next.effects) carryOut(effect);
  };

  const carryOut = (effect: AttentionEffect): void => {
    switch (effect.type) {
      case "inspect":
        return inBackground(inspect());
      case "wake":
        return inBackground(wake(effect.reason));
      case "tick_at":
        return tickAt(effect.at);
      case "give_up":
        return effect.names.forEach((name) => inBackground(giveUp(name)));
      case "exhausted":
        return inBackground(reportExhausted());
    }
  };

  const inspect = async () => {
    const finding = await inspectWithRetry({
      ...ports,
      hasFailed: (name) => state.failed.has(name),
      isOnItsWay: (report) => isUnknown(report, state, ports),
      pause: (ms) => clock.sleep(ms, over.signal).catch(() => undefined),
      onUnread: (names) => void (unread = new Set(names)),
      onWorkFound: (name) => notify({ type: "work_sent", name }),
    });
    notify({ type: "inspected", finding });
  };

  const wake = async (reason: WakeReason) => {
    const text = await wakeText(reason, state, ports);
    // The request was answered in the meantime.
    if (text === undefined) return notify({ type: "lead_idle", waiting: ports.waiting() });
    if (lead.running && isReadAnyway(reason)) return void (state = { ...state, lead: "working" });
    await lead.admit("agent", [{ type: "text", text }]);
    if (!over.signal.aborted) lead.wake();
  };

  const tickAt = (at: number) => {
    timer.abort();
    timer = new AbortController();
    const { signal } = timer;
    void clock.sleep(Math.max(0, at - clock.monotonic()), AbortSignal.any([signal, over.signal])).then(
      () => notify({ type: "tick" }),
      () => undefined, // another time is wanted, or the team is closed
    );
  };

  /** A member that has read its mail is there. */
  const giveUp = async (name: string) => {
    const mail = await ports.mailbox.readUnread(name);
    if (mail.length === 0) return notify({ type: "work_sent", name });
    givenUp.add(name);
    await ports.onGivenUp(name);
  };

  const reportExhausted = () =>
    lead.record({ type: "notice.raised", level: "warning", code: "member", message: exhaustedText(limits) });

  const leadSettled = async () => {
    // A failed lead reports that itself. One that deletes its team runs until the team is closed.
    await Promise.allSettled([rejectOnAbort(lead.settled(), over.signal)]);
    if (over.signal.aborted) return;
    // A notice that is on its way wakes the lead again.
    if (!lead.running && state.lead !== "waking") notify({ type: "lead_idle", waiting: ports.waiting() });
  };

  const resumed = createResumedWait(ports, { notify, state: () => state, over: over.signal });
  return {
    notify,
    during,
    awaitResumed: resumed.expect,
    leadIdle: () => inBackground(leadSettled()),
    wakeForMail() {
      if (state.wakes < limits.maxWakes) return lead.wake();
      if (!state.isExhausted) inBackground(reportExhausted());
      state = { ...state, isExhausted: true };
    },
    get isSettling() {
      return ongoing.size > 0 || state.inspection === "awaits_report";
    },
    hasUnreportedWork: (name) => state.awaited.has(name) || unread.has(name),
    isGivenUp: (name) => givenUp.has(name),
    async close() {
      over.abort(new DOMException("this process no longer leads the team", "AbortError"));
      await Promise.allSettled([...ongoing, resumed.settled()]);
    },
  };
}

/** A lead that runs reads the news anyway, or is woken after its run. Open tasks and branches are in no other prompt. */
const isReadAnyway = (reason: WakeReason): boolean =>
  reason.kind === "news" || (reason.kind === "team_idle" && reason.openTasks.length === 0 && !reason.unlanded);

/** Waits for members that were resumed with unread mail. One whose marks were lost reports no second time. */
function createResumedWait(
  ports: LeadAttentionPorts,
  { notify, state, over }: { notify: LeadAttention["notify"]; state: () => TeamAttention; over: AbortSignal },
) {
  /** They take as long as the members work, so the team settles without them. */
  const looks: Promise<void>[] = [];
  const isAwaited = (name: string) => state().awaited.has(name) && !over.aborted;

  const dropIfReported = async (name: string) => {
    try {
      await untilNothingToReport(name, {
        ...ports,
        isOnItsWay: (report) => isUnknown(report, state(), ports),
        pause: (ms) => ports.clock.sleep(ms, over).catch(() => undefined),
        isIdle: () => state().members.get(name) === "idle",
        isOver: () => !isAwaited(name),
      });
      if (isAwaited(name)) notify({ type: "work_dropped", name });
    } catch (error) {
      if (!over.aborted) ports.onFailure(error);
    }
  };

  return {
    expect(name: string) {
      notify({ type: "work_sent", name });
      if (!ports.onlyReportsIdle?.(name)) looks.push(dropIfReported(name));
    },
    settled: () => Promise.all(looks),
  };
}

const exhaustedText = ({ maxWakes }: AttentionLimits) =>
  `The lead was woken ${maxWakes} times since the last prompt and is not woken again (teams.maxWakes). Send a prompt to continue.`;

/** A report is in the conversation a moment before its news is known here, or longer while the disk is full. */
async function isUnknown(
  report: PromptId,
  { news }: TeamAttention,
  { lead, waiting }: Pick<LeadAttentionPorts, "lead" | "waiting">,
): Promise<boolean> {
  if (!(await lead.hasPrompt(report))) return true;
  return waiting().includes(report) && !news.some(({ promptId }) => promptId === report);
}

async function wakeText(
  reason: WakeReason,
  state: TeamAttention,
  { askers, tasks, activityOf }: Pick<LeadAttentionPorts, "askers" | "tasks" | "activityOf">,
): Promise<string | undefined> {
  const open = [...askers()].map(([requestId, { from }]) => ({ from, requestId }));
  switch (reason.kind) {
    case "team_idle": {
      // A plan without a turn is in the conversation that this wake shows.
      const plans = open.filter(({ requestId }) => state.requests.get(requestId as RequestId)?.seen === "had_turn");
      return teamIdlePrompt({ ...reason, plans });
    }
    case "news":
      return teamNewsPrompt(busyMembers(reason.working, state, { tasks: await tasks.list(), activityOf }));
    case "request": {
      const plans = open.filter(({ requestId }) => reason.requestIds.some((each) => each === requestId));
      return plans.length === 0 ? undefined : openPlansPrompt(plans);
    }
  }
}
