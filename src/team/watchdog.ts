import type { Clock } from "../platform/index.ts";
import type { CallId, Event, RequestId, WatchdogSettings } from "../protocol/index.ts";

/**
 * Notices an agent that shows no sign of life, from what is heard of it. For agents that are started with something to
 * do. It judges; ending the agent is for others.
 */
export interface Watchdog {
  /** Everything that is heard of the agent, live events too, in order. */
  hear(event: Event): void;
  /** Undefined while all is well. */
  verdict(): Verdict | undefined;
  /** How long until there is a verdict if nothing more is heard; undefined while nothing is expected of the agent. */
  dueInMs(): number | undefined;
}

export interface Verdict {
  readonly kind: "start" | "model" | "tool" | "between";
  /** How long nothing was heard. */
  readonly silentMs: number;
  /** One line for people and for the agent that waits for this one. */
  readonly message: string;
}

export interface WatchdogOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly settings?: WatchdogSettings | undefined;
  /** The model layer asks again by itself after so long a silence; this is never more impatient than that. */
  readonly stallMs?: number | undefined;
  /** Calls that may be silent for as long as they like, because what they wait for is watched by itself: `Agent`. */
  readonly isPatient?: ((tool: string) => boolean) | undefined;
}

export const watchdogDefaults = {
  startMs: 60_000,
  modelMs: 300_000,
  /** More than a command may take. */
  toolMs: 900_000,
} as const;

/** A request that stands in a queue has not begun; the queue keeps its own times. */
const queuedMs = 3_600_000;

type Doing =
  | { readonly kind: "starting" | "idle" | "between" }
  | { readonly kind: "model"; readonly model: string; readonly limitMs: number; readonly how: string };

interface OpenCall {
  readonly name: string;
  readonly title: string;
  heardAt: number;
}

export function createWatchdog({ clock, settings = {}, stallMs = 0, isPatient }: WatchdogOptions): Watchdog {
  const startMs = settings.startMs ?? watchdogDefaults.startMs;
  const modelMs = Math.max(settings.modelMs ?? watchdogDefaults.modelMs, stallMs * 2);
  const toolMs = settings.toolMs ?? watchdogDefaults.toolMs;
  const calls = new Map<CallId, OpenCall>();
  const questions = new Set<RequestId>();
  let doing: Doing = { kind: "starting" };
  let heardAt = clock.monotonic();

  const asking = (model: string, limitMs = modelMs, how = "answers"): Doing => ({ kind: "model", model, limitMs, how });
  const stillAsking = (limitMs?: number, how?: string) => {
    if (doing.kind === "model") doing = asking(doing.model, limitMs, how);
  };

  const rest = () => {
    doing = { kind: "idle" };
    calls.clear();
    questions.clear();
  };

  const hear = (event: Event) => {
    if (isAside(event)) return;
    heardAt = clock.monotonic();
    switch (event.type) {
      case "turn.started":
        doing = asking(event.model);
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
        doing = { kind: "between" };
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
        return rest();
      case "prompt.admitted":
        if (doing.kind === "idle") doing = { kind: "between" };
        return;
      case "prompt.promoted":
        if (doing.kind !== "model") doing = { kind: "between" };
        return;
      default:
        return;
    }
  };

  /** Whatever is watched now: since when nothing was heard, for how long that is borne, and what it is. */
  const watched = (): Watched[] => {
    const watchedCalls = [...calls.values()]
      .filter(({ name }) => !isPatient?.(name))
      .map(
        ({ heardAt: since, title }): Watched => ({
          kind: "tool",
          since,
          limitMs: toolMs,
          what: `the call "${oneLine(title)}" has neither ended nor shown progress`,
        }),
      );
    if (watchedCalls.length > 0 || calls.size > 0 || questions.size > 0) return watchedCalls;
    switch (doing.kind) {
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
            limitMs: doing.limitMs,
            what: `its model ${doing.model} ${doing.how}, and nothing has come`,
          },
        ];
    }
  };

  return {
    hear,
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
const isAside = (event: Event) =>
  event.type === "agent.summarized" ||
  (event.type === "cost.recorded" && (event.purpose === "summary" || event.purpose === "check"));

interface Watched {
  readonly kind: Verdict["kind"];
  readonly since: number;
  readonly limitMs: number;
  readonly what: string;
}

const oneLine = (text: string) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
};

/** What is heard while it sleeps may bring the moment nearer. */
const lookMs = 1_000;

/** Resolves with the first verdict. Rejects with the signal's reason as soon as that aborts. */
export async function keepWatch(watchdog: Watchdog, clock: Clock, signal: AbortSignal): Promise<Verdict> {
  for (;;) {
    const verdict = watchdog.verdict();
    if (verdict) return verdict;
    await clock.sleep(Math.min(watchdog.dueInMs() ?? lookMs, lookMs), signal);
  }
}
