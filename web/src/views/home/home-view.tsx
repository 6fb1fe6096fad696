import { lazy, Suspense, useMemo, useState } from "react";
import type { SessionListing } from "../../../../src/protocol/index.ts";
import { ChoiceGroup } from "../../parts/choice-group.tsx";
import { useNow } from "../../parts/use-now.ts";
import { useDashboard } from "../../state/dashboard-store.ts";
import { EmptyHome } from "./empty-home.tsx";
import {
  dayOf,
  type GroupFilter,
  groupFilters,
  groupSessions,
  matchesFilter,
  type SessionGroup,
} from "./session-groups.ts";
import { SessionRow } from "./session-row.tsx";
import "./home-view.css";

const Inbox = lazy(async () => ({ default: (await import("./inbox.tsx")).Inbox }));

/** The inbox, and the sessions of this machine: running ones first, then by day. */
export function HomeView() {
  const sessions = useDashboard((state) => state.sessions);
  const summaries = useDashboard((state) => state.summaries);
  const [wanted, setWanted] = useState("");
  const [filter, setFilter] = useState<GroupFilter>("all");
  const now = useNow(10_000);
  const groups = useMemo(
    () => groupSessions(found(sessions ?? [], wanted), sessions ?? [], summaries),
    [sessions, summaries, wanted],
  );
  const shown = groups.filter((group) => matchesFilter(group, filter));
  const [most, setMost] = useState(firstShown);
  if (sessions?.length === 0) return <EmptyHome />;
  return (
    <div className="home">
      {summaries.size > 0 && (
        <Suspense fallback={null}>
          <Inbox now={now} />
        </Suspense>
      )}
      <section aria-labelledby="home-title" className="home-sessions">
        <div className="home-head">
          <h2 id="home-title">Sessions</h2>
          <ChoiceGroup label="Show" value={filter} options={groupFilters} onChange={setFilter} />
          <input
            type="search"
            placeholder="Find by prompt, folder, team, model"
            aria-label="Find sessions"
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
          />
        </div>
        {sessions === undefined && <p className="soft">Loading the sessions of this machine…</p>}
        {sessions !== undefined && shown.length === 0 && <p className="soft">No matching sessions.</p>}
        {byDay(shown.slice(0, most), now).map(([day, ofDay]) => (
          <section key={day} aria-label={day} className="home-day">
            <h3>{day}</h3>
            <ul className="home-list">
              {ofDay.map((group) => (
                <li key={group.listing.id}>
                  <SessionRow group={group} now={now} />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {shown.length > most && (
          <button type="button" onClick={() => setMost(most + firstShown)}>
            Show more ({shown.length - most})
          </button>
        )}
      </section>
    </div>
  );
}

const firstShown = 100;

function byDay(groups: readonly SessionGroup[], now: number): readonly [string, readonly SessionGroup[]][] {
  const days = new Map<string, SessionGroup[]>();
  for (const group of groups) {
    const day = dayOf(group, now);
    days.set(day, [...(days.get(day) ?? []), group]);
  }
  return [...days];
}

function found(sessions: readonly SessionListing[], wanted: string): readonly SessionListing[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = sessions.filter(({ id, cwd, firstPrompt, model, team, member }) => {
    const text = [id, cwd, firstPrompt, model, team, member].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rank = ({ state }: SessionListing) => (state === "stored" ? 1 : 0);
  return matching.sort((a, b) => rank(a) - rank(b) || b.updatedAt.localeCompare(a.updatedAt));
}
