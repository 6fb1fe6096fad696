import {
  type Ack,
  type Command,
  type Cursor,
  type Envelope,
  type Event,
  LiveEvent,
  type SessionId,
  type SessionListing,
  type StoredEnvelope,
  TroupeError,
} from "../../../src/protocol/index.ts";
import type { SessionDirectory, ObservedUpdate } from "../../../src/session/index.ts";

/** Sessions in memory, behind the same interface as the real ones. */
export interface MemorySessionDirectory extends SessionDirectory {
  /** Received commands, in order. */
  readonly commands: { readonly session: SessionId; readonly command: Command }[];
  /** The number of sessions that are open. */
  openCount(): number;
  add(listing: Partial<SessionListing> & { readonly id: SessionId }): void;
  remove(id: SessionId): void;
  publish(session: SessionId, ...events: Event[]): Envelope[];
  setState(session: SessionId, state: SessionListing["state"]): void;
  /** Every reader of the session gets this error next. */
  fail(session: SessionId, error: Error): void;
  /** The number of clients that were disconnected because they were slow. */
  readonly thrownOut: number;
}

interface Held {
  readonly stored: Envelope[];
  readonly readers: Set<Reader>;
}

interface Reader {
  push(item: ObservedUpdate): void;
  fail(error: Error): void;
}

export const sessionId = (n: number) => `ses_${String(n).padStart(26, "0")}` as SessionId;

const liveTypes = new Set<string>(LiveEvent.options.map((option) => option.shape.type.value));

export function memorySessionDirectory({ limit = 20_000 } = {}): MemorySessionDirectory {
  const sessions = new Map<SessionId, Held>();
  const listings = new Map<SessionId, SessionListing>();
  const listeners = new Set<() => void>();
  const commands: { session: SessionId; command: Command }[] = [];
  let opened = 0;
  let thrownOut = 0;
  let made = 0;
  const changed = () => {
    for (const listen of listeners) listen();
  };
  const held = (id: SessionId): Held => {
    const found = sessions.get(id);
    if (!found) throw new TroupeError("session_not_found", `there is no session ${id}`);
    return found;
  };

  return {
    commands,
    openCount: () => opened,
    get thrownOut() {
      return thrownOut;
    },
    add(listing) {
      const at = new Date(0).toISOString();
      listings.set(listing.id, { cwd: "/project", startedAt: at, updatedAt: at, state: "reachable", ...listing });
      sessions.set(listing.id, sessions.get(listing.id) ?? { stored: [], readers: new Set() });
      changed();
    },
    remove(id) {
      listings.delete(id);
      changed();
    },
    publish(session, ...events) {
      const { stored, readers } = held(session);
      const envelopes = events.map((event): Envelope => {
        made += 1;
        const isLive = liveTypes.has(event.type);
        const envelope = {
          v: 1,
          id: `evt_${String(made).padStart(26, "0")}`,
          session,
          agent: `agt_${session.slice(4)}`,
          seq: stored.length + (isLive ? 0 : 1),
          at: new Date(made).toISOString(),
          event,
        } as Envelope;
        if (!isLive) stored.push(envelope);
        return envelope;
      });
      for (const reader of readers) reader.push({ kind: "envelopes", envelopes });
      return envelopes;
    },
    setState(session, state) {
      const listing = listings.get(session);
      if (listing) listings.set(session, { ...listing, state });
      for (const reader of held(session).readers) reader.push({ kind: "state", state });
      changed();
    },
    fail(session, error) {
      for (const reader of held(session).readers) reader.fail(error);
    },
    async *sessions(signal) {
      let isNew = true;
      let wake = () => undefined as void;
      const listen = () => {
        isNew = true;
        wake();
      };
      listeners.add(listen);
      signal.addEventListener("abort", listen);
      try {
        while (!signal.aborted) {
          if (isNew) {
            isNew = false;
            yield [...listings.values()];
          } else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        listeners.delete(listen);
      }
    },
    open(id) {
      const session = sessions.get(id);
      if (!session) return Promise.reject(new TroupeError("session_not_found", `there is no session ${id}`));
      opened += 1;
      let isClosed = false;
      return Promise.resolve({
        id,
        events: ({ after, signal }: { after?: Cursor; signal: AbortSignal }) => follow(session, after, signal),
        dispatch(command: Command): Promise<Ack> {
          if (listings.get(id)?.state !== "reachable")
            return Promise.resolve({ ok: false, code: "not_running", message: "no process has it open" });
          commands.push({ session: id, command });
          return Promise.resolve({ ok: true });
        },
        transcript: ({ agent }) =>
          Promise.resolve(
            session.stored.filter((it) => agent === undefined || it.agent === agent) as readonly StoredEnvelope[],
          ),
        close() {
          if (!isClosed) opened -= 1;
          isClosed = true;
          return Promise.resolve();
        },
      });
    },
    close: () => Promise.resolve(),
  };

  async function* follow(
    session: Held,
    after: Cursor | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<ObservedUpdate> {
    let waiting: ObservedUpdate[] = [];
    let problem: Error | undefined;
    let wake = () => undefined as void;
    const reader: Reader = {
      push(item) {
        if (waiting.length >= limit) {
          thrownOut += problem ? 0 : 1;
          problem = new TroupeError("slow_reader", "too far behind");
        } else waiting.push(item);
        wake();
      },
      fail(error) {
        problem = error;
        wake();
      },
    };
    const envelopes = session.stored.filter(({ agent, seq }) => seq > (after?.[agent] ?? 0));
    session.readers.add(reader);
    const abort = () => wake();
    signal.addEventListener("abort", abort);
    try {
      for (let at = 0; at < envelopes.length; at += 1000)
        yield { kind: "envelopes", envelopes: envelopes.slice(at, at + 1000) };
      yield { kind: "caught-up" };
      while (!signal.aborted) {
        const ready = waiting;
        waiting = [];
        for (const item of ready) yield item;
        if (problem) throw problem;
        if (waiting.length === 0 && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      session.readers.delete(reader);
      signal.removeEventListener("abort", abort);
    }
  }
}
