import type { SessionId, SessionListing, SessionSummary } from "../../../../src/protocol/index.ts";

/** A session with the members of the team that it leads. */
export interface SessionGroup {
  readonly listing: SessionListing;
  readonly members: readonly SessionListing[];
  readonly facts: GroupFacts | undefined;
  readonly state: GroupState;
}

/** Amounts of a session and its members. */
export interface GroupFacts {
  readonly working: number;
  readonly asking: number;
  readonly failed: number;
  readonly tasks: SessionSummary["tasks"];
  readonly costUsd: number;
  readonly lastAt: string;
  readonly isPartial: boolean;
}

/** The state of a session, as a person reads it first. */
export type GroupState = "asking" | "working" | "idle" | "failed" | "died" | "closed" | "remote";

type Summaries = ReadonlyMap<SessionId, SessionSummary>;

/** Groups the members of a team under the session that leads it, if that is in the list. */
export function groupSessions(
  found: readonly SessionListing[],
  all: readonly SessionListing[],
  summaries: Summaries,
): readonly SessionGroup[] {
  const leads = new Map(
    found.flatMap(({ id, team, role, startedAt }) => (role === "lead" ? [[id, { team, startedAt }]] : [])),
  );
  const leadOf = ({ team, role, startedAt }: SessionListing): SessionId | undefined => {
    if (role !== "teammate" || team === undefined) return undefined;
    // A team name can be reused: the latest team that started before counts.
    let last: { id: SessionId; startedAt: string } | undefined;
    for (const [id, lead] of leads) {
      if (lead.team !== team || lead.startedAt > startedAt) continue;
      if (!last || lead.startedAt > last.startedAt) last = { id, startedAt: lead.startedAt };
    }
    return last?.id;
  };
  const under = new Map<SessionId, SessionListing[]>();
  for (const listing of all) {
    const lead = leadOf(listing);
    if (lead !== undefined) under.set(lead, [...(under.get(lead) ?? []), listing]);
  }
  return found
    .filter((listing) => leadOf(listing) === undefined)
    .map((listing) => {
      const members = listing.role === "lead" ? (under.get(listing.id) ?? []) : [];
      const facts = factsOf(listing, members, summaries);
      return { listing, members, facts, state: stateOf(listing, summaries.get(listing.id), facts) };
    });
}

function factsOf(
  { id }: SessionListing,
  members: readonly SessionListing[],
  summaries: Summaries,
): GroupFacts | undefined {
  const own = summaries.get(id);
  if (!own) return undefined;
  const others = members.flatMap((member) => summaries.get(member.id) ?? []);
  const all = [own, ...others];
  const sum = (amount: (summary: SessionSummary) => number) => all.reduce((total, each) => total + amount(each), 0);
  return {
    working: sum(({ agents }) => agents.working),
    // A member's question is the lead's question too.
    asking: own.questions.length,
    failed: new Set(all.flatMap(({ failures, session }) => failures.map(({ name }) => failedAgent(name, session, id))))
      .size,
    tasks: own.tasks,
    costUsd: sum(({ costUsd }) => costUsd),
    lastAt: all.reduce((last, { lastAt }) => (lastAt > last ? lastAt : last), ""),
    isPartial: all.some(({ isPartial }) => isPartial),
  };
}

/** The lead reports a member's failure by its name, and the member's own session as "lead": count it once. */
const failedAgent = (name: string, session: SessionId, lead: SessionId): string =>
  session !== lead && name === "lead" ? session : name;

function stateOf(
  { state, isElsewhere }: SessionListing,
  summary: SessionSummary | undefined,
  facts: GroupFacts | undefined,
): GroupState {
  if (isElsewhere) return "remote";
  if (state !== "stored") {
    if ((facts?.asking ?? 0) > 0) return "asking";
    return (facts?.working ?? 0) > 0 ? "working" : "idle";
  }
  if (summary?.end === "died" || summary?.end === "failed") return summary.end;
  return summary?.failures.some(({ name }) => name === "lead") ? "failed" : "closed";
}

export const groupFilters = {
  all: "All",
  needs: "Needs you",
  running: "Running",
  failed: "Failed",
  done: "Done",
} as const;
export type GroupFilter = keyof typeof groupFilters;

export function matchesFilter({ state, listing }: SessionGroup, filter: GroupFilter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "needs":
      return state === "asking" || state === "failed" || state === "died";
    case "running":
      return listing.state !== "stored";
    case "failed":
      return state === "failed" || state === "died";
    case "done":
      return state === "closed";
  }
}

/** `Running`, `Today`, `Yesterday`, or the date. */
export function dayOf({ listing }: SessionGroup, now: number): string {
  if (listing.state !== "stored") return "Running";
  const day = new Date(listing.updatedAt);
  const daysAgo = Math.round((startOfDay(new Date(now)) - startOfDay(day)) / 86_400_000);
  if (daysAgo <= 0) return "Today";
  if (daysAgo === 1) return "Yesterday";
  return day.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
}

const startOfDay = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
