import type { Member, MemberStatus } from "../protocol/index.ts";
import type { StoredTeam } from "../store/index.ts";

/** Looks after the members of a team: how each of them is, and who is gone without a word. */
export interface MemberWatch {
  statusOf(name: string): MemberStatus | undefined;
  all(): readonly MemberStatus[];
  /** Looks now; several calls at once are one look. */
  look(): Promise<void>;
  start(): void;
  close(): Promise<void>;
}

export interface MemberWatchOptions {
  readonly team: Pick<StoredTeam, "record" | "presence">;
  /** Told of each change, and first of how everybody is. */
  readonly onChange: (status: MemberStatus, member: Member) => void;
  /**
   * Its process is gone, and the record does not say that it has ended. Told once for each time that happens; `wasSeen`:
   * it was there when it was looked at before.
   */
  readonly onGone: (member: Member, how: { readonly why: string; readonly wasSeen: boolean }) => Promise<void>;
  /** It has looked. */
  readonly onLook?: (() => void) | undefined;
  readonly onFailure: (error: unknown) => void;
  /** Between two looks while nobody gives a reason for one. */
  readonly everyMs?: number | undefined;
}

export function createMemberWatch(options: MemberWatchOptions): MemberWatch {
  const { record, presence } = options.team;
  const everyMs = options.everyMs ?? 1_000;
  const known = new Map<string, MemberStatus>();
  const gone = new Set<string>();
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let again = false;
  let following: Promise<void> = Promise.resolve();
  /** Before that, who is not there may just not have been brought back yet. */
  let isStarted = false;

  const lookOnce = async () => {
    const { members } = await record.read();
    for (const [index, status] of (await presence.statusOf(members)).entries()) {
      const member = members[index];
      if (!member) continue;
      const before = known.get(status.name);
      known.set(status.name, status);
      if (!isSame(before, status)) options.onChange(status, member);
      if (member.ended !== undefined || status.alive !== "dead") gone.delete(member.name);
      else if (isStarted && !gone.has(member.name)) {
        gone.add(member.name);
        const why = (await presence.whyGone(member.name)) ?? "its process is gone";
        await options.onGone(member, { why, wasSeen: before !== undefined && before.alive !== "dead" });
      }
    }
  };

  const look = async (): Promise<void> => {
    if (over.signal.aborted) return;
    again = true;
    looking ??= (async () => {
      while (again && !over.signal.aborted) {
        again = false;
        await lookOnce();
        options.onLook?.();
      }
    })().finally(() => {
      looking = undefined;
    });
    await looking;
  };

  const tick = () => {
    timer = setTimeout(() => {
      look().catch(options.onFailure).finally(tick);
    }, everyMs).unref();
    if (over.signal.aborted) clearTimeout(timer);
  };

  const follow = async () => {
    for await (const _ of record.follow(over.signal)) await look();
  };

  return {
    statusOf: (name) => known.get(name),
    all: () => [...known.values()],
    look,
    start() {
      isStarted = true;
      tick();
      following = follow();
      following.catch((error: unknown) => {
        if (!over.signal.aborted) options.onFailure(error);
      });
    },
    async close() {
      over.abort(new DOMException("the team is no longer led from here", "AbortError"));
      clearTimeout(timer);
      await Promise.allSettled([looking, following]);
    },
  };
}

const isSame = (a: MemberStatus | undefined, b: MemberStatus): boolean =>
  a !== undefined && a.state === b.state && a.detail === b.detail && a.alive === b.alive && a.since === b.since;
