import type { AgentReport, RunOutcome } from "../../agent/index.ts";
import { type ContentPart, leadPath, messageOf, type PromptId } from "../../protocol/index.ts";
import type { Subagent, SubagentOptions, PromptSender } from "./subagent.ts";
import { type SubagentActivation, createActivation } from "./subagent-activation.ts";
import type { SubagentRuntime } from "./subagent-runtime.ts";
import { checkReport } from "./check-report.ts";
import { createSlotLending, type SlotLending } from "../limits/lend-slot.ts";
import { progressLine } from "./progress-line.ts";
import { createRepetitionDetector } from "../watchdog/repetition-detector.ts";
import type { AgentSlot } from "../limits/agent-slots.ts";
import { summarizeProgress } from "./summarize-activity.ts";
import { createStallWatchdog, waitForStall } from "../watchdog/stall-watchdog.ts";

/** All state of the first runtime is in `activation`, so that eviction frees it. */
export function createSubagent({
  runtime: firstRuntime,
  finishWorktree: finishFirstWorktree,
  ...options
}: SubagentOptions): Subagent {
  const { clock, sideQuestions: asides, id, path, name, definition, description, parent, isFork } = options;
  const activate = (runtime: SubagentRuntime) => createActivation(runtime, { history: asides?.history ?? false });
  let activation: SubagentActivation | undefined = activate(firstRuntime);
  let finishWorktree = finishFirstWorktree;
  let waking: Promise<SubagentActivation> | undefined;
  let evicting: Promise<void> = Promise.resolve();
  const closeController = new AbortController();
  /** Side questions in progress. */
  const pendingSideQuestions = new Set<Promise<void>>();
  const repetition = createRepetitionDetector();
  const listeners = new Set<(text: string) => void>();
  let ended: { readonly status: "stopped" | "failed"; readonly reason: string } | undefined;
  /** `finishing`: it has reported, and its worktree is being kept or removed. */
  let phase: "resting" | "working" | "finishing" = "resting";
  let lastRun: Promise<unknown> = Promise.resolve();
  const pendingMessages = new Set<Promise<void>>();
  /** Messages sent during a run that no answer covers yet. */
  const unanswered = new Map<PromptId, "waiting" | "promoted">();
  let output = "";
  let slotLending: SlotLending | undefined;
  const newWatchdog = () =>
    createStallWatchdog({ clock, settings: options.watchdog, mayBeSilent: (tool) => tool === "Agent" });
  let watch = newWatchdog();

  options.listen((envelope) => {
    const { event } = envelope;
    activation?.observe(envelope);
    watch.observe(event);
    if (event.type === "prompt.admitted" && (event.source === "agent" || event.source === "user"))
      unanswered.set(event.promptId, "waiting");
    if (event.type === "prompt.promoted" && unanswered.has(event.promptId)) unanswered.set(event.promptId, "promoted");
    if (event.type === "turn.ended") {
      for (const [promptId, state] of unanswered) if (state === "promoted") unanswered.delete(promptId);
      for (const part of event.parts) if (part.type === "text") write(`${part.text}\n`);
    }
    if (event.type === "tool.called") write(`  ${event.title}\n`);
    if (event.type === "context.compacted")
      trackSideQuestion(activation?.summarizeHistory?.("compacted", closeController.signal));
    const repeated = repetition.observe(event);
    if (repeated?.kind === "warning") void warn(repeated.message);
    if (repeated?.kind === "verdict") void abort(repeated.message);
  });

  const trackSideQuestion = (asking: Promise<void> | undefined) => {
    if (!asking) return;
    const tracked = asking.finally(() => pendingSideQuestions.delete(tracked));
    pendingSideQuestions.add(tracked);
  };

  const warn = async (text: string) => {
    const agent = activation?.runtime.agent;
    try {
      await agent?.admit("hook", [{ type: "text", text }]);
    } catch (error) {
      await agent?.fail(error);
    }
  };

  const write = (text: string) => {
    output = (output + text).slice(-outputLimit);
    for (const listener of listeners) listener(text);
  };

  const interrupt = async (reason: string) => {
    ended ??= { status: "stopped", reason };
    await activation?.runtime.agent.interrupt({ hold: true });
  };

  /** Ends a run that failed without noticing, on the watchdog's verdict. The report says failed, not stopped. */
  const abort = async (reason: string) => {
    ended ??= { status: "failed", reason };
    await activation?.runtime.agent.interrupt({ hold: true, verdict: reason });
  };

  const wake = (): Promise<SubagentActivation> => {
    if (activation) return Promise.resolve(activation);
    waking ??= reopen().finally(() => {
      waking = undefined;
    });
    return waking;
  };

  const reopen = async (): Promise<SubagentActivation> => {
    await evicting;
    const reopenedRuntime = await options.reopen();
    finishWorktree = reopenedRuntime.finishWorktree;
    const reopened = (activation = activate(reopenedRuntime.runtime));
    await reopenedRuntime.runtime.resume();
    return reopened;
  };

  const report = (
    { evidence, lastText: lastWords, runtime }: SubagentActivation,
    outcome: RunOutcome | undefined,
  ): AgentReport => {
    const continuesRemotely = runtime.continuesRemotely?.() ?? false;
    const end =
      (continuesRemotely ? { status: "stopped" as const, reason: continuesRemotelyReason } : undefined) ??
      ended ??
      (outcome?.reason === "interrupted" ? { status: "stopped" as const, reason: "it was interrupted" } : undefined);
    const status = end?.status ?? (outcome?.reason === "completed" ? "completed" : "failed");
    const { text: words, usage } = evidence();
    const who = { agentId: id, name, description };
    return {
      ...who,
      status,
      text: lastWords(),
      reason: end?.reason ?? (status === "failed" ? (outcome?.detail ?? "no reason was given") : undefined),
      evidence: [words, ...unansweredLine(unanswered.size)].join("\n"),
      isForLead: isChildOfLead(path),
      usage,
      ...(continuesRemotely && { goesOn: continuesRemotely }),
    };
  };

  const work = async (
    parts: readonly ContentPart[],
    by: PromptSender,
    onDelivered: () => void,
  ): Promise<AgentReport> => {
    let active: SubagentActivation;
    try {
      active = await wake();
    } catch (error) {
      phase = "finishing";
      onDelivered();
      return notStartedReport(options, error);
    }
    const { agent } = active.runtime;
    const watched = new AbortController();
    watch = newWatchdog();
    if (active.runtime.isAtWork) for (const { event } of active.runtime.replayed) watch.observe(event);
    const watching = waitForStall(watch, clock, watched.signal).then(
      (verdict) => abort(verdict.message),
      (error: unknown) => {
        if (!watched.signal.aborted) throw error;
      },
    );
    try {
      if (parts.length > 0) unanswered.delete(await agent.admit(by, parts));
      onDelivered();
      // An interrupt before the start counts.
      if (ended === undefined) agent.resume();
      let outcome = await settled(active.runtime);
      // Messages being sent belong to this run. It ends when none is pending.
      while (pendingMessages.size > 0) {
        await Promise.all(pendingMessages);
        outcome = await settled(active.runtime);
      }
      return report(active, outcome);
    } finally {
      phase = "finishing";
      watched.abort();
      await watching;
      await active.runtime.stopLeftovers();
    }
  };

  const finish = async (assembled: Promise<AgentReport>, slot: AgentSlot): Promise<AgentReport> => {
    try {
      const runReport = await assembled;
      const ask = activation?.runtime.askSideQuestion;
      const reportCheck =
        asides?.reportCheck && !runReport.goesOn
          ? await checkReport(runReport, { ask, clock, signal: closeController.signal })
          : undefined;
      try {
        return {
          ...runReport,
          handOver: reportCheck,
          worktree: runReport.goesOn ? undefined : await finishWorktree?.(),
        };
      } catch (error) {
        return {
          ...runReport,
          handOver: reportCheck,
          evidence: `${runReport.evidence}\nCannot clean up its worktree: ${messageOf(error)}`,
        };
      }
    } finally {
      phase = "resting";
      slot.release();
      trackSideQuestion(activation?.summarizeHistory?.("ended", closeController.signal));
      options.onIdle?.(subagent);
    }
  };

  const evict = async (active: SubagentActivation) => {
    await Promise.all(pendingSideQuestions);
    await active.runtime.settled();
    // It may have been resumed in the meantime.
    if (activation !== active || phase !== "resting") return;
    activation = undefined;
    output = "";
    await active.runtime.close();
  };

  const subagent: Subagent = {
    id,
    path,
    name,
    definition,
    description,
    parent,
    isFork,
    get running() {
      return phase === "working";
    },
    get isIdle() {
      return phase === "resting";
    },
    run(parts, slot, by = "agent") {
      if (phase !== "resting") throw new Error(`cannot run ${path} twice: it is ${phase}`);
      phase = "working";
      options.onWake?.(subagent);
      slotLending = createSlotLending(slot);
      ended = undefined;
      output = "";
      let markDelivered: () => void = () => undefined;
      const delivered = new Promise<void>((resolve) => (markDelivered = resolve));
      const assembled = work(parts, by, markDelivered);
      const done = finish(assembled, slot);
      lastRun = Promise.allSettled([done]);
      return { reported: assembled, done, delivered };
    },
    async sendMessage(parts, by = "agent") {
      if (phase !== "working") return false;
      // It is being opened from its log. The run reports a failure.
      await waking?.catch(() => undefined);
      const agent = activation?.runtime.agent;
      if (phase !== "working" || !agent) return false;
      const admitted = agent.admit(by, parts).then(() => agent.wake());
      pendingMessages.add(admitted);
      await admitted.finally(() => pendingMessages.delete(admitted));
      return true;
    },
    lendSlot: async () => slotLending?.lend() ?? (async () => undefined),
    whenIdle: async () => void (await lastRun),
    wake: async () => void (await wake()),
    interrupt,
    onText(listener, { fromStart } = { fromStart: false }) {
      if (fromStart && output !== "") listener(output);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    progress: () => (phase === "working" && activation ? progressLine(activation) : undefined),
    showProgress() {
      const stopped = new AbortController();
      const summarize = async () => {
        await waking?.catch(() => undefined);
        if (!asides?.progress || !activation?.runtime.askSideQuestion || stopped.signal.aborted) return;
        const { activity: doings, runtime } = activation;
        const signal = AbortSignal.any([stopped.signal, closeController.signal]);
        await summarizeProgress(
          {
            activity: doings,
            ask: activation.runtime.askSideQuestion,
            record: (event) => runtime.agent.record(event),
            clock,
          },
          signal,
        );
      };
      trackSideQuestion(summarize());
      return () => stopped.abort();
    },
    evict() {
      if (!activation || phase !== "resting") return;
      evicting = evict(activation);
      // The next resume or close reports a failure.
      evicting.catch(() => undefined);
    },
    async close() {
      closeController.abort(new DOMException("the session is closed", "AbortError"));
      if (phase === "working") await interrupt("the session was closed");
      await lastRun;
      await Promise.all(pendingSideQuestions);
      const active = activation;
      activation = undefined;
      await active?.runtime.close();
      await evicting;
    },
  };
  return subagent;
}

const isChildOfLead = (path: string) => path.startsWith(`${leadPath}/`) && path.split("/").length === 2;

const continuesRemotelyReason =
  "the session was closed; the agent continues on another machine and reports when the session is resumed";

/** How much of its output is kept for listeners that come later. */
const outputLimit = 1_000_000;

function unansweredLine(count: number): string[] {
  if (count === 0) return [];
  const messages = count === 1 ? "1 message was" : `${count} messages were`;
  return [`${messages} not read: it ended before it could answer. Send it again if it is still needed.`];
}

/** A crash counts as a failed run: the parent gets the reason and continues. */
async function settled(runtime: SubagentRuntime): Promise<RunOutcome | undefined> {
  try {
    return await runtime.agent.settled();
  } catch (error) {
    return { reason: "failed", detail: messageOf(error), turns: 0 };
  }
}

/** The report of an agent that could not be opened. */
function notStartedReport({ id, description }: Pick<Subagent, "id" | "description">, error: unknown): AgentReport {
  const reason = messageOf(error);
  const usage = { tokens: 0, toolCalls: 0, durationMs: 0 };
  return { agentId: id, description, status: "failed", text: "", reason, evidence: "Nothing was done.", usage };
}
