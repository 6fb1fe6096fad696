import type { SessionId, SessionListing, SessionSummary } from "../../protocol/index.ts";
import type { SessionDirectory } from "../../session/index.ts";
import { dropTranscript, emptyView, reduce, type SessionView } from "../../view/index.ts";
import { summarizeSession } from "./summarize-session.ts";

/** Summaries of the sessions of this machine. They are computed only while a page listens. */
export interface SessionSummaries {
  /** Calls the listener with the known summaries, and again with those that change. */
  listen(listener: (summaries: readonly SessionSummary[]) => void, signal: AbortSignal): void;
  /** Resolves when no session is read any more. */
  close(): Promise<void>;
}

/** Only the newest closed sessions are read, and only the beginning of a very long log. */
const [mostStored, mostEvents] = [150, 20_000];
/** The minimum time between two summaries of a session. */
const pauseMs = 300;

export function createSessionSummaries(
  sessionDirectory: SessionDirectory,
  onFailure: (error: unknown) => void,
): SessionSummaries {
  const listeners = new Set<(summaries: readonly SessionSummary[]) => void>();
  const known = new Map<SessionId, SessionSummary>();
  /** The closed sessions that were read, with the time of their last change. */
  const readAt = new Map<SessionId, string>();
  const following = new Map<SessionId, AbortController>();
  const running = new Set<Promise<void>>();
  let stored: readonly SessionListing[] = [];
  let isReading = false;
  let work: AbortController | undefined;

  const run = (task: Promise<void>, signal: AbortSignal) => {
    const safe = task.catch((error: unknown) => {
      if (!signal.aborted) onFailure(error);
    });
    running.add(safe);
    void safe.then(() => running.delete(safe));
  };
  const tell = (summary: SessionSummary) => {
    if (JSON.stringify(known.get(summary.session)) === JSON.stringify(summary)) return;
    known.set(summary.session, summary);
    for (const listener of listeners) listener([summary]);
  };
  const follow = (listing: SessionListing, all: AbortSignal) => {
    const own = new AbortController();
    following.set(listing.id, own);
    readAt.delete(listing.id);
    const signal = AbortSignal.any([own.signal, all]);
    run(followSession({ sessionDirectory, listing, signal, tell }), signal);
  };
  const update = (list: readonly SessionListing[], signal: AbortSignal) => {
    const open = new Map(list.filter(isOpen).map((listing) => [listing.id, listing]));
    for (const [id, own] of following) {
      if (open.has(id)) continue;
      own.abort();
      following.delete(id);
    }
    for (const [id, listing] of open) if (!following.has(id)) follow(listing, signal);
    stored = list
      .filter((listing) => listing.state === "stored" && !listing.isElsewhere && listing.problem === undefined)
      .slice(0, mostStored);
    if (!isReading) run(readStored(signal), signal);
  };
  const readStored = async (signal: AbortSignal) => {
    isReading = true;
    try {
      for (let next = unread(); next && !signal.aborted; next = unread()) {
        readAt.set(next.id, next.updatedAt);
        await readSession({ sessionDirectory, listing: next, signal, tell });
        if (signal.aborted) readAt.delete(next.id);
      }
    } finally {
      isReading = false;
    }
  };
  const unread = () => stored.find(({ id, updatedAt }) => readAt.get(id) !== updatedAt);
  const watch = async (signal: AbortSignal) => {
    for await (const list of sessionDirectory.sessions(signal)) update(list, signal);
  };

  return {
    listen(listener, signal) {
      if (signal.aborted) return;
      listeners.add(listener);
      if (known.size > 0) listener([...known.values()]);
      if (!work) {
        work = new AbortController();
        run(watch(work.signal), work.signal);
      }
      const leave = () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        work?.abort();
        work = undefined;
        following.clear();
      };
      signal.addEventListener("abort", leave, { once: true });
    },
    async close() {
      work?.abort();
      await Promise.all(running);
    },
  };
}

const isOpen = ({ state, isElsewhere }: SessionListing): boolean => state !== "stored" && !isElsewhere;

interface Reading {
  readonly sessionDirectory: SessionDirectory;
  readonly listing: SessionListing;
  readonly signal: AbortSignal;
  readonly tell: (summary: SessionSummary) => void;
}

/** Follows an open session until the signal aborts. */
async function followSession({ sessionDirectory, listing, signal, tell }: Reading): Promise<void> {
  const observed = await sessionDirectory.open(listing.id);
  let view = emptyView;
  let isCaughtUp = false;
  let { state } = listing;
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    timer = undefined;
    if (!signal.aborted) tell(summarizeSession(view, { id: listing.id, state }, false));
  };
  try {
    for await (const item of observed.events({ signal })) {
      if (item.kind === "envelopes") view = folded(view, item.envelopes);
      if (item.kind === "state") state = item.state;
      isCaughtUp ||= item.kind === "caught-up";
      if (isCaughtUp) timer ??= setTimeout(send, pauseMs).unref();
    }
  } finally {
    clearTimeout(timer);
    await observed.close();
  }
}

/** Reads a closed session once. */
async function readSession({ sessionDirectory, listing, signal, tell }: Reading): Promise<void> {
  const done = new AbortController();
  const observed = await sessionDirectory.open(listing.id);
  let view = emptyView;
  let count = 0;
  try {
    for await (const item of observed.events({ signal: AbortSignal.any([signal, done.signal]) })) {
      if (item.kind === "envelopes") {
        view = folded(view, item.envelopes);
        count += item.envelopes.length;
      }
      if (item.kind === "caught-up" || count > mostEvents) break;
    }
    if (!signal.aborted) tell(summarizeSession(view, listing, count > mostEvents));
  } finally {
    done.abort();
    await observed.close();
  }
}

/** Keeps no transcripts: the list needs only states and amounts. */
function folded(view: SessionView, envelopes: readonly Parameters<typeof reduce>[1][]): SessionView {
  let next = view;
  for (const envelope of envelopes) {
    const isNew = !next.agentIndex.has(envelope.agent);
    next = reduce(next, envelope);
    if (isNew) next = dropTranscript(next, envelope.agent);
  }
  return next;
}
