import type { AgentReport, RunOutcome } from "../../agent/index.ts";
import { type ContentPart, messageOf } from "../../protocol/index.ts";
import type { AgentSlot } from "../limits/agent-slots.ts";
import { createStallWatchdog, type StallWatchdog, waitForStall } from "../watchdog/stall-watchdog.ts";
import { checkReport } from "./check-report.ts";
import type { PendingSideQuestions } from "./pending-side-questions.ts";
import { notStartedReport, reportOfRun } from "./report-of-run.ts";
import type { PromptSender, SubagentDefaults, SubagentIdentity } from "./subagent.ts";
import type { SubagentActivation } from "./subagent-activation.ts";
import type { SubagentMemory } from "./subagent-memory.ts";
import type { SubagentMessages } from "./subagent-messages.ts";
import type { SubagentRuntime } from "./subagent-runtime.ts";
import type { SubagentState, SubagentStep } from "./subagent-state.ts";

/** The parts of a subagent that its run uses. */
export interface RunningSubagent {
  readonly identity: SubagentIdentity;
  readonly defaults: SubagentDefaults;
  readonly memory: SubagentMemory;
  readonly messages: SubagentMessages;
  readonly sideQuestions: PendingSideQuestions;
  /** Aborts when the session is closed. */
  readonly closed: AbortSignal;
  state(): SubagentState;
  step(step: SubagentStep): void;
  /** Ends the run as failed. */
  abort(reason: string): Promise<void>;
  /** The watchdog gets all events from now on. */
  watch(watchdog: StallWatchdog | undefined): void;
  onIdle(): void;
}

export interface SubagentPrompt {
  readonly parts: readonly ContentPart[];
  readonly by: PromptSender;
  readonly onDelivered: () => void;
}

/** Adds the prompt, if there is one, and runs until nothing is left to do. The report of a crash says so. */
export async function workOnPrompt(running: RunningSubagent, prompt: SubagentPrompt): Promise<AgentReport> {
  const { identity, memory, step } = running;
  let active: SubagentActivation;
  try {
    active = await memory.wake();
  } catch (error) {
    step({ do: "report" });
    prompt.onDelivered();
    return notStartedReport(identity, error);
  }
  const stopWatching = watchForStall(running, active.runtime);
  try {
    return await workWith(running, active, prompt);
  } finally {
    step({ do: "report" });
    await stopWatching();
    await active.runtime.stopLeftovers();
  }
}

async function workWith(
  { identity, messages, state, step }: RunningSubagent,
  active: SubagentActivation,
  { parts, by, onDelivered }: SubagentPrompt,
): Promise<AgentReport> {
  const { agent } = active.runtime;
  const endOf = (now: SubagentState) => (now.kind === "working" ? now.end : undefined);
  if (parts.length > 0) messages.ignore(await agent.admit(by, parts));
  onDelivered();
  // An interrupt before the start counts.
  if (endOf(state()) === undefined) agent.resume();
  let outcome = await settled(active.runtime);
  // Messages being sent belong to this run. It ends when none is pending.
  while (messages.areBeingSent) {
    await messages.sent();
    outcome = await settled(active.runtime);
  }
  const report = reportOfRun(identity, active, { outcome, end: endOf(state()), unanswered: messages.unanswered() });
  // In the same step as the last check, so that a later message resumes the agent.
  step({ do: "report" });
  return report;
}

/** The result ends the watch. */
function watchForStall({ defaults, watch, abort }: RunningSubagent, runtime: SubagentRuntime): () => Promise<void> {
  const { clock, watchdog: settings } = defaults;
  const watchdog = createStallWatchdog({ clock, settings, mayBeSilent: (tool) => tool === "Agent" });
  if (runtime.isAtWork) for (const { event } of runtime.replayed) watchdog.observe(event);
  watch(watchdog);
  const over = new AbortController();
  const watching = waitForStall(watchdog, clock, over.signal).then(
    (verdict) => abort(verdict.message),
    (error: unknown) => {
      if (!over.signal.aborted) throw error;
    },
  );
  return async () => {
    watch(undefined);
    over.abort();
    await watching;
  };
}

/** A crash counts as a failed run: the parent gets the reason and continues. */
async function settled(runtime: SubagentRuntime): Promise<RunOutcome | undefined> {
  try {
    return await runtime.agent.settled();
  } catch (error) {
    return { reason: "failed", detail: messageOf(error), turns: 0 };
  }
}

/** Checks the report, keeps or removes the worktree, and frees the slot. */
export async function finishRun(
  { defaults, memory, sideQuestions, closed, step, onIdle }: RunningSubagent,
  assembled: Promise<AgentReport>,
  slot: AgentSlot,
): Promise<AgentReport> {
  const { clock, sideQuestions: asides } = defaults;
  try {
    const report = await assembled;
    if (report.goesOn) return { ...report, handOver: undefined, worktree: undefined };
    const ask = memory.active?.runtime.askSideQuestion;
    const handOver = asides?.reportCheck ? await checkReport(report, { ask, clock, signal: closed }) : undefined;
    try {
      return { ...report, handOver, worktree: await memory.finishWorktree?.() };
    } catch (error) {
      const evidence = `${report.evidence}\nCannot clean up its worktree: ${messageOf(error)}`;
      return { ...report, handOver, evidence };
    }
  } finally {
    step({ do: "rest" });
    slot.release();
    sideQuestions.track(memory.active?.summarizeHistory?.("ended", closed));
    onIdle();
  }
}
