import type { RunOutcome } from "../agent/index.ts";
import type { RunningWork } from "./agent-runtime/background-work.ts";
import type { Session } from "./session.ts";

export interface TeamWait {
  /** Ends the wait at once. */
  readonly signal: AbortSignal;
  /** Called with the work that is not done, each time before the wait for it. The wait for it ends when the signal aborts. */
  readonly limitOf: (running: readonly RunningWork[]) => AbortSignal | undefined;
  /** Called at the start of each wait. Returns true if it woke the lead before `over` aborted, when the wait has ended. */
  readonly wakeLead?: (running: readonly RunningWork[], over: AbortSignal) => Promise<boolean>;
}

/**
 * Waits until no agent works and no job runs, or until a limit. A job that ends wakes the lead, so this repeats. Returns the
 * outcome of the lead's last run. Any outcome but `completed` ends the wait.
 */
export async function waitForTeam(
  session: Pick<Session, "settled" | "backgroundRunning" | "events">,
  { signal, limitOf, wakeLead }: TeamWait,
): Promise<RunOutcome | undefined> {
  const ended = createEventSignal();
  const over = new AbortController();
  const following = followEnds(session, { signal: over.signal, notify: ended.notify });
  try {
    for (;;) {
      const changed = ended.next(signal);
      const outcome = await session.settled();
      const running = session.backgroundRunning();
      if (running.length === 0 || signal.aborted || outcome?.reason !== "completed") return outcome;
      const limit = limitOf(running);
      if (limit?.aborted) return outcome;
      const waited = new AbortController();
      const wait = (limit === undefined ? changed : Promise.race([changed, ended.next(limit)])).finally(() =>
        waited.abort(),
      );
      if (!(await wakeLead?.(running, waited.signal))) await wait;
    }
  } finally {
    over.abort();
    await following;
  }
}

async function followEnds(
  session: Pick<Session, "events">,
  { signal, notify }: { readonly signal: AbortSignal; readonly notify: () => void },
): Promise<void> {
  for await (const { event } of session.events({ aside: true, signal }))
    if (event.type === "background.ended" || event.type === "member.changed") notify();
  // A closed session has no more events, and nothing runs in it.
  notify();
}

interface EventSignal {
  notify(): void;
  /** Resolves at the next `notify`, or when `signal` aborts. */
  next(signal: AbortSignal): Promise<void>;
}

function createEventSignal(): EventSignal {
  let waiters: (() => void)[] = [];
  return {
    notify() {
      for (const resolve of waiters) resolve();
      waiters = [];
    },
    next: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const done = () => {
          signal.removeEventListener("abort", done);
          resolve();
        };
        waiters.push(done);
        signal.addEventListener("abort", done);
      }),
  };
}
