import { type Clock, type CreateId, claimHolder, type FolderWatcher, isAlive } from "../../platform/index.ts";
import type { AgentId, Cursor, Envelope, SessionId, SessionListing } from "../../protocol/index.ts";
import { createFileTeamStore, type SessionFiles, tailSession } from "../../store/index.ts";
import { isLive } from "../../view/index.ts";
import type { Session } from "../session.ts";
import { createCoalescedSignal } from "./coalesced-signal.ts";
import { socketsFolder } from "./socket-path.ts";
import { createPartialTextTracker } from "./partial-text-catch-up.ts";
import { feedFromSocket, feedFromSession, type LiveFeed } from "./live-feed.ts";
import type { ObservedUpdate } from "./observed-session.ts";
import { createStoredState } from "./stored-state.ts";

export interface ObservePorts {
  readonly home: string;
  readonly id: SessionId;
  readonly files: SessionFiles;
  /** Set if the session is open in this process. */
  readonly own?: Session | undefined;
  readonly watcher: FolderWatcher;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/**
 * Reads stored events from disk and live events from the process that has the session open. A gap in an agent's
 * sequence numbers means that events were missed. They are on disk too, so processes may come and go at any time.
 */
export async function* observeSession(
  ports: ObservePorts,
  { after = {}, signal }: { readonly after?: Cursor | undefined; readonly signal: AbortSignal },
): AsyncGenerator<ObservedUpdate, void, undefined> {
  const { id, files, watcher } = ports;
  const seen = new Map(Object.entries(after) as [AgentId, number][]);
  const tail = tailSession(files, { session: id, seen });
  const partialText = createPartialTextTracker();
  const changeSignal = createCoalescedSignal();
  const storedState = createStoredState({ ...ports, session: id, teams: createFileTeamStore(ports) });
  const stopFollowing = [
    watcher.follow(files.log, changeSignal.notify),
    watcher.followFolder(files.subagents, changeSignal.notify),
    watcher.follow(files.owner, changeSignal.notify),
    watcher.followFolder(socketsFolder(ports.home), changeSignal.notify),
    watcher.hold(),
  ];
  let lead: AgentId | undefined;
  let state: SessionListing["state"] | undefined;
  let isCaughtUp = false;
  let feed: LiveFeed | undefined;
  const closeFeed = () => feed?.close();
  signal.addEventListener("abort", closeFeed, { once: true });

  async function* readStored(): AsyncGenerator<ObservedUpdate> {
    for await (const envelopes of tail.read()) {
      if (signal.aborted) return;
      for (const envelope of envelopes) {
        if (envelope.event.type === "session.opened") lead = envelope.agent;
        partialText.markSent(envelope);
      }
      yield { kind: "envelopes", envelopes };
    }
  }

  async function* sendState(
    next: SessionListing["state"],
    envelopes: readonly Envelope[],
  ): AsyncGenerator<ObservedUpdate> {
    if (state !== next) yield { kind: "state", state: next };
    state = next;
    for (const envelope of envelopes) partialText.markSent(envelope);
    if (envelopes.length > 0) yield { kind: "envelopes", envelopes };
    if (!isCaughtUp) yield { kind: "caught-up" };
    isCaughtUp = true;
  }

  async function* followFeed(from: LiveFeed): AsyncGenerator<ObservedUpdate> {
    for (let batch = await from.next(); batch !== undefined && !signal.aborted; batch = await from.next()) {
      let accepted: Envelope[] = [];
      for (const envelope of batch) {
        const known = seen.get(envelope.agent) ?? 0;
        if (!isLive(envelope.event) && envelope.seq <= known) continue;
        if (!isLive(envelope.event) && envelope.seq > known + 1) {
          if (accepted.length > 0) yield { kind: "envelopes", envelopes: accepted };
          accepted = [];
          yield* readStored();
          if (envelope.seq <= (seen.get(envelope.agent) ?? 0)) continue;
        }
        if (!isLive(envelope.event)) seen.set(envelope.agent, envelope.seq);
        partialText.markSent(envelope);
        accepted.push(envelope);
      }
      if (accepted.length > 0) yield { kind: "envelopes", envelopes: accepted };
    }
  }

  const stateOnDisk = async (): Promise<Envelope[]> => {
    lead ??= await leadOf(files, id);
    return lead === undefined ? [] : storedState.changes({ agent: lead, seq: seen.get(lead) ?? 0 });
  };

  try {
    while (!signal.aborted) {
      yield* readStored();
      const own = openInProcess(ports.own);
      feed = own ? feedFromSession(own, ports) : await feedFromSocket(ports.home, id);
      if (signal.aborted) return;
      if (feed) {
        // Events stored since the last read.
        yield* readStored();
        storedState.forget();
        const since = ports.clock.monotonic();
        yield* sendState("reachable", feed.now.filter(partialText.canSend));
        yield* followFeed(feed);
        feed.close();
        feed = undefined;
        // The socket was closed or the reader was too slow. Try again, unless the feed ended at once.
        if (ports.clock.monotonic() - since > minFeedMs) continue;
        yield* readStored();
      }
      yield* sendState(stateOfClaim(files), await stateOnDisk());
      await changeSignal.wait(signal);
    }
  } finally {
    signal.removeEventListener("abort", closeFeed);
    feed?.close();
    for (const stop of stopFollowing) stop();
  }
}

/** If a feed ends within this time, the next attempt waits for a change. */
const minFeedMs = 500;

/** The session while it is open in this process. Later another process may open it. */
export const openInProcess = (own: Session | undefined): Session | undefined =>
  own?.view().state.kind === "closed" ? undefined : own;

/** The state of a session that cannot be reached. */
export function stateOfClaim({ owner }: SessionFiles): "stored" | "open" {
  const holder = claimHolder(owner);
  return holder === undefined || isAlive(holder) === "dead" ? "stored" : "open";
}

/** Needed when a reader's cursor is past the beginning of the log. */
async function leadOf(files: SessionFiles, session: SessionId): Promise<AgentId | undefined> {
  for await (const envelopes of tailSession(files, { session, seen: new Map() }).read()) return envelopes[0]?.agent;
  return undefined;
}
