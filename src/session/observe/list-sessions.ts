import { currentProcess, isAlive } from "../../platform/index.ts";
import type { SessionId, SessionListing } from "../../protocol/index.ts";
import type { CatalogEntry, SessionCatalog } from "../../store/index.ts";
import { listDoors } from "./door-place.ts";

/** The sessions of a home as a list shows them; `own` are open in this process. */
export async function listSessions(
  catalog: SessionCatalog,
  { home, own }: { readonly home: string; readonly own: SessionId | undefined },
): Promise<SessionListing[]> {
  const here = currentProcess();
  const doors = new Set((await listDoors(home)).map(({ session, pid }) => `${session} ${pid}`));
  const stateOf = ({ sessionId, holder }: CatalogEntry): SessionListing["state"] => {
    if (sessionId === own) return "reachable";
    if (holder === undefined || isAlive(holder, here) === "dead") return "stored";
    return doors.has(`${sessionId} ${holder.pid}`) ? "reachable" : "open";
  };
  return (await catalog.list()).map((entry) => {
    const { sessionId: id, cwd, startedAt, updatedAt, firstPrompt, model, team, problem } = entry;
    return {
      id,
      cwd,
      startedAt,
      updatedAt,
      ...(firstPrompt !== undefined && { firstPrompt }),
      ...(model !== undefined && { model }),
      state: stateOf(entry),
      ...(team && { team: team.name, role: team.role, member: team.member }),
      ...(problem !== undefined && { problem }),
    };
  });
}
