import { useMemo, useState } from "react";
import type { SessionId, SessionListing, SessionSummary } from "../../../../src/protocol/index.ts";
import { AgentColor, visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { sessionTitle } from "../../frame/session-name.ts";
import { formatAgo } from "../../parts/format-amounts.ts";
import { hrefOf } from "../../route.ts";
import type { Approval } from "../../state/approvals.ts";
import { useDashboard } from "../../state/dashboard-store.ts";
import { ApprovalList } from "../approvals/approval-list.tsx";

/** Everything that waits for a person, from all sessions: questions to answer, and failures. */
export function Inbox({ now }: { now: number }) {
  const sessions = useDashboard((state) => state.sessions);
  const summaries = useDashboard((state) => state.summaries);
  const approvals = useMemo(() => waitingApprovals(sessions ?? [], summaries), [sessions, summaries]);
  const titles = useMemo(() => new Map(sessions?.map((listing) => [listing.id, sessionTitle(listing)])), [sessions]);
  return (
    <>
      {approvals.length > 0 && (
        <section className="home-inbox" aria-labelledby="inbox-title">
          <h2 id="inbox-title">
            Needs you <span className="count">{approvals.length}</span>
          </h2>
          <ApprovalList
            approvals={approvals}
            heading={({ session }) => (
              <p className="home-asked-in">
                <a href={hrefOf(session, "approvals")}>{titles.get(session) ?? session}</a>
              </p>
            )}
          />
        </section>
      )}
      <Failures sessions={sessions ?? []} summaries={summaries} now={now} />
    </>
  );
}

type Summaries = ReadonlyMap<SessionId, SessionSummary>;

/** The questions of all sessions, oldest first. A lead asks the questions of its members. */
export function waitingApprovals(sessions: readonly SessionListing[], summaries: Summaries): readonly Approval[] {
  const ledTeams = new Set(
    sessions.flatMap(({ role, team, state }) => (role === "lead" && state !== "stored" && team ? [team] : [])),
  );
  return sessions
    .filter(({ role, team, state }) => state !== "stored" && !(role === "teammate" && team && ledTeams.has(team)))
    .flatMap(({ id, state }) =>
      (summaries.get(id)?.questions ?? []).map(
        ({ agent, at, asker, asked }): Approval => ({
          session: id,
          question: { ...asked, agent, at },
          asker: { ...asker, team: asked.member?.team, color: colorOf(asked.member?.color) },
          readOnlyReason:
            state === "open"
              ? "Cannot reach the process that has this session open. Answer in its terminal."
              : undefined,
        }),
      ),
    )
    .sort((a, b) => a.question.at.localeCompare(b.question.at));
}

const colorOf = (color: string | undefined): AgentColor | undefined =>
  AgentColor.options.find((known) => known === color);

/** Failures older than this are not news any more. */
const newsMs = 24 * 3_600_000;
const dismissedKey = "troupe-dismissed";

interface Failure {
  readonly key: string;
  readonly session: SessionId;
  readonly at: string;
  readonly text: string;
}

function Failures({
  sessions,
  summaries,
  now,
}: {
  sessions: readonly SessionListing[];
  summaries: Summaries;
  now: number;
}) {
  const [dismissed, setDismissed] = useState<readonly string[]>(savedDismissals);
  const failures = sessions
    .flatMap((listing) => failuresOf(listing, summaries.get(listing.id)))
    .filter(({ at, key }) => now - Date.parse(at) < newsMs && !dismissed.includes(key))
    .sort((a, b) => b.at.localeCompare(a.at));
  if (failures.length === 0) return null;
  const dismiss = (keys: readonly string[]) => {
    const all = [...dismissed, ...keys].slice(-500);
    localStorage.setItem(dismissedKey, JSON.stringify(all));
    setDismissed(all);
  };
  const titleOf = (id: SessionId) => sessionTitle(sessions.find((listing) => listing.id === id));
  return (
    <section className="home-failures" aria-labelledby="failures-title">
      <div className="home-head">
        <h2 id="failures-title">Failures</h2>
        {failures.length > 1 && (
          <button type="button" onClick={() => dismiss(failures.map(({ key }) => key))}>
            Dismiss all
          </button>
        )}
      </div>
      <ul>
        {failures.slice(0, 20).map(({ key, session, at, text }) => (
          <li key={key}>
            <span className="home-dot" aria-hidden="true" />
            <p>
              <a href={hrefOf(session, "transcript")}>{titleOf(session)}</a>
              <span>{visibleText(text)}</span>
            </p>
            <time dateTime={at}>{formatAgo(at, now)}</time>
            <button type="button" className="icon" aria-label={`Dismiss: ${text}`} onClick={() => dismiss([key])}>
              ×
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function failuresOf({ id, role, member }: SessionListing, summary: SessionSummary | undefined): readonly Failure[] {
  if (!summary) return [];
  // The lead reports how its members ended.
  const own = role === "teammate" ? [] : summary.failures;
  const failures = own.map(({ name, at, text }) => ({
    key: `${id} ${name} ${at}`,
    session: id,
    at,
    text: `${visibleLine(name)} failed: ${text}`,
  }));
  if (summary.end !== "died" || role === "teammate") return failures;
  const who = member === undefined || role === "lead" ? "The lead" : visibleLine(member);
  const text = `${who} died: its process ended without closing the session. Resume it with troupe --resume ${id}.`;
  return [...failures, { key: `${id} died ${summary.lastAt}`, session: id, at: summary.lastAt, text }];
}

function savedDismissals(): readonly string[] {
  const saved: unknown = JSON.parse(localStorage.getItem(dismissedKey) ?? "[]");
  return Array.isArray(saved) ? saved.filter((key) => typeof key === "string") : [];
}
