import { TroupeError } from "../../../protocol/index.ts";
import type { Bus } from "../connection/bus.ts";
import type { TeamSubjects } from "../team-subjects.ts";
import type { PresenceMessage, PresenceMessages, StoredPresence } from "./presence-messages.ts";
import type { OwnState } from "../../team/presence/presence-status.ts";

/** A member that this process acts for. */
export interface OwnMember extends OwnState {
  sequence: number;
  publishing: Promise<void>;
}

export interface OwnMemberPublisher {
  /** Replaces `before`, or fails with "conflict". Resolves to its sequence number. */
  publishAfter(own: OwnMember, before: number): Promise<number | "conflict">;
  /**
   * Publishes in the order of the calls. While the bus is unreachable it does not wait; the last state is published on
   * reconnect.
   */
  publish(own: OwnMember, more?: Partial<PresenceMessage>): Promise<void>;
  /** Tells that nothing renews the state any more. If that fails, the lease still runs out. */
  publishLast(own: OwnMember): Promise<void>;
}

export interface OwnMemberPublisherOptions {
  readonly presenceMessages: PresenceMessages;
  readonly subjects: TeamSubjects;
  readonly bus: Pick<Bus, "isConnected">;
  /** Another process acts for the member now. */
  readonly onLost: (own: OwnMember) => void;
}

export function createOwnMemberPublisher(options: OwnMemberPublisherOptions): OwnMemberPublisher {
  const { presenceMessages, subjects, bus, onLost } = options;

  const publishAfter = (own: OwnMember, before: number, more: Partial<PresenceMessage> = {}) => {
    const { name, state, detail, since } = own;
    const { here: owner, process } = presenceMessages;
    const word = { owner, process, name, state, ...(detail !== undefined && { detail }), since, ...more };
    return presenceMessages.publishAfter(subjects.presence(name), word, before);
  };

  /** A process that was paused past its lease must not overwrite its successor. */
  const publishUnlessLost = async (own: OwnMember, more: Partial<PresenceMessage>): Promise<void> => {
    while (!own.lost.signal.aborted) {
      const sequence = await publishAfter(own, own.sequence, more);
      if (sequence !== "conflict") {
        own.sequence = sequence;
        return;
      }
      await presenceMessages.refresh();
      const there = presenceMessages.latestOn(subjects.presence(own.name));
      if (there !== undefined && !isFrom(there, presenceMessages)) return onLost(own);
      own.sequence = there?.sequence ?? 0;
    }
  };

  const publish: OwnMemberPublisher["publish"] = async (own, more = {}) => {
    const publishing = own.publishing.then(() => publishUnlessLost(own, more));
    own.publishing = publishing.catch(() => undefined);
    if (bus.isConnected()) await publishing;
  };

  return {
    publishAfter,
    publish,
    publishLast: (own) =>
      publish(own, { isLast: true }).catch((error: unknown) => {
        if (!TroupeError.is(error)) throw error;
      }),
  };
}

/** True if this process published it. */
export const isFrom = ({ word: { owner } }: StoredPresence, { here }: Pick<PresenceMessages, "here">): boolean =>
  owner.pid === here.pid && owner.startedAt === here.startedAt && owner.bootId === here.bootId;
