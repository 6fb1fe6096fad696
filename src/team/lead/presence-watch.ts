import { type Clock, sleepUnlessAborted } from "../../platform/index.ts";
import type { Member, MemberStatus } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";

/** Watches the members of a team: the status of each, and which are gone without notice. */
export interface PresenceWatch {
  statusOf(name: string): MemberStatus | undefined;
  all(): readonly MemberStatus[];
  /** Refreshes now. Concurrent calls share one refresh. */
  refresh(): Promise<void>;
  /** Refreshes from now on at intervals and after each change of the record. */
  start(listener: PresenceListener): void;
  close(): Promise<void>;
}

export interface PresenceListener {
  /** Called with each change, first with the status of every member. */
  readonly onChange: (status: MemberStatus, member: Member) => void;
  /**
   * The process is gone, but the record has no end. Called once each time. `wasSeen`: it was running at the previous
   * refresh.
   */
  readonly onGone: (member: Member, how: { readonly reason: string; readonly wasSeen: boolean }) => Promise<void>;
  /** Called after each refresh. */
  readonly onRefresh?: (() => void) | undefined;
}

export interface PresenceWatchOptions {
  readonly team: Pick<StoredTeam, "record" | "presence">;
  readonly onFailure: (error: unknown) => void;
  /** The interval between refreshes without other cause. */
  readonly refreshEveryMs?: number | undefined;
  readonly clock: Pick<Clock, "sleep">;
}

export function createPresenceWatch(options: PresenceWatchOptions): PresenceWatch {
  const { record, presence } = options.team;
  const refreshEveryMs = options.refreshEveryMs ?? 1_000;
  const statuses = new Map<string, MemberStatus>();
  const gone = new Set<string>();
  const closeController = new AbortController();
  let refreshing: Promise<void> | undefined;
  let refreshAgain = false;
  let following: Promise<void> = Promise.resolve();
  let ticking: Promise<void> = Promise.resolve();
  /** Before the start, a missing member may just not be restarted yet. */
  let listener: PresenceListener | undefined;

  const refreshOnce = async () => {
    const { members } = await record.read();
    for (const [index, status] of (await presence.statusOf(members)).entries()) {
      const member = members[index];
      if (!member) continue;
      const before = statuses.get(status.name);
      statuses.set(status.name, status);
      if (!isSame(before, status)) listener?.onChange(status, member);
      if (member.ended !== undefined || status.alive !== "dead") gone.delete(member.name);
      else if (listener && !gone.has(member.name)) {
        gone.add(member.name);
        const reason = (await presence.goneReason(member.name)) ?? "its process is gone";
        await listener.onGone(member, { reason, wasSeen: before !== undefined && before.alive !== "dead" });
      }
    }
  };

  const refresh = async (): Promise<void> => {
    if (closeController.signal.aborted) return;
    refreshAgain = true;
    refreshing ??= (async () => {
      while (refreshAgain && !closeController.signal.aborted) {
        refreshAgain = false;
        await refreshOnce();
        listener?.onRefresh?.();
      }
    })().finally(() => {
      refreshing = undefined;
    });
    await refreshing;
  };

  const tick = async () => {
    while (await sleepUnlessAborted(options.clock, refreshEveryMs, closeController.signal))
      await refresh().catch(options.onFailure);
  };

  const follow = async () => {
    for await (const _ of record.follow(closeController.signal)) await refresh();
  };

  return {
    statusOf: (name) => statuses.get(name),
    all: () => [...statuses.values()],
    refresh,
    start(wanted) {
      listener = wanted;
      ticking = tick();
      following = follow();
      following.catch((error: unknown) => {
        if (!closeController.signal.aborted) options.onFailure(error);
      });
    },
    async close() {
      closeController.abort(new DOMException("this process no longer leads the team", "AbortError"));
      await Promise.allSettled([refreshing, following, ticking]);
    },
  };
}

const isSame = (a: MemberStatus | undefined, b: MemberStatus): boolean =>
  a !== undefined && a.state === b.state && a.detail === b.detail && a.alive === b.alive && a.since === b.since;
