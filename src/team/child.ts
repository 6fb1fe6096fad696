import type { AgentReport, RunOutcome } from "../agent/index.ts";
import type { Clock } from "../platform/index.ts";
import type {
  AgentDefinition,
  AgentId,
  AgentPath,
  ContentPart,
  Envelope,
  PromptId,
  WatchdogSettings,
} from "../protocol/index.ts";
import type { ChildSeat } from "./child-seat.ts";
import { createEvidence } from "./evidence.ts";
import { evidenceText } from "./evidence-text.ts";
import { createRepetitionWatch } from "./repetition.ts";
import { createLending, type Lending } from "./lend-place.ts";
import type { AgentPlace } from "./spawn-limits.ts";
import { createWatchdog, keepWatch } from "./watchdog.ts";

/** A sub-agent over its whole life: it works, is idle, and can be sent on. */
export interface Child {
  readonly id: AgentId;
  readonly path: AgentPath;
  readonly name: string | undefined;
  readonly definition: AgentDefinition;
  readonly description: string;
  readonly parent: AgentId;
  readonly isFork: boolean;
  readonly running: boolean;
  /** Says something and works until there is nothing left to do. One at a time. */
  run(parts: readonly ContentPart[], place: AgentPlace): ChildRun;
  /** Said to an agent at work; it hears it between two turns. False: it had just finished, and has not heard it. */
  tell(parts: readonly ContentPart[]): Promise<boolean>;
  /** Resolves when no run is under way, nor anything that comes after one. */
  rested(): Promise<void>;
  /** Gives its place away while it waits for agents of its own; the result takes one again, once for all that wait. */
  lendPlace(): Promise<(signal: AbortSignal) => Promise<void>>;
  /** Ends the run under way; what it had done is in the report. */
  interrupt(reason: string): Promise<void>;
  /** Hears what the agent writes, as it writes it; with `fromStart` first what it has written since it was last sent to work. */
  onText(listener: (text: string) => void, options?: { readonly fromStart: boolean }): () => void;
  close(): Promise<void>;
}

/** Neither promise rejects because the agent went wrong: the report says so. */
export interface ChildRun {
  /** What came of it, before its worktree is kept or removed. */
  readonly assembled: Promise<AgentReport>;
  /** The same with what became of the worktree; then the agent rests. */
  readonly done: Promise<AgentReport>;
}

export interface ChildOptions
  extends Pick<Child, "id" | "path" | "name" | "definition" | "description" | "parent" | "isFork"> {
  readonly seat: ChildSeat;
  readonly clock: Clock;
  readonly watchdog?: WatchdogSettings | undefined;
  /** What becomes of its worktree when it has nothing left to do. */
  readonly finishWorktree?: (() => Promise<AgentReport["worktree"]>) | undefined;
  /** How the envelopes of its seat reach it. */
  readonly listen: (hear: (envelope: Envelope) => void) => void;
}

export function createChild(options: ChildOptions): Child {
  const { seat, clock } = options;
  const evidence = createEvidence();
  for (const envelope of seat.replayed) evidence.add(envelope);
  const repetition = createRepetitionWatch();
  const listeners = new Set<(text: string) => void>();
  let lastWords = "";
  let stopReason: string | undefined;
  /** `finishing`: it has reported, and its worktree is being put in order. */
  let phase: "resting" | "working" | "finishing" = "resting";
  let rested: Promise<unknown> = Promise.resolve();
  const telling = new Set<Promise<void>>();
  /** What it was told on its way and no answer has taken up yet. */
  const unheard = new Map<PromptId, "waiting" | "promoted">();
  let written = "";
  let lending: Lending | undefined;
  let watch = createWatchdog({ clock, settings: options.watchdog, isPatient: (tool) => tool === "Agent" });

  options.listen((envelope) => {
    const { event } = envelope;
    evidence.add(envelope);
    watch.hear(event);
    if (event.type === "prompt.admitted" && event.source === "agent") unheard.set(event.promptId, "waiting");
    if (event.type === "prompt.promoted" && unheard.has(event.promptId)) unheard.set(event.promptId, "promoted");
    if (event.type === "turn.ended") {
      for (const [promptId, state] of unheard) if (state === "promoted") unheard.delete(promptId);
      const words = event.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
      if (words.length > 0) lastWords = words.join("\n");
      for (const text of words) write(`${text}\n`);
    }
    if (event.type === "tool.called") write(`  ${event.title}\n`);
    const repeated = repetition.hear(event);
    if (repeated?.kind === "warning") void warn(repeated.message);
    if (repeated?.kind === "verdict") void interrupt(repeated.message);
  });

  const warn = async (text: string) => {
    try {
      await seat.agent.admit("hook", [{ type: "text", text }]);
    } catch (error) {
      await seat.agent.fail(error);
    }
  };

  const write = (text: string) => {
    written = (written + text).slice(-writtenLimit);
    for (const listener of listeners) listener(text);
  };

  const interrupt = async (reason: string) => {
    stopReason ??= reason;
    await seat.agent.interrupt({ hold: true });
  };

  const report = (outcome: RunOutcome | undefined): AgentReport => {
    const found = evidence.evidence();
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = found.tokens;
    const stopped = stopReason ?? (outcome?.reason === "interrupted" ? "it was interrupted" : undefined);
    const status = stopped !== undefined ? "stopped" : outcome?.reason === "completed" ? "completed" : "failed";
    const reason = stopped ?? (status === "failed" ? (outcome?.detail ?? "no reason was given") : undefined);
    return {
      agentId: options.id,
      description: options.description,
      status,
      text: lastWords,
      reason,
      evidence: [evidenceText(found), ...unheardLine(unheard.size)].join("\n"),
      usage: {
        tokens: inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens,
        toolCalls: Object.values(found.toolCalls).reduce((sum, count) => sum + count, 0),
        durationMs: found.durationMs,
      },
    };
  };

  const work = async (parts: readonly ContentPart[]): Promise<AgentReport> => {
    const watched = new AbortController();
    watch = createWatchdog({ clock, settings: options.watchdog, isPatient: (tool) => tool === "Agent" });
    const watching = keepWatch(watch, clock, watched.signal).then(
      (verdict) => interrupt(verdict.message),
      (error: unknown) => {
        if (!watched.signal.aborted) throw error;
      },
    );
    try {
      unheard.delete(await seat.agent.admit("agent", parts));
      // Whoever stopped it before it could begin has stopped it.
      if (stopReason === undefined) seat.agent.resume();
      let outcome = await settled(seat);
      // What is being said to it belongs to this run: it ends when nobody is still speaking.
      while (telling.size > 0) {
        await Promise.all(telling);
        outcome = await settled(seat);
      }
      return report(outcome);
    } finally {
      phase = "finishing";
      watched.abort();
      await watching;
      await seat.stopLeftovers();
    }
  };

  const finish = async (assembled: Promise<AgentReport>, place: AgentPlace): Promise<AgentReport> => {
    try {
      const worked = await assembled;
      try {
        return { ...worked, worktree: await options.finishWorktree?.() };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { ...worked, evidence: `${worked.evidence}\nIts worktree could not be put in order: ${why}` };
      }
    } finally {
      phase = "resting";
      place.release();
    }
  };

  return {
    ...options,
    get running() {
      return phase === "working";
    },
    run(parts, place) {
      if (phase !== "resting") throw new Error(`${options.path} is ${phase}: it cannot be sent to work twice`);
      phase = "working";
      lending = createLending(place);
      stopReason = undefined;
      written = "";
      const assembled = work(parts);
      const done = finish(assembled, place);
      rested = Promise.allSettled([done]);
      return { assembled, done };
    },
    async tell(parts) {
      if (phase !== "working") return false;
      const saying = seat.agent.admit("agent", parts).then(() => seat.agent.wake());
      telling.add(saying);
      await saying.finally(() => telling.delete(saying));
      return true;
    },
    lendPlace: async () => lending?.lend() ?? (async () => undefined),
    rested: async () => void (await rested),
    interrupt,
    onText(listener, { fromStart } = { fromStart: false }) {
      if (fromStart && written !== "") listener(written);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => seat.close(),
  };
}

/** So much of what an agent has written is given to somebody who comes later. */
const writtenLimit = 1_000_000;

function unheardLine(count: number): string[] {
  if (count === 0) return [];
  const messages = count === 1 ? "1 message was" : `${count} messages were`;
  return [`${messages} not heard: it ended before it could answer. Send it on with SendMessage if that still matters.`];
}

/** A child that broke is a child that failed: its parent is told, and goes on. */
async function settled(seat: ChildSeat): Promise<RunOutcome | undefined> {
  try {
    return await seat.agent.settled();
  } catch (error) {
    return { reason: "failed", detail: error instanceof Error ? error.message : String(error), turns: 0 };
  }
}
