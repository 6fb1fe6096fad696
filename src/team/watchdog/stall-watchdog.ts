import type { Clock } from "../../platform/index.ts";
import { type CallId, cut, type Event, oneLine, type RequestId, type WatchdogSettings } from "../../protocol/index.ts";

/**
 * Detects an agent without a sign of life from its events, for agents that are started with work. It only judges;
 * callers end the agent.
 */
export interface StallWatchdog {
  /** Receives all events of the agent, live events included, in order. */
  observe(event: Event): void;
  /** Undefined while the agent shows signs of life. */
  verdict(): StallVerdict | undefined;
  /** The time until a verdict if no event comes. Undefined while nothing is expected of the agent. */
  dueInMs(): number | undefined;
  /** Events may bring the deadline nearer, so check at least this often. Short against every limit. */
  readonly checkEveryMs: number;
}

export interface StallVerdict {
  readonly kind: "start" | "model" | "tool" | "between";
  /** The time since the last event. */
  readonly silentMs: number;
  /** One line for the user and for the agent that waits for this one. */
  readonly message: string;
}

export interface StallWatchdogOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly settings?: WatchdogSettings | undefined;
  /** The silence after which the model layer retries by itself. The watchdog never reacts before that. */
  readonly stallMs?: number | undefined;
  /** Calls that may be silent without limit, because what they wait for has its own watchdog: `Agent`. */
  readonly mayBeSilent?: ((tool: string) => boolean) | undefined;
}

export const watchdogDefaults = {
  startMs: 60_000,
  modelMs: 300_000,
  /** Longer than the time limit of a command. */
  toolMs: 900_000,
} as const;

/** A queued request has not started; the queue has its own timeouts. */
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
        return stillAsking(queuedMs, "is waiting in a queue");
      case "turn.retried":
        return stillAsking(modelMs + event.delayMs, "is being retried");
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

  const watched = () => watchedOf({ phase, heardAt, questions, calls }, { startMs, toolMs, mayBeSilent });

  return {
    observe,
    checkEveryMs: Math.min(maxCheckMs, startMs, modelMs, toolMs),
    verdict() {
      const now = clock.monotonic();
      const late = watched().find(({ since, limitMs }) => now - since >= limitMs);
      if (!late) return undefined;
      const silentMs = Math.round(now - late.since);
      const message = `no sign of life for ${Math.round(silentMs / 1000)} s: ${late.what}`;
      return { kind: late.kind, silentMs, message };
    },
    dueInMs() {
      const now = clock.monotonic();
      const times = watched().map(({ since, limitMs }) => since + limitMs - now);
      return times.length === 0 ? undefined : Math.max(0, Math.min(...times));
    },
  };
}

interface Observed {
  readonly phase: Phase;
  readonly heardAt: number;
  readonly questions: ReadonlySet<RequestId>;
  readonly calls: ReadonlyMap<CallId, OpenCall>;
}

interface Limits extends Pick<StallWatchdogOptions, "mayBeSilent"> {
  readonly startMs: number;
  readonly toolMs: number;
}

/** Everything watched now: the time of the last event, the limit, and a description. */
function watchedOf({ phase, heardAt, questions, calls }: Observed, limits: Limits): Watched[] {
  const { startMs, toolMs, mayBeSilent } = limits;
  if (calls.size > 0)
    return [...calls.values()]
      .filter(({ name }) => !mayBeSilent?.(name))
      .map(({ heardAt: since, title }) => ({
        kind: "tool",
        since,
        limitMs: toolMs,
        what: `the call "${cut(oneLine(title), 120)}" has neither ended nor shown progress`,
      }));
  if (questions.size > 0) return [];
  const since = heardAt;
  switch (phase.kind) {
    case "idle":
      return [];
    case "starting":
      return [{ kind: "start", since, limitMs: startMs, what: "it was started but has not begun" }];
    case "between":
      return [{ kind: "between", since, limitMs: toolMs, what: "it has neither called its model nor a tool" }];
    case "model": {
      const what = `its model ${phase.model} ${phase.how}, but nothing arrives`;
      return [{ kind: "model", since, limitMs: phase.limitMs, what }];
    }
  }
}

/** Side questions about the agent are not signs of its life. */
const isSideQuestion = (event: Event) =>
  event.type === "agent.summarized" ||
  (event.type === "cost.recorded" && (event.purpose === "summary" || event.purpose === "check"));

interface Watched {
  readonly kind: StallVerdict["kind"];
  readonly since: number;
  readonly limitMs: number;
  readonly what: string;
}

const maxCheckMs = 10_000;

/** Resolves with the first verdict. Rejects with the signal's reason when it aborts. */
export async function waitForStall(watchdog: StallWatchdog, clock: Clock, signal: AbortSignal): Promise<StallVerdict> {
  for (;;) {
    const verdict = watchdog.verdict();
    if (verdict) return verdict;
    await clock.sleep(Math.min(watchdog.dueInMs() ?? watchdog.checkEveryMs, watchdog.checkEveryMs), signal);
  }
}
