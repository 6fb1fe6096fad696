import { onTestFinished } from "vitest";
import type { Cursor, Envelope, SessionId, SessionListing } from "../../../src/protocol/index.ts";
import {
  type SessionDirectory,
  type ObservedUpdate,
  openSessionDirectory,
  type Session,
} from "../../../src/session/index.ts";

/** A session directory that is closed after the test. */
export function sessionDirectoryOf(home: string, own?: Session): SessionDirectory {
  const sessionDirectory = openSessionDirectory({ home, own });
  onTestFinished(() => sessionDirectory.close());
  return sessionDirectory;
}

/** Waits until the list has a session that matches. */
export async function listed(
  sessionDirectory: SessionDirectory,
  wanted: (session: SessionListing) => boolean,
): Promise<SessionListing> {
  const over = new AbortController();
  for await (const sessions of sessionDirectory.sessions(over.signal)) {
    const found = sessions.find(wanted);
    if (found) return found;
  }
  throw new Error("the list has ended");
}

export const isReachable = ({ state }: SessionListing): boolean => state === "reachable";

/** Follows a session as a client and keeps all updates. */
export interface Watch {
  readonly told: readonly ObservedUpdate[];
  readonly envelopes: readonly Envelope[];
  /** The position in the stream. */
  cursor(): Cursor;
  /** Resolves with the first update, past or future, that matches. */
  saw(wanted: (observed: ObservedUpdate, index: number) => boolean): Promise<ObservedUpdate>;
  event(wanted: (envelope: Envelope, index: number) => boolean): Promise<Envelope>;
  caughtUp(): Promise<unknown>;
  state(state: string): Promise<unknown>;
  /** Resolves when the stream has ended. Rejects with its error. */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

export async function watch(sessionDirectory: SessionDirectory, id: SessionId, after?: Cursor): Promise<Watch> {
  const session = await sessionDirectory.open(id);
  const over = new AbortController();
  const told: ObservedUpdate[] = [];
  const envelopes: Envelope[] = [];
  const lookers = new Set<() => void>();
  let failure: unknown;
  let isOver = false;
  const done = (async () => {
    try {
      for await (const observed of session.events({ ...(after && { after }), signal: over.signal })) {
        told.push(observed);
        if (observed.kind === "envelopes") envelopes.push(...observed.envelopes);
        for (const look of lookers) look();
      }
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      isOver = true;
      for (const look of lookers) look();
      await session.close();
    }
  })();
  done.catch(() => undefined); // pending waits get the error
  onTestFinished(() => over.abort());
  const find = <T>(things: readonly T[], wanted: (thing: T, index: number) => boolean): Promise<T> =>
    new Promise((resolve, reject) => {
      let at = 0;
      const look = () => {
        for (; at < things.length; at++) {
          const thing = things[at] as T;
          if (!wanted(thing, at)) continue;
          lookers.delete(look);
          return resolve(thing);
        }
        if (isOver) reject(failure ?? new Error(`the stream ended before; it told: ${JSON.stringify(told.slice(-5))}`));
      };
      lookers.add(look);
      look();
    });
  return {
    told,
    envelopes,
    cursor: () => Object.fromEntries(envelopes.map(({ agent, seq }) => [agent, seq])),
    saw: (wanted) => find(told, wanted),
    event: (wanted) => find(envelopes, wanted),
    caughtUp: () => find(told, ({ kind }) => kind === "caught-up"),
    state: (state) => find(told, (each) => each.kind === "state" && each.state === state),
    done,
    async stop() {
      over.abort();
      await done;
    },
  };
}
