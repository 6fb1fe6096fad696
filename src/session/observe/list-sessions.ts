import { type Clock, type CreateId, currentProcess, isAlive, definedFields } from "../../platform/index.ts";
import { knownModels } from "../../model/index.ts";
import { type SessionId, type SessionListing, type Team, teamLead } from "../../protocol/index.ts";
import { type CatalogEntry, createFileTeamStore, type SessionCatalog } from "../../store/index.ts";
import { listSockets } from "./socket-path.ts";

export interface SessionLister {
  /** `own` is open in this process. */
  list(own: SessionId | undefined): Promise<SessionListing[]>;
}

/** The minimum time between two reads of the teams. */
const teamsMs = 5000;

/** Lists the sessions of a home folder, newest first. */
export function createSessionLister(
  catalog: SessionCatalog,
  { home, clock, createId }: { readonly home: string; readonly clock: Clock; readonly createId: CreateId },
): SessionLister {
  const teams = createFileTeamStore({ home, clock, createId });
  let inTeams = new Map<SessionId, Membership>();
  let askedAt = -Infinity;
  const askForTeams = async () => {
    if (clock.monotonic() - askedAt < teamsMs) return;
    askedAt = clock.monotonic();
    inTeams = new Map((await teams.list()).flatMap(({ team }) => (team ? membershipsOf(team) : [])));
  };

  return {
    async list(own) {
      await askForTeams();
      const ownProcess = currentProcess();
      const sockets = new Set((await listSockets(home)).map(({ session, pid }) => `${session} ${pid}`));
      const stateOf = ({ sessionId, holder }: CatalogEntry): SessionListing["state"] => {
        if (sessionId === own) return "reachable";
        if (holder === undefined || isAlive(holder, ownProcess) === "dead") return "stored";
        return sockets.has(`${sessionId} ${holder.pid}`) ? "reachable" : "open";
      };
      return (await catalog.list()).map((entry) => ({
        ...listingOf(entry),
        ...(inTeams.get(entry.sessionId) ?? membershipOf(entry)),
        state: stateOf(entry),
      }));
    },
  };
}

type Membership = Pick<SessionListing, "team" | "role" | "member">;

function membershipsOf({ name: team, leadSessionId, members }: Team): [SessionId, Membership][] {
  const lead: [SessionId, Membership][] = leadSessionId
    ? [[leadSessionId, { team, role: "lead", member: teamLead }]]
    : [];
  return members.reduce(
    (all, { name: member, sessionId }) =>
      sessionId && member !== teamLead ? [...all, [sessionId, { team, role: "teammate", member }]] : all,
    lead,
  );
}

/** The membership of a team that no longer exists, from the log. */
const membershipOf = ({ team }: CatalogEntry): Membership =>
  team ? { team: team.name, role: team.role, member: team.member } : {};

function listingOf(entry: CatalogEntry): Omit<SessionListing, "state"> {
  const { sessionId: id, cwd, startedAt, updatedAt, firstPrompt, name, model, problem } = entry;
  const contextWindow = knownModels[model ?? ""]?.contextWindow;
  return { id, cwd, startedAt, updatedAt, ...definedFields({ firstPrompt, name, model, contextWindow, problem }) };
}
