import type { Clock, CreateId } from "../../platform/index.ts";
import type { AgentId, SessionId } from "../../protocol/index.ts";
import type { TeamStore } from "../../store/index.ts";
import { createCoalescedSignal } from "./coalesced-signal.ts";
import type { ObservedUpdate, ObservedSession } from "./observed-session.ts";
import { createStoredState } from "./stored-state.ts";

export interface BusSessionOptions {
  readonly teams: TeamStore;
  readonly id: SessionId;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** The interval for reading presence, which is not pushed. */
const pollMs = 2_000;

/**
 * Opens a session on another machine that leads a team on the bus: its members and tasks. Its conversation stays on
 * that machine.
 */
export async function openBusTeam(options: BusSessionOptions & { readonly name: string }): Promise<ObservedSession> {
  const { teams, id, name, clock, createId } = options;
  const team = await teams.open(name);
  const closed = new AbortController();
  const agent = createId<AgentId>("agt");

  async function* events(signal: AbortSignal): AsyncGenerator<ObservedUpdate> {
    const changeSignal = createCoalescedSignal();
    const state = createStoredState({ teams, session: id, clock, createId });
    const notifyOn = async (changes: AsyncIterable<unknown>) => {
      for await (const _ of changes) changeSignal.notify();
    };
    // The next read reports the same error.
    for (const changes of [team.record.follow(signal), team.tasks.follow(signal)])
      notifyOn(changes).catch(changeSignal.notify);
    const timer = setInterval(changeSignal.notify, pollMs).unref();
    let isFirst = true;
    try {
      while (!signal.aborted) {
        const envelopes = await state.changes({ agent, seq: 0 });
        if (isFirst) yield { kind: "state", state: "open" };
        if (envelopes.length > 0) yield { kind: "envelopes", envelopes };
        if (isFirst) yield { kind: "caught-up" };
        isFirst = false;
        await changeSignal.wait(signal);
      }
    } finally {
      clearInterval(timer);
    }
  }

  return {
    id,
    events: ({ signal }) => events(AbortSignal.any([signal, options.signal, closed.signal])),
    dispatch: () => Promise.resolve(remoteRefusal),
    transcript: () => Promise.resolve([]),
    async close() {
      closed.abort();
      await team.close();
    },
  };
}

export const remoteRefusal = {
  ok: false,
  code: "not_running",
  message: "this session runs on another machine. Here you can view its data on the bus, but not send commands.",
} as const;
