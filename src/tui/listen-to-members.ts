import { TroupeError } from "../protocol/index.ts";
import {
  addNotice,
  type AppState,
  emptyView,
  reduceRemoteMember,
  withRemoteMember,
  remoteMembers,
} from "../view/index.ts";
import type { FollowOptions } from "./follow-session.ts";

export type ListenOptions = Pick<FollowOptions, "store" | "now" | "signal"> & {
  readonly listen: NonNullable<FollowOptions["listen"]>;
};

/**
 * Listens to members in other processes as long as they are there, so that their rows say as much as those of others. Gives
 * back what has to be called when the tasks have changed.
 */
export function listenToMembers({ store, now, listen, signal }: ListenOptions): (state: AppState) => void {
  const heard = new Map<string, AbortController>();

  const follow = async (id: string, session: Parameters<typeof listen>[0], until: AbortSignal) => {
    let view = emptyView;
    for await (const envelopes of listen(session, until)) {
      for (const envelope of envelopes) view = reduceRemoteMember(view, envelope);
      store.setState((state) => withRemoteMember(state, id, view));
    }
  };

  return (state) => {
    const there = new Map(remoteMembers(state).map((task) => [`${task.id} ${task.sessionId}`, task]));
    for (const [key, over] of heard) {
      if (there.has(key)) continue;
      heard.delete(key);
      over.abort();
    }
    for (const [key, { id, name, sessionId }] of there) {
      if (heard.has(key) || sessionId === undefined) continue;
      const over = new AbortController();
      heard.set(key, over);
      follow(id, sessionId, AbortSignal.any([signal, over.signal])).catch((error: unknown) => {
        if (signal.aborted || over.signal.aborted) return;
        // It has not begun yet: looked for again when more is known of it.
        if (TroupeError.is(error) && error.code === "session_not_found") return void heard.delete(key);
        const text = `what ${name} does cannot be followed: ${error instanceof Error ? error.message : String(error)}`;
        store.setState((before) => addNotice(before, { level: "warning", text, until: now() + 10_000 }));
      });
    }
  };
}
