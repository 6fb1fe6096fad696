import type { Clock } from "../../../platform/index.ts";
import type { Member, MemberState, MemberStatus } from "../../../protocol/index.ts";
import type { MemberPresence, OwnPresence, Presence } from "../../team/presence/presence.ts";
import {
  alreadyRunningError,
  ownStateSetter,
  statusOfMember,
  goneReason,
} from "../../team/presence/presence-status.ts";
import type { Bus } from "../connection/bus.ts";
import type { StoredPresence, PresenceMessages } from "./presence-messages.ts";
import { createOwnMemberPublisher, isFrom, type OwnMember } from "./publish-own-member.ts";
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
  const markLost = (own: OwnMember) => {
    if (ownMembers.get(own.name) === own) ownMembers.delete(own.name);
    own.lost.abort();
  };
  const publisher = createOwnMemberPublisher({ ...options, onLost: markLost });

  const announce = async (name: string, state: MemberState, detail?: string): Promise<OwnPresence> => {
    const subject = subjects.presence(name);
    const own: OwnMember = {
      name,
      state,
      detail,
      since: now(),
      sequence: 0,
      lost: new AbortController(),
      publishing: Promise.resolve(),
    };
    for (;;) {
      await presenceMessages.refresh();
      const before = presenceMessages.latestOn(subject);
      if (before !== undefined && !isFrom(before, presenceMessages) && aliveOf(before) === "alive")
        throw alreadyRunningError(name, before.word.owner.pid);
      const said = await publisher.publishAfter(own, before?.sequence ?? 0);
      if (said === "conflict") continue;
      own.sequence = said;
      break;
    }
    const earlier = ownMembers.get(name);
    ownMembers.set(name, own);
    if (earlier) markLost(earlier);
    return {
      lost: own.lost.signal,
      set: ownStateSetter(own, { now, publish: () => publisher.publish(own) }),
      close: async () => {
        if (ownMembers.get(name) !== own) return;
        ownMembers.delete(name);
        await publisher.publishLast(own);
      },
    };
  };

  const stopWaiting = bus.onReconnect(() => {
    // A failure shows when the state next changes, or when the lease runs out.
    for (const own of ownMembers.values()) publisher.publish(own).catch(() => undefined);
  });
  const stopListening = presenceMessages.onMessage((subject, stored) => {
    for (const own of ownMembers.values())
      if (
        subjects.presence(own.name) === subject &&
        stored.sequence > own.sequence &&
        !isFrom(stored, presenceMessages)
      )
        markLost(own);
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
      for (const own of all) await publisher.publishLast(own);
    },
  };
}
