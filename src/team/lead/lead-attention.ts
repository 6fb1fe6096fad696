import { type Agent, openPlansPrompt, teamIdlePrompt, teamNewsPrompt } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";
import type { PromptId } from "../../protocol/index.ts";
import { busyMembers } from "./busy-members.ts";
import { type InspectIdleTeamPorts, inspectWithRetry } from "./inspect-idle-team.ts";
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
  extends Omit<InspectIdleTeamPorts, "hasFailed" | "onUnread" | "onWorkFound" | "pause" | "lead"> {
  readonly lead: () => Pick<Agent, "admit" | "wake" | "running" | "settled" | "hasPrompt" | "record">;
  /** The prompts that the lead has not read. */
  readonly waiting: () => readonly PromptId[];
  /** The members that wait for the lead's answer, by request id. */
  readonly askers: () => ReadonlyMap<string, { readonly from: string }>;
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
    // A lead that runs reads the news anyway. Open tasks are in no other prompt.
    if (lead().running && (reason.kind === "news" || (reason.kind === "team_idle" && reason.openTasks.length === 0)))
      return;
    await lead().admit("agent", [{ type: "text", text }]);
    if (!over.signal.aborted) lead().wake();
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

  const reportExhausted = () => {
    const message = `The lead was woken ${limits.maxWakes} times since the last prompt and is not woken again (teams.maxWakes). Send a prompt to continue.`;
    return lead().record({ type: "notice.raised", level: "warning", code: "member", message });
  };

  const leadSettled = async () => {
    await Promise.allSettled([lead().settled()]); // a failed lead reports that itself
    // A notice that is on its way wakes the lead again.
    if (!lead().running && state.lead !== "waking") notify({ type: "lead_idle", waiting: ports.waiting() });
  };

  return {
    notify,
    during,
    leadIdle: () => inBackground(leadSettled()),
    wakeForMail() {
      if (state.wakes < limits.maxWakes) return lead().wake();
      if (state.isExhausted) return;
      state = { ...state, isExhausted: true };
      inBackground(reportExhausted());
    },
    get isSettling() {
      return ongoing.size > 0 || state.inspection === "awaits_report";
    },
    hasUnreportedWork: (name) => state.awaited.has(name) || unread.has(name),
    isGivenUp: (name) => givenUp.has(name),
    async close() {
      over.abort(new DOMException("this process no longer leads the team", "AbortError"));
      await Promise.allSettled(ongoing);
    },
  };
}

async function wakeText(
  reason: WakeReason,
  state: TeamAttention,
  { askers, tasks }: Pick<LeadAttentionPorts, "askers" | "tasks">,
): Promise<string | undefined> {
  const open = [...askers()].map(([requestId, { from }]) => ({ from, requestId }));
  switch (reason.kind) {
    case "team_idle":
      return teamIdlePrompt({ ...reason, plans: open });
    case "news":
      return teamNewsPrompt(busyMembers(reason.working, state, await tasks.list()));
    case "request": {
      const plans = open.filter(({ requestId }) => reason.requestIds.some((each) => each === requestId));
      return plans.length === 0 ? undefined : openPlansPrompt(plans);
    }
  }
}
