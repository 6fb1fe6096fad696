import type { InboxEntry } from "../../team/inbox/inbox-fold.ts";
import type { HeldMail } from "../../team/inbox/inbox.ts";
import { followBatches } from "../follow-batches.ts";
import type { InboxView } from "./bus-inbox-view.ts";

/** Yields the entries of `first`, then all new ones. Each appears once, with its state at that moment. */
export async function* followArrivals(
  view: InboxView,
  {
    first,
    keepsRead,
    signal,
  }: { readonly first: () => Iterable<InboxEntry>; readonly keepsRead: boolean; readonly signal: AbortSignal },
): AsyncGenerator<readonly HeldMail[]> {
  let waiting: InboxEntry[] = [];
  let failure: { readonly error: unknown } | undefined;
  let look: () => void = () => undefined;
  const stop = view.onArrival((arrived, failed) => {
    waiting.push(...arrived);
    failure = failed;
    look();
  });
  const take = () => {
    const batch = waiting.flatMap((entry) => currentState(view, entry, keepsRead));
    waiting = [];
    return batch;
  };
  try {
    waiting = [...first()];
    const source = { take, failure: () => failure, onChange: (changed: () => void) => void (look = changed) };
    yield* followBatches(source, signal);
  } finally {
    stop();
  }
}

/** The fold may have been rebuilt since the entry arrived. */
function currentState(view: InboxView, entry: InboxEntry, keepsRead: boolean): HeldMail[] {
  const now = view.fold.entries.get(entry.id);
  const { mail, state } = now ?? { mail: entry.mail, state: "read" as const };
  return mail === undefined || (state === "read" && !keepsRead) ? [] : [{ mail, state }];
}
