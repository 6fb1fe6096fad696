import type { MailBody, MailId, MailListing, MailState } from "../../../src/protocol/index.ts";
import type { MailFacts } from "../../../src/view/index.ts";

/** A mail as it is drawn. Names and texts are as they came. */
export interface MailItem {
  readonly id: MailId;
  readonly team: string;
  readonly from: string;
  readonly to: string;
  readonly at: string;
  readonly kind: string;
  readonly summary: string;
  readonly state: MailState;
  readonly isUrgent: boolean;
  /** What the team has kept of it; undefined where that is nothing any more. */
  readonly stored: MailListing | undefined;
  /** Where it is in its receiver's log. */
  readonly place: MailFacts["place"];
}

interface Sources {
  readonly facts: readonly MailFacts[];
  readonly listings: ReadonlyMap<MailId, MailListing>;
  /** A moment that is past: only what had happened then is there, as it was then. */
  readonly isPast: boolean;
}

/** What the logs say and what the team has kept, as one; by when it was sent. */
export function mailItemsOf({ facts, listings, isPast }: Sources): readonly MailItem[] {
  const mail: MailItem[] = facts.map((each) => {
    const stored = listings.get(each.id);
    return {
      ...each,
      from: each.from || (stored?.mail.from ?? "?"),
      to: each.to || (stored?.mail.to ?? "?"),
      at: stored?.mail.timestamp ?? each.sentAt ?? each.receivedAt ?? each.readAt ?? "",
      state: isPast ? stateIn(each) : laterState(stateIn(each), stored?.state),
      isUrgent: stored?.mail.urgent === true,
      stored,
    };
  });
  if (!isPast) {
    const known = new Set(facts.map(({ id }) => id));
    for (const stored of listings.values()) if (!known.has(stored.mail.id)) mail.push(mailItemFrom(stored));
  }
  return mail.sort((a, b) => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at < b.at ? -1 : 1));
}

function mailItemFrom(stored: MailListing): MailItem {
  const { team, state, mail } = stored;
  const { id, from, to, timestamp: at, summary = "", urgent, body } = mail;
  return {
    id,
    team,
    from,
    to,
    at,
    kind: body.kind,
    summary,
    state,
    isUrgent: urgent === true,
    stored,
    place: undefined,
  };
}

const stateIn = ({ receivedAt, readAt }: MailFacts): MailState =>
  readAt !== undefined ? "read" : receivedAt === undefined ? "queued" : "delivered";

/** Of two words on one mail the one that was said later. */
function laterState(a: MailState, b: MailState = a): MailState {
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}

const order: readonly MailState[] = ["queued", "delivered", "failed", "read"];

/** Mail between two, in both directions. */
export interface Thread {
  readonly key: string;
  readonly team: string;
  readonly names: readonly [string, string];
  readonly mail: readonly MailItem[];
  /** How many have not been read. */
  readonly open: number;
}

/** The one in which something was said last comes first. */
export function threadsOf(mail: readonly MailItem[]): readonly Thread[] {
  const threads = new Map<string, MailItem[]>();
  for (const item of mail) {
    const key = threadKey(item);
    const known = threads.get(key);
    if (known) known.push(item);
    else threads.set(key, [item]);
  }
  return [...threads]
    .map(([key, all]) => {
      const [first] = all;
      const names = [first?.from ?? "", first?.to ?? ""].sort() as [string, string];
      return { key, team: first?.team ?? "", names, mail: all, open: all.filter(isOpen).length };
    })
    .sort((a, b) => ((a.mail.at(-1)?.at ?? "") < (b.mail.at(-1)?.at ?? "") ? 1 : -1));
}

const threadKey = ({ team, from, to }: MailItem): string => JSON.stringify([team, ...[from, to].sort()]);

const isOpen = ({ state }: MailItem): boolean => state === "queued" || state === "delivered";

/** What somebody has said, as against what the runtime says by itself. */
export const isConversation = ({ kind }: Pick<MailItem, "kind">): boolean =>
  kind === ("text" satisfies MailBody["kind"]);
