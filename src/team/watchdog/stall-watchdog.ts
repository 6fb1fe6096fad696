import type { Clock } from "../../platform/index.ts";
import type { CallId, Event, RequestId, WatchdogSettings } from "../../protocol/index.ts";

/**
 * Notices an agent that shows no sign of life, from what is heard of it. For agents that are started with something to
 * do. It judges; ending the agent is for others.
 */
export interface StallWatchdog {
  /** Everything that is heard of the agent, live events too, in order. */
  observe(event: Event): void;
  /** Undefined while all is well. */
  verdict(): StallVerdict | undefined;
  /** How long until there is a verdict if nothing more is heard; undefined while nothing is expected of the agent. */
  dueInMs(): number | undefined;
}

export interface StallVerdict {
  readonly kind: "start" | "model" | "tool" | "between";
  /** How long nothing was heard. */
  readonly silentMs: number;
  /** One line for people and for the agent that waits for this one. */
  readonly message: string;
}

export interface StallWatchdogOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly settings?: WatchdogSettings | undefined;
  /** The model layer asks again by itself after so long a silence; this is never more impatient than that. */
  readonly stallMs?: number | undefined;
  /** Calls that may be silent for as long as they like, because what they wait for is watched by itself: `Agent`. */
  readonly mayBeSilent?: ((tool: string) => boolean) | undefined;
}

export const watchdogDefaults = {
  startMs: 60_000,
  modelMs: 300_000,
  /** More than a command may take. */
  toolMs: 900_000,
} as const;

/** A request that stands in a queue has not begun; the queue keeps its own times. */
const queuedMs = 3_600_000;

type Phase =
  | { readonly kind: "starting" | "idle" | "between" }
  | { readonly kind: "model"; readonly model: string; readonly limitMs: number; readonly how: string };

interface OpenCall {
  readonly name: string;
  readonly title: string;
  heardAt: number;
}

export function createStallWatchdog({
  clock,
  settings = {},
  stallMs = 0,
  mayBeSilent,
}: StallWatchdogOptions): StallWatchdog {
  const startMs = settings.startMs ?? watchdogDefaults.startMs;
  const modelMs = Math.max(settings.modelMs ?? watchdogDefaults.modelMs, stallMs * 2);
  const toolMs = settings.toolMs ?? watchdogDefaults.toolMs;
  const calls = new Map<CallId, OpenCall>();
  const questions = new Set<RequestId>();
  let phase: Phase = { kind: "starting" };
  let heardAt = clock.monotonic();

  const asking = (model: string, limitMs = modelMs, how = "answers"): Phase => ({ kind: "model", model, limitMs, how });
  const stillAsking = (limitMs?: number, how?: string) => {
    if (phase.kind === "model") phase = asking(phase.model, limitMs, how);
  };

  const setIdle = () => {
    phase = { kind: "idle" };
    calls.clear();
    questions.clear();
  };

  const observe = (event: Event) => {
    if (isSideQuestion(event)) return;
    heardAt = clock.monotonic();
    switch (event.type) {
      case "turn.started":
        phase = asking(event.model);
        return;
      case "text.delta":
      case "thinking.delta":
      case "tool.drafted":
        return stillAsking();
      case "turn.waiting":
        return stillAsking(queuedMs, "waits in a queue");
      case "turn.retried":
        return stillAsking(modelMs + event.delayMs, "is asked again");
      case "turn.ended":
      case "turn.failed":
        phase = { kind: "between" };
        return;
      case "tool.called":
        calls.set(event.callId, { name: event.name, title: event.title, heardAt });
        return;
      case "tool.progress": {
        const call = calls.get(event.callId);
        if (call) call.heardAt = heardAt;
        return;
      }
      case "tool.settled":
        calls.delete(event.callId);
        return;
      case "permission.asked":
        questions.add(event.requestId);
        return;
      case "permission.settled":
        questions.delete(event.requestId);
        return;
      case "agent.idle":
      case "agent.stopped":
      case "session.closed":
        return setIdle();
      case "prompt.admitted":
        if (phase.kind === "idle") phase = { kind: "between" };
        return;
      case "prompt.promoted":
        if (phase.kind !== "model") phase = { kind: "between" };
        return;
      default:
        return;
    }
  };

  /** Whatever is watched now: since when nothing was heard, for how long that is borne, and what it is. */
  const watched = (): Watched[] => {
    const watchedCalls = [...calls.values()]
      .filter(({ name }) => !mayBeSilent?.(name))
      .map(
        ({ heardAt: since, title }): Watched => ({
          kind: "tool",
          since,
          limitMs: toolMs,
          what: `the call "${oneLine(title)}" has neither ended nor shown progress`,
        }),
      );
    if (watchedCalls.length > 0 || calls.size > 0 || questions.size > 0) return watchedCalls;
    switch (phase.kind) {
      case "idle":
        return [];
      case "starting":
        return [{ kind: "start", since: heardAt, limitMs: startMs, what: "it was started and has not begun" }];
      case "between":
        return [
          {
            kind: "between",
            since: heardAt,
            limitMs: toolMs,
            what: "it has neither asked its model nor called a tool",
          },
        ];
      case "model":
        return [
          {
            kind: "model",
            since: heardAt,
            limitMs: phase.limitMs,
            what: `its model ${phase.model} ${phase.how}, and nothing has come`,
          },
        ];
    }
  };

  return {
    observe,
    verdict() {
      const now = clock.monotonic();
      const late = watched().find(({ since, limitMs }) => now - since >= limitMs);
      if (!late) return undefined;
      const silentMs = Math.round(now - late.since);
      return {
        kind: late.kind,
        silentMs,
        message: `no sign of life for ${Math.round(silentMs / 1000)} s: ${late.what}`,
      };
    },
    dueInMs() {
      const now = clock.monotonic();
      const times = watched().map(({ since, limitMs }) => since + limitMs - now);
      return times.length === 0 ? undefined : Math.max(0, Math.min(...times));
    },
  };
}

/** What others ask about the agent is no sign of its own life. */
const isSideQuestion = (event: Event) =>
  event.type === "agent.summarized" ||
  (event.type === "cost.recorded" && (event.purpose === "summary" || event.purpose === "check"));

interface Watched {
  readonly kind: StallVerdict["kind"];
  readonly since: number;
  readonly limitMs: number;
  readonly what: string;
}

const oneLine = (text: string) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
};

/** What is heard while it sleeps may bring the moment nearer. */
const checkEveryMs = 1_000;

/** Resolves with the first verdict. Rejects with the signal's reason as soon as that aborts. */
export async function waitForStall(watchdog: StallWatchdog, clock: Clock, signal: AbortSignal): Promise<StallVerdict> {
  for (;;) {
    const verdict = watchdog.verdict();
    if (verdict) return verdict;
    await clock.sleep(Math.min(watchdog.dueInMs() ?? checkEveryMs, checkEveryMs), signal);
  }
}
