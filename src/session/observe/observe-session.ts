import { type Clock, type CreateId, claimHolder, type FolderWatcher, isAlive } from "../../platform/index.ts";
import type { AgentId, Cursor, Envelope, SessionId, SessionListing } from "../../protocol/index.ts";
import { createFileTeamStore, type SessionFiles, tailSession } from "../../store/index.ts";
import { isLive } from "../../view/index.ts";
import type { Session } from "../session.ts";
import { createBell } from "./bell.ts";
import { doorsFolder } from "./door-place.ts";
import { createFreshParts } from "./fresh-parts.ts";
import { feedFromDoor, feedFromSession, type LiveFeed } from "./live-feed.ts";
import type { Observed } from "./observed-session.ts";
import { createStoredState } from "./stored-state.ts";

export interface ObservePorts {
  readonly home: string;
  readonly id: SessionId;
  readonly files: SessionFiles;
  /** Where the session is open in this process. */
  readonly own?: Session | undefined;
  readonly watcher: FolderWatcher;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/**
 * What is stored comes from disk, always; what happens, from whoever has the session open. An event that is not the next one
 * of its agent shows that some were missed, and those are on disk as well: so it does not matter when a process comes or goes.
 */
export async function* observeSession(
  ports: ObservePorts,
  { after = {}, signal }: { readonly after?: Cursor | undefined; readonly signal: AbortSignal },
): AsyncGenerator<Observed, void, undefined> {
  const { id, files, watcher } = ports;
  const seen = new Map(Object.entries(after) as [AgentId, number][]);
  const tail = tailSession(files, { session: id, seen });
  const parts = createFreshParts();
  const bell = createBell();
  const onDisk = createStoredState({ ...ports, session: id, teams: createFileTeamStore(ports) });
  const stopFollowing = [
    watcher.follow(files.log, bell.ring),
    watcher.followFolder(files.subagents, bell.ring),
    watcher.follow(files.owner, bell.ring),
    watcher.followFolder(doorsFolder(ports.home), bell.ring),
    watcher.hold(),
  ];
  let lead: AgentId | undefined;
  let state: SessionListing["state"] | undefined;
  let isCaughtUp = false;
  let feed: LiveFeed | undefined;
  const leave = () => feed?.close();
  signal.addEventListener("abort", leave, { once: true });

  async function* stored(): AsyncGenerator<Observed> {
    for await (const envelopes of tail.read()) {
      if (signal.aborted) return;
      for (const envelope of envelopes) {
        if (envelope.event.type === "session.opened") lead = envelope.agent;
        parts.heard(envelope);
      }
      yield { kind: "envelopes", envelopes };
    }
  }

  async function* now(next: SessionListing["state"], said: readonly Envelope[]): AsyncGenerator<Observed> {
    if (state !== next) yield { kind: "state", state: next };
    state = next;
    for (const envelope of said) parts.heard(envelope);
    if (said.length > 0) yield { kind: "envelopes", envelopes: said };
    if (!isCaughtUp) yield { kind: "caught-up" };
    isCaughtUp = true;
  }

  async function* live(from: LiveFeed): AsyncGenerator<Observed> {
    for (let batch = await from.next(); batch !== undefined && !signal.aborted; batch = await from.next()) {
      let passed: Envelope[] = [];
      for (const envelope of batch) {
        const known = seen.get(envelope.agent) ?? 0;
        if (!isLive(envelope.event) && envelope.seq <= known) continue;
        if (!isLive(envelope.event) && envelope.seq > known + 1) {
          if (passed.length > 0) yield { kind: "envelopes", envelopes: passed };
          passed = [];
          yield* stored();
          if (envelope.seq <= (seen.get(envelope.agent) ?? 0)) continue;
        }
        if (!isLive(envelope.event)) seen.set(envelope.agent, envelope.seq);
        parts.heard(envelope);
        passed.push(envelope);
      }
      if (passed.length > 0) yield { kind: "envelopes", envelopes: passed };
    }
  }

  const stateOnDisk = async (): Promise<Envelope[]> => {
    lead ??= await leadOf(files, id);
    return lead === undefined ? [] : onDisk.changes({ agent: lead, seq: seen.get(lead) ?? 0 });
  };

  try {
    while (!signal.aborted) {
      yield* stored();
      const own = openHere(ports.own);
      feed = own ? feedFromSession(own, ports) : await feedFromDoor(ports.home, id);
      if (signal.aborted) return;
      if (feed) {
        // Between the last look at the disk and now.
        yield* stored();
        onDisk.forget();
        const since = ports.clock.monotonic();
        yield* now("reachable", feed.now.filter(parts.takes));
        yield* live(feed);
        feed.close();
        feed = undefined;
        // Shut, or too slow a reader: trying again tells, unless nobody is let stay.
        if (ports.clock.monotonic() - since > restMs) continue;
        yield* stored();
      }
      yield* now(stateOfClaim(files), await stateOnDisk());
      await bell.heard(signal);
    }
  } finally {
    signal.removeEventListener("abort", leave);
    feed?.close();
    for (const stop of stopFollowing) stop();
  }
}

/** Who was let in and shut out again within this time comes back when something has changed. */
const restMs = 500;

/** The session while it is open in this process; after that another one may have it. */
export const openHere = (own: Session | undefined): Session | undefined =>
  own?.view().state.kind === "closed" ? undefined : own;

/** Of a session that cannot be reached. */
export function stateOfClaim({ owner }: SessionFiles): "stored" | "open" {
  const holder = claimHolder(owner);
  return holder === undefined || isAlive(holder) === "dead" ? "stored" : "open";
}

/** Where a reader's cursor is past the beginning of the log. */
async function leadOf(files: SessionFiles, session: SessionId): Promise<AgentId | undefined> {
  for await (const envelopes of tailSession(files, { session, seen: new Map() }).read()) return envelopes[0]?.agent;
  return undefined;
}
