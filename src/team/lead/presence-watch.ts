import type { Member, MemberStatus } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";

/** Watches the members of a team: the status of each, and which are gone without notice. */
export interface PresenceWatch {
  statusOf(name: string): MemberStatus | undefined;
  all(): readonly MemberStatus[];
  /** Refreshes now. Concurrent calls share one refresh. */
  refresh(): Promise<void>;
  start(): void;
  close(): Promise<void>;
}

export interface PresenceWatchOptions {
  readonly team: Pick<StoredTeam, "record" | "presence">;
  /** Called with each change, first with the status of every member. */
  readonly onChange: (status: MemberStatus, member: Member) => void;
  /**
   * The process is gone, but the record has no end. Called once each time. `wasSeen`: it was running at the previous
   * refresh.
   */
  readonly onGone: (member: Member, how: { readonly reason: string; readonly wasSeen: boolean }) => Promise<void>;
  /** Called after each refresh. */
  readonly onRefresh?: (() => void) | undefined;
  readonly onFailure: (error: unknown) => void;
  /** The interval between refreshes without other cause. */
  readonly refreshEveryMs?: number | undefined;
}

export function createPresenceWatch(options: PresenceWatchOptions): PresenceWatch {
  const { record, presence } = options.team;
  const refreshEveryMs = options.refreshEveryMs ?? 1_000;
  const statuses = new Map<string, MemberStatus>();
  const gone = new Set<string>();
  const closeController = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let refreshing: Promise<void> | undefined;
  let refreshAgain = false;
  let following: Promise<void> = Promise.resolve();
  /** Before that, a missing member may just not be restarted yet. */
  let isStarted = false;

  const refreshOnce = async () => {
    const { members } = await record.read();
    for (const [index, status] of (await presence.statusOf(members)).entries()) {
      const member = members[index];
      if (!member) continue;
      const before = statuses.get(status.name);
      statuses.set(status.name, status);
      if (!isSame(before, status)) options.onChange(status, member);
      if (member.ended !== undefined || status.alive !== "dead") gone.delete(member.name);
      else if (isStarted && !gone.has(member.name)) {
        gone.add(member.name);
        const reason = (await presence.goneReason(member.name)) ?? "its process is gone";
        await options.onGone(member, { reason, wasSeen: before !== undefined && before.alive !== "dead" });
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
        options.onRefresh?.();
      }
    })().finally(() => {
      refreshing = undefined;
    });
    await refreshing;
  };

  const tick = () => {
    timer = setTimeout(() => {
      refresh().catch(options.onFailure).finally(tick);
    }, refreshEveryMs).unref();
    if (closeController.signal.aborted) clearTimeout(timer);
  };

  const follow = async () => {
    for await (const _ of record.follow(closeController.signal)) await refresh();
  };

  return {
    statusOf: (name) => statuses.get(name),
    all: () => [...statuses.values()],
    refresh,
    start() {
      isStarted = true;
      tick();
      following = follow();
      following.catch((error: unknown) => {
        if (!closeController.signal.aborted) options.onFailure(error);
      });
    },
    async close() {
      closeController.abort(new DOMException("this process no longer leads the team", "AbortError"));
      clearTimeout(timer);
      await Promise.allSettled([refreshing, following]);
    },
  };
}

const isSame = (a: MemberStatus | undefined, b: MemberStatus): boolean =>
  a !== undefined && a.state === b.state && a.detail === b.detail && a.alive === b.alive && a.since === b.since;
