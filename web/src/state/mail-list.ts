import type { MailBody, MailId, MailListing, MailState } from "../../../src/protocol/index.ts";
import type { MailFacts } from "../../../src/view/index.ts";

/** A mail to draw. Names and texts are unfiltered. */
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
  /** The team's stored copy; undefined if it was removed. */
  readonly stored: MailListing | undefined;
  /** Its position in the receiver's log. */
  readonly place: MailFacts["place"];
}

interface Sources {
  readonly facts: readonly MailFacts[];
  readonly listings: ReadonlyMap<MailId, MailListing>;
  /** In a replay only the mail up to the displayed time is shown, in its state at that time. */
  readonly isPast: boolean;
}

/** Merges the facts of the logs and the team's stored mail, by time of sending. */
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

/** Of two states of a mail, returns the later one. */
function laterState(a: MailState, b: MailState = a): MailState {
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}

const order: readonly MailState[] = ["queued", "delivered", "failed", "read"];

/** The mail between two members, in both directions. */
export interface Thread {
  readonly key: string;
  readonly team: string;
  readonly names: readonly [string, string];
  readonly mail: readonly MailItem[];
  /** Number of unread mails. */
  readonly open: number;
}

/** The thread with the latest mail comes first. */
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

/** True for text that a member wrote, false for messages of the runtime. */
export const isConversation = ({ kind }: Pick<MailItem, "kind">): boolean =>
  kind === ("text" satisfies MailBody["kind"]);
