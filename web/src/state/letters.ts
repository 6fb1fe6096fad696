import type { MailBody, MailId, MailListing, MailState } from "../../../src/protocol/index.ts";
import type { MailFacts } from "../../../src/view/index.ts";

/** A mail as it is drawn. Names and texts are as they came. */
export interface Letter {
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
  readonly kept: MailListing | undefined;
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
export function lettersOf({ facts, listings, isPast }: Sources): readonly Letter[] {
  const letters: Letter[] = facts.map((each) => {
    const kept = listings.get(each.id);
    return {
      ...each,
      from: each.from || (kept?.mail.from ?? "?"),
      to: each.to || (kept?.mail.to ?? "?"),
      at: kept?.mail.timestamp ?? each.sentAt ?? each.receivedAt ?? each.readAt ?? "",
      state: isPast ? stateIn(each) : further(stateIn(each), kept?.state),
      isUrgent: kept?.mail.urgent === true,
      kept,
    };
  });
  if (!isPast) {
    const known = new Set(facts.map(({ id }) => id));
    for (const kept of listings.values()) if (!known.has(kept.mail.id)) letters.push(letterIn(kept));
  }
  return letters.sort((a, b) => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at < b.at ? -1 : 1));
}

function letterIn(kept: MailListing): Letter {
  const { team, state, mail } = kept;
  const { id, from, to, timestamp: at, summary = "", urgent, body } = mail;
  return { id, team, from, to, at, kind: body.kind, summary, state, isUrgent: urgent === true, kept, place: undefined };
}

const stateIn = ({ receivedAt, readAt }: MailFacts): MailState =>
  readAt !== undefined ? "read" : receivedAt === undefined ? "queued" : "delivered";

/** Of two words on one mail the one that was said later. */
function further(a: MailState, b: MailState = a): MailState {
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}

const order: readonly MailState[] = ["queued", "delivered", "failed", "read"];

/** Mail between two, in both directions. */
export interface Thread {
  readonly key: string;
  readonly team: string;
  readonly names: readonly [string, string];
  readonly letters: readonly Letter[];
  /** How many have not been read. */
  readonly open: number;
}

/** The one in which something was said last comes first. */
export function threadsOf(letters: readonly Letter[]): readonly Thread[] {
  const threads = new Map<string, Letter[]>();
  for (const letter of letters) {
    const key = threadKey(letter);
    const known = threads.get(key);
    if (known) known.push(letter);
    else threads.set(key, [letter]);
  }
  return [...threads]
    .map(([key, all]) => {
      const [first] = all;
      const names = [first?.from ?? "", first?.to ?? ""].sort() as [string, string];
      return { key, team: first?.team ?? "", names, letters: all, open: all.filter(isOpen).length };
    })
    .sort((a, b) => ((a.letters.at(-1)?.at ?? "") < (b.letters.at(-1)?.at ?? "") ? 1 : -1));
}

const threadKey = ({ team, from, to }: Letter): string => JSON.stringify([team, ...[from, to].sort()]);

const isOpen = ({ state }: Letter): boolean => state === "queued" || state === "delivered";

/** What somebody has said, as against what the runtime says by itself. */
export const isSpoken = ({ kind }: Pick<Letter, "kind">): boolean => kind === ("text" satisfies MailBody["kind"]);
