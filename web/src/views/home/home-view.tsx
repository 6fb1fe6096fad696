import { useMemo, useState } from "react";
import { type SessionId, type SessionListing, visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { sessionName, sessionStateText } from "../../frame/session-name.ts";
import { formatAgo } from "../../parts/format-amounts.ts";
import { useNow } from "../../parts/use-now.ts";
import { hrefOf } from "../../route.ts";
import { useDashboard } from "../../state/dashboard-store.ts";
import "./home-view.css";

/** The sessions of this machine: running ones first, then the most recently used. */
export function HomeView() {
  const sessions = useDashboard((state) => state.sessions);
  const [wanted, setWanted] = useState("");
  const now = useNow(10_000);
  const shown = useMemo(() => groupsOf(found(sessions ?? [], wanted), sessions ?? []), [sessions, wanted]);
  const [most, setMost] = useState(firstShown);
  return (
    <section className="home" aria-labelledby="home-title">
      <div className="home-head">
        <h2 id="home-title">Sessions</h2>
        <input
          type="search"
          placeholder="Find by folder, text, team, model"
          aria-label="Find sessions"
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
      </div>
      {sessions === undefined && <p className="soft">Loading the sessions of this machine…</p>}
      {sessions?.length === 0 && (
        <p className="home-empty">
          No sessions on this machine yet. Start one in a terminal with <code>troupe</code>, or watch the demo:{" "}
          <code>troupe demo --keep</code>.
        </p>
      )}
      {sessions !== undefined && sessions.length > 0 && shown.length === 0 && (
        <p className="soft">No matching sessions.</p>
      )}
      <ul className="home-list">
        {shown.slice(0, most).map(({ listing, members }) => (
          <li key={listing.id}>
            <SessionRow listing={listing} now={now} />
            {members.length > 0 && <Members members={members} />}
          </li>
        ))}
      </ul>
      {shown.length > most && (
        <button type="button" onClick={() => setMost(most + firstShown)}>
          Show more ({shown.length - most})
        </button>
      )}
    </section>
  );
}

const firstShown = 100;

function SessionRow({ listing, now }: { listing: SessionListing; now: number }) {
  const isLive = listing.state !== "stored";
  return (
    <a href={hrefOf(listing.id, listing.role === "lead" ? "team" : "transcript")} data-state={listing.state}>
      <span className="home-row-head">
        <strong>{sessionName(listing)}</strong>
        <span className="badge" data-state={listing.state}>
          {sessionStateText(listing)}
        </span>
        {listing.team !== undefined && <span className="tag">team {visibleLine(listing.team)}</span>}
        <span className="home-time" title={listing.updatedAt}>
          {isLive ? `started ${formatAgo(listing.startedAt, now)}` : formatAgo(listing.updatedAt, now)}
        </span>
      </span>
      <span className="home-words">
        {listing.firstPrompt === undefined
          ? listing.isElsewhere
            ? "(its text is on its own machine)"
            : "(no prompts)"
          : visibleText(listing.firstPrompt)}
      </span>
      <span className="home-facts">
        <span>{visibleLine(listing.cwd)}</span>
        {listing.model !== undefined && <span>{visibleLine(listing.model)}</span>}
        <code>{listing.id}</code>
      </span>
      {listing.problem !== undefined && <span className="home-problem">{visibleText(listing.problem)}</span>}
    </a>
  );
}

function Members({ members }: { members: readonly SessionListing[] }) {
  return (
    <ul className="home-members" aria-label="Its members">
      {members.map(({ id, member, state }) => (
        <li key={id}>
          <a href={hrefOf(id, "transcript")} data-state={state}>
            {visibleLine(member ?? id)}
          </a>
        </li>
      ))}
    </ul>
  );
}

interface Group {
  readonly listing: SessionListing;
  readonly members: readonly SessionListing[];
}

/** Groups the members of a team under the session that leads it, if that is in the list. */
function groupsOf(found: readonly SessionListing[], all: readonly SessionListing[]): readonly Group[] {
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
    .map((listing) => ({ listing, members: listing.role === "lead" ? (under.get(listing.id) ?? []) : [] }));
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
