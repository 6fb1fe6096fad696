import type { Clock } from "../../../platform/index.ts";
import { type Member, type MemberState, type MemberStatus, TroupeError } from "../../../protocol/index.ts";
import type { MemberPresence, OwnPresence, Presence } from "../../team/presence/presence.ts";
import { alreadyRunningError, setOwnState, statusOfMember, goneReason } from "../../team/presence/presence-status.ts";
import type { Bus } from "../connection/bus.ts";
import type { StoredPresence, PresenceMessages, PresenceMessage } from "./presence-messages.ts";
import type { TeamSubjects } from "../team-subjects.ts";

/** The presence of members on the bus. */
export function createBusPresence(options: {
  readonly presenceMessages: PresenceMessages;
  readonly subjects: TeamSubjects;
  readonly clock: Pick<Clock, "now">;
  readonly leaseMs: number;
  readonly bus: Pick<Bus, "isConnected" | "onReconnect">;
}): Presence & { close(): Promise<void> } {
  const { presenceMessages, subjects, clock, leaseMs, bus } = options;
  const ownMembers = new Map<string, OwnMember>();
  const now = () => new Date(clock.now()).toISOString();

  const announce = async (name: string, state: MemberState, detail?: string): Promise<OwnPresence> => {
    const subject = subjects.presence(name);
    const own: OwnMember = {
      name,
      state,
      detail,
      since: now(),
      sequence: 0,
      isPublished: true,
      lost: new AbortController(),
      publishing: Promise.resolve(),
    };
    for (;;) {
      await presenceMessages.refresh();
      const before = presenceMessages.latestOn(subject);
      if (before !== undefined && !isOurs(before) && aliveOf(before) === "alive")
        throw alreadyRunningError(name, before.word.owner.pid);
      const said = await presenceMessages.publishAfter(subject, wordsOf(own), before?.sequence ?? 0);
      if (said === "conflict") continue;
      own.sequence = said;
      break;
    }
    const earlier = ownMembers.get(name);
    ownMembers.set(name, own);
    if (earlier) markLost(earlier);
    return {
      lost: own.lost.signal,
      set: (nextState, nextDetail) =>
        setOwnState(own, { state: nextState, detail: nextDetail }, { now, publish: () => publishNow(own) }),
      close: async () => {
        if (ownMembers.get(name) !== own) return;
        ownMembers.delete(name);
        await publishLast(own);
      },
    };
  };

  const isOurs = ({ word: { owner } }: StoredPresence): boolean => {
    const { here } = presenceMessages;
    return owner.pid === here.pid && owner.startedAt === here.startedAt && owner.bootId === here.bootId;
  };

  const wordsOf = (
    { name, state, detail, since }: OwnMember,
    more: Partial<PresenceMessage> = {},
  ): PresenceMessage => ({
    owner: presenceMessages.here,
    process: presenceMessages.process,
    name,
    state,
    ...(detail !== undefined && { detail }),
    since,
    ...more,
  });

  /**
   * Publishes in the order of the calls. While the bus is unreachable it does not wait; the last state is published on
   * reconnect.
   */
  const publishNow = async (own: OwnMember, more: Partial<PresenceMessage> = {}): Promise<void> => {
    own.isPublished = false;
    const publishing = own.publishing.then(() => publish(own, more));
    own.publishing = publishing.catch(() => undefined);
    if (bus.isConnected()) await publishing;
  };

  /** If publishing fails, the lease still runs out. */
  const publishLast = (own: OwnMember) =>
    publishNow(own, { isLast: true }).catch((error: unknown) => {
      if (!TroupeError.is(error)) throw error;
    });

  /** A process that was paused past its lease must not overwrite its successor. */
  const publish = async (own: OwnMember, more: Partial<PresenceMessage>): Promise<void> => {
    const subject = subjects.presence(own.name);
    while (!own.lost.signal.aborted) {
      const said = await presenceMessages.publishAfter(subject, wordsOf(own, more), own.sequence);
      if (said !== "conflict") {
        Object.assign(own, { sequence: said, isSaid: true });
        return;
      }
      await presenceMessages.refresh();
      const there = presenceMessages.latestOn(subject);
      if (there !== undefined && !isOurs(there)) return markLost(own);
      own.sequence = there?.sequence ?? 0;
    }
  };

  const markLost = (own: OwnMember) => {
    if (ownMembers.get(own.name) === own) ownMembers.delete(own.name);
    own.lost.abort();
  };

  const stopWaiting = bus.onReconnect(() => {
    for (const own of ownMembers.values())
      if (!own.isPublished) own.publishing = own.publishing.then(() => publish(own, {})).catch(() => undefined);
  });
  const stopListening = presenceMessages.onMessage((subject, stored) => {
    for (const own of ownMembers.values())
      if (subjects.presence(own.name) === subject && stored.sequence > own.sequence && !isOurs(stored)) markLost(own);
  });

  const aliveOf = (stored: StoredPresence): MemberStatus["alive"] => {
    const { process, expired } = presenceMessages.livenessOf(stored);
    return process === "dead" || stored.word.state === "ended" ? "dead" : expired ? "unknown" : process;
  };

  const look = (name: string): MemberPresence | undefined => {
    const stored = presenceMessages.latestOn(subjects.presence(name));
    if (stored === undefined || stored.word.name !== name) return undefined;
    const { state = "starting", detail, since = now(), owner } = stored.word;
    const { expired } = presenceMessages.livenessOf(stored);
    const alive = aliveOf(stored);
    return { name, state, ...(detail !== undefined && { detail }), since, alive, expired, pid: owner.pid };
  };

  return {
    announce,
    look: async (name) => {
      await presenceMessages.refresh();
      return look(name);
    },
    statusOf: async (members: readonly Member[]) => {
      await presenceMessages.refresh();
      return members.map((member) => statusOfMember(member, { there: look(member.name), leaseMs }));
    },
    goneReason: async (name) => {
      // Without contact to the bus, no member may be declared gone.
      if ((await presenceMessages.refresh()) === "stale") return undefined;
      return goneReason(name, { there: look(name), leaseMs });
    },
    close: async () => {
      stopListening();
      stopWaiting();
      const all = [...ownMembers.values()];
      ownMembers.clear();
      if (!bus.isConnected()) return;
      for (const own of all) await publishLast(own);
    },
  };
}

interface OwnMember {
  readonly name: string;
  readonly lost: AbortController;
  state: MemberState;
  detail: string | undefined;
  since: string;
  sequence: number;
  /** The last state is stored on the bus. */
  isPublished: boolean;
  publishing: Promise<void>;
}
