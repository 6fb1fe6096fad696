import type { Clock } from "../../platform/index.ts";
import type { MemberState } from "../../protocol/index.ts";
import type { MemberPresence, OwnPresence, Presence } from "../team/presence/presence.ts";
import {
  alreadyRunningError,
  goneReason,
  ownStateSetter,
  statusOfMember,
  type OwnState,
} from "../team/presence/presence-status.ts";
import type { MemoryIo } from "./memory-io.ts";

/** The published states of a team's members, for all processes. */
export interface MemoryPresence {
  /** A separate handle for each user. Closing it ends the renewals of its members. */
  open(io: MemoryIo, owner: { readonly pid: number }): Presence & { close(): Promise<void> };
}

export interface MemoryPresenceOptions {
  readonly path: string;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly leaseMs: number;
}

/**
 * A live process renews its leases all the time, without a timer: a lease begins to run out when its member is closed
 * or its process dies.
 */
export function createMemoryPresence({ path, clock, leaseMs }: MemoryPresenceOptions): MemoryPresence {
  const published = new Map<string, Published>();
  const now = () => new Date(clock.now()).toISOString();

  const judge = ({ io, pid, renewedAt, name, state, since, detail }: Published): MemberPresence => {
    const expired = renewedAt !== "always" && clock.monotonic() - renewedAt > leaseMs;
    const alive = io.isDead || state === "ended" ? "dead" : expired ? "unknown" : "alive";
    const known = { name, state, since, alive, expired, pid } as const;
    return detail === undefined ? known : { ...known, detail };
  };

  const look = (name: string): MemberPresence | undefined => {
    const known = published.get(name);
    return known && judge(known);
  };

  const open: MemoryPresence["open"] = (io, { pid }) => {
    const own = new Map<string, OwnMember>();

    const publish = (member: OwnMember) => {
      const { name, state, detail, since } = member;
      const before = published.get(name);
      if (before !== undefined && before !== member.last) return lose(member);
      const renewedAt = member.isOpen ? "always" : clock.monotonic();
      member.last = { name, state, detail, since, io, pid, renewedAt };
      published.set(name, member.last);
    };

    const stop = (member: OwnMember) => {
      member.isOpen = false;
      if (member.last?.renewedAt === "always") member.last.renewedAt = clock.monotonic();
      if (own.get(member.name) === member) own.delete(member.name);
    };

    const lose = (member: OwnMember) => {
      stop(member);
      member.lost.abort();
    };

    io.onDeath(() => own.forEach(stop));

    const announce = (name: string, state: MemberState, detail?: string) =>
      io.turn((append): OwnPresence => {
        const before = published.get(name);
        if (before !== undefined && before.io !== io && judge(before).alive === "alive")
          throw alreadyRunningError(name, before.pid);
        const earlier = own.get(name);
        const lost = new AbortController();
        const member: OwnMember = { name, state, detail, since: now(), last: before, isOpen: true, lost };
        append(path, [member], () => {
          publish(member);
          own.set(name, member);
        });
        earlier?.lost.abort();
        return {
          lost: member.lost.signal,
          set: ownStateSetter(member, { now, publish: () => io.turn(() => publish(member)) }),
          close: async () => stop(member),
        };
      });

    return {
      announce,
      look: (name) => io.turn(() => look(name)),
      statusOf: (members) =>
        io.turn(() => members.map((member) => statusOfMember(member, { there: look(member.name), leaseMs }))),
      goneReason: (name) => io.turn(() => goneReason(name, { there: look(name), leaseMs })),
      close: async () => own.forEach(stop),
    };
  };

  return { open };
}

interface Published extends Readonly<Omit<OwnState, "lost">> {
  readonly io: MemoryIo;
  readonly pid: number;
  /** A monotonic time once the renewals have stopped. */
  renewedAt: "always" | number;
}

interface OwnMember extends OwnState {
  /** The published state that this member may replace. */
  last: Published | undefined;
  isOpen: boolean;
}
