import type { Clock, CreateId } from "../../platform/index.ts";
import {
  type Member,
  messageOf,
  type SessionId,
  type SessionListing,
  type Team,
  teamLead,
} from "../../protocol/index.ts";
import type { TeamStore } from "../../store/index.ts";
import { openBusMember } from "./bus-member.ts";
import type { ObservedSession } from "./observed-session.ts";
import { openBusTeam } from "./bus-team.ts";

/** Teams on a bus whose sessions run on other machines, as far as the bus has their data. */
export interface BusTeams {
  /** The last known list, so that an unreachable bus blocks no caller. */
  list(): readonly SessionListing[];
  /** Polls the bus and calls `notify` when the list changes. Returns a function that stops it. */
  follow(notify: () => void): () => void;
  /** Returns undefined if the bus has no such session. */
  open(id: SessionId, signal: AbortSignal): Promise<ObservedSession | undefined>;
}

export interface BusTeamsOptions {
  readonly teams: TeamStore;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly onProblem: (message: string) => void;
}

/** The interval for reading the list of teams, which is not pushed. */
const pollMs = 5_000;

export function createBusTeams(options: BusTeamsOptions): BusTeams {
  const { teams, clock, onProblem } = options;
  let known: readonly SessionListing[] = [];
  let problem = "";
  const listeners = new Set<() => void>();
  let polling: AbortController | undefined;

  const refresh = async () => {
    try {
      const found = (await teams.list()).flatMap(({ team }) => (team ? sessionsOf(team) : []));
      problem = "";
      const isNew = JSON.stringify(found) !== JSON.stringify(known);
      known = found;
      if (isNew) for (const notify of listeners) notify();
    } catch (error) {
      const message = messageOf(error);
      // Report the same problem only once.
      if (message !== problem) onProblem(`cannot read the teams on the bus: ${message}`);
      problem = message;
    }
  };
  const poll = async ({ signal }: AbortController) => {
    while (!signal.aborted) {
      await refresh();
      await clock.sleep(pollMs, signal).catch(() => undefined);
    }
  };

  return {
    list: () => known,
    follow(notify) {
      listeners.add(notify);
      if (!polling) {
        polling = new AbortController();
        void poll(polling);
      }
      return () => {
        listeners.delete(notify);
        if (listeners.size > 0) return;
        polling?.abort();
        polling = undefined;
      };
    },
    async open(id, signal) {
      for (const { name, team } of await teams.list()) {
        if (team?.leadSessionId === id) return openBusTeam({ ...options, id, name, signal });
        const member = team?.members.find(({ sessionId }) => sessionId === id);
        if (member) return openBusMember({ ...options, id, team: name, member: member.name, signal });
      }
      return undefined;
    },
  };
}

function sessionsOf(team: Team): SessionListing[] {
  const { name, createdAt, leadSessionId, members, description } = team;
  const lead = members.find((member) => member.name === teamLead);
  const common = { team: name, isElsewhere: true } as const;
  const times = members.map(({ joinedAt, ended }) => ended?.at ?? joinedAt);
  const listings: SessionListing[] = members.flatMap((member) =>
    member.sessionId && member.name !== teamLead ? [{ ...common, ...listingOf(member, member.sessionId) }] : [],
  );
  if (leadSessionId)
    listings.unshift({
      ...common,
      id: leadSessionId,
      cwd: lead?.cwd ?? "",
      startedAt: createdAt,
      updatedAt: [createdAt, ...times].reduce((a, b) => (a > b ? a : b)),
      state: lead?.ended ? "stored" : "open",
      role: "lead",
      member: teamLead,
      ...(description !== undefined && { firstPrompt: description }),
      ...(lead?.model !== undefined && { model: lead.model }),
    });
  return listings;
}

const listingOf = (member: Member, id: SessionId): SessionListing => ({
  id,
  cwd: member.cwd,
  startedAt: member.joinedAt,
  updatedAt: member.ended?.at ?? member.joinedAt,
  state: member.ended ? "stored" : "open",
  role: "teammate",
  member: member.name,
  ...(member.model !== undefined && { model: member.model }),
});
