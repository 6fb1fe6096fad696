import { messageOf, TroupeError } from "../protocol/index.ts";
import {
  addNotice,
  type AppState,
  emptyView,
  reduceRemoteMember,
  withRemoteMember,
  remoteMembers,
} from "../view/index.ts";
import type { FollowOptions } from "./follow-session.ts";

export type FollowMembersOptions = Pick<FollowOptions, "store" | "now" | "signal"> & {
  readonly listen: NonNullable<FollowOptions["followMember"]>;
};

/**
 * Follows members in other processes while they run, so that their rows show as much as local ones. Returns a function
 * to call when the rows have changed.
 */
export function followMembers({ store, now, listen, signal }: FollowMembersOptions): (state: AppState) => void {
  const views = new Map<string, AbortController>();

  const follow = async (id: string, session: Parameters<typeof listen>[0], until: AbortSignal) => {
    let view = emptyView;
    for await (const envelopes of listen(session, until)) {
      for (const envelope of envelopes) view = reduceRemoteMember(view, envelope);
      store.setState((state) => withRemoteMember(state, id, view));
    }
  };

  return (state) => {
    const current = new Map(remoteMembers(state).map((task) => [`${task.id} ${task.sessionId}`, task]));
    for (const [key, done] of views) {
      if (current.has(key)) continue;
      views.delete(key);
      done.abort();
    }
    for (const [key, { id, name, sessionId }] of current) {
      if (views.has(key) || sessionId === undefined) continue;
      const done = new AbortController();
      views.set(key, done);
      follow(id, sessionId, AbortSignal.any([signal, done.signal])).catch((error: unknown) => {
        if (signal.aborted || done.signal.aborted) return;
        // The session does not exist yet. The next change tries again.
        if (TroupeError.is(error) && error.code === "session_not_found") return void views.delete(key);
        const text = `cannot follow ${name}: ${messageOf(error)}`;
        store.setState((before) => addNotice(before, { level: "warning", text, until: now() + 10_000 }));
      });
    }
  };
}
