import type { Clock } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { createSlotLending } from "../limits/lend-slot.ts";
import { createRepetitionDetector } from "../watchdog/repetition-detector.ts";
import type { StallWatchdog } from "../watchdog/stall-watchdog.ts";
import { createPendingSideQuestions } from "./pending-side-questions.ts";
import { progressLine } from "./progress-line.ts";
import { finishRun, type RunningSubagent, workOnPrompt } from "./run-subagent.ts";
import type { Subagent, SubagentOptions } from "./subagent.ts";
import { createSubagentMemory, type SubagentMemory } from "./subagent-memory.ts";
import { createSubagentMessages } from "./subagent-messages.ts";
import { createSubagentOutput } from "./subagent-output.ts";
import { nextState, type RunEnd, type SubagentState, type SubagentStep } from "./subagent-state.ts";
import { summarizeProgress } from "./summarize-activity.ts";

export function createSubagent({ identity, defaults, opened, reopen, listen }: SubagentOptions): Subagent {
  const closeController = new AbortController();
  const sideQuestions = createPendingSideQuestions();
  const messages = createSubagentMessages();
  const output = createSubagentOutput();
  const repetition = createRepetitionDetector();
  let state: SubagentState = { kind: "idle" };
  let watchdog: StallWatchdog | undefined;
  let lastRun: Promise<unknown> = Promise.resolve();
  const step = (taken: SubagentStep) => {
    state = nextState(state, taken);
  };
  const isIdle = () => state.kind === "idle";
  const memory = createSubagentMemory(opened, {
    ...defaults,
    reopen,
    isIdle,
    unused: sideQuestions.settled,
    onEvicted: output.clear,
  });

  listen((envelope) => {
    const { event } = envelope;
    memory.active?.observe(envelope);
    watchdog?.observe(event);
    messages.observe(event);
    output.observe(event);
    if (event.type === "context.compacted")
      sideQuestions.track(memory.active?.summarizeHistory?.("compacted", closeController.signal));
    const repeated = repetition.observe(event);
    if (repeated?.kind === "warning") void warn(memory, repeated.message);
    if (repeated?.kind === "verdict") void abort(repeated.message);
  });

  /** A run that failed without noticing ends on the watchdog's verdict. Its report says failed, not stopped. */
  const endRun = async (end: RunEnd) => {
    step({ do: "end", end });
    const verdict = end.status === "failed" ? { verdict: end.reason } : {};
    await memory.active?.runtime.agent.interrupt({ hold: true, ...verdict });
  };
  const interrupt = (reason: string) => endRun({ status: "stopped", reason });
  const abort = (reason: string) => endRun({ status: "failed", reason });

  const running: RunningSubagent = {
    identity,
    defaults,
    memory,
    messages,
    sideQuestions,
    closed: closeController.signal,
    state: () => state,
    step,
    abort,
    watch: (next) => {
      watchdog = next;
    },
    onIdle: () => defaults.onIdle?.(subagent),
  };

  const subagent: Subagent = {
    ...identity,
    get running() {
      return state.kind === "working";
    },
    get isIdle() {
      return isIdle();
    },
    run(parts, slot, by = "agent") {
      step({ do: "run", lending: createSlotLending(slot) });
      defaults.onWake?.(subagent);
      output.clear();
      let markDelivered: () => void = () => undefined;
      const delivered = new Promise<void>((resolve) => (markDelivered = resolve));
      const reported = workOnPrompt(running, { parts, by, onDelivered: markDelivered });
      const done = finishRun(running, reported, slot);
      lastRun = Promise.allSettled([done]);
      return { reported, done, delivered };
    },
    async sendMessage(parts, by = "agent") {
      if (state.kind !== "working") return false;
      await memory.wakeEnded();
      const agent = memory.active?.runtime.agent;
      if (!subagent.running || !agent) return false;
      await messages.send(agent, by, parts);
      return true;
    },
    lendSlot: async () => (state.kind === "working" ? state.lending.lend() : async () => undefined),
    whenIdle: async () => void (await lastRun),
    async wake() {
      if (state.kind === "closed") throw closedError(identity.path);
      await memory.wake();
    },
    interrupt,
    onText: output.onText,
    progress: () => (state.kind === "working" && memory.active ? progressLine(memory.active) : undefined),
    showProgress() {
      const stopped = new AbortController();
      const signal = AbortSignal.any([stopped.signal, closeController.signal]);
      if (defaults.sideQuestions?.progress) sideQuestions.track(summarize(memory, defaults.clock, signal));
      return () => stopped.abort();
    },
    evict: memory.evict,
    async close() {
      closeController.abort(new DOMException("the session is closed", "AbortError"));
      if (state.kind === "working") await interrupt("the session was closed");
      await lastRun;
      await sideQuestions.settled();
      step({ do: "close" });
      await memory.close();
    },
  };
  return subagent;
}

async function warn(memory: SubagentMemory, text: string): Promise<void> {
  const agent = memory.active?.runtime.agent;
  try {
    await agent?.admit("hook", [{ type: "text", text }]);
  } catch (error) {
    await agent?.fail(error);
  }
}

async function summarize(memory: SubagentMemory, clock: Clock, signal: AbortSignal): Promise<void> {
  await memory.wakeEnded();
  const { activity, runtime } = memory.active ?? {};
  const ask = runtime?.askSideQuestion;
  if (!activity || !ask || signal.aborted) return;
  await summarizeProgress({ activity, ask, record: (event) => runtime.agent.record(event), clock }, signal);
}

const closedError = (path: string) => new TroupeError("agent", `Cannot resume ${path}: the session is closed.`);
