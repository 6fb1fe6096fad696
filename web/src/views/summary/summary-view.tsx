import { useEffect, useMemo, useState } from "react";
import * as z from "zod";
import { Envelope, type SessionId, visibleLine, visibleText, type WorkItem } from "../../../../src/protocol/index.ts";
import { emptyView, leadOf, sessionSpending, tokensOf } from "../../../../src/view/index.ts";
import { AgentName, Avatar } from "../../parts/agent-name.tsx";
import { formatCount, formatDate, formatDuration, formatMoney } from "../../parts/format-amounts.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { ProofTag } from "../../parts/proof-tag.tsx";
import { hrefOf } from "../../route.ts";
import { useDashboard, useSessionView } from "../../state/dashboard-store.ts";
import { fetchJson } from "../../state/fetch-json.ts";
import { displayName, type RosterEntry, useRoster } from "../../state/roster.ts";
import "../../styles/tables.css";
import "./summary-view.css";

/** A session on one page for a reader who was not there: what was asked, what came of it, who did it, what it cost. */
export function SummaryView({ session }: { session: SessionId }) {
  const listing = useDashboard((state) => state.sessions?.find(({ id }) => id === session));
  const view = useSessionView(session);
  const views = useDashboard((state) => state.views);
  const roster = useRoster(session);
  const lead = leadOf(view);
  const tasks = useMemo(
    () => [...view.tasks.values()].flat().filter(({ status }) => status !== "deleted"),
    [view.tasks],
  );
  const spent = [...views.values()].map((each) => sessionSpending(each).total);
  const costUsd = spent.reduce((sum, each) => sum + each.costUsd, 0);
  const tokens = spent.reduce((sum, each) => sum + tokensOf(each), 0);
  const startedAt = listing?.startedAt ?? lead?.startedAt ?? "";
  const ended = Math.max(0, ...roster.map(({ agent }) => Date.parse(agent?.updatedAt ?? "") || 0));
  const done = tasks.filter(({ status }) => status === "completed");
  return (
    <article className="summary">
      <header>
        <p className="summary-kind">Troupe session</p>
        <h2>{visibleText(listing?.firstPrompt ?? "Session").trim()}</h2>
        <p className="soft">
          {startedAt !== "" && <time dateTime={startedAt}>{formatDate(startedAt)}</time>}
          {listing && ` · ${visibleLine(listing.cwd.split("/").at(-1) ?? "")}`}
          {view.version !== emptyView.version && ` · Troupe ${visibleLine(view.version)}`}
        </p>
      </header>
      <dl className="summary-figures">
        <Figure name="Duration" value={startedAt === "" ? "-" : formatDuration(ended - Date.parse(startedAt))} />
        <Figure name="Agents" value={String(roster.length)} />
        {tasks.length > 0 && <Figure name="Tasks done" value={`${done.length} of ${tasks.length}`} />}
        {tasks.length > 0 && (
          <Figure name="Verified" value={String(done.filter(({ proof }) => proof === "verified").length)} />
        )}
        {costUsd > 0 && <Figure name="Cost" value={formatMoney(costUsd)} />}
        <Figure name="Tokens" value={formatCount(tokens)} />
      </dl>
      <Result session={session} />
      {tasks.length > 0 && <Tasks tasks={tasks} session={session} roster={roster} />}
      <Who session={session} roster={roster} />
    </article>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Number of last answers that are shown. */
const lastAnswers = 4;

/** The last answers of the lead. */
function Result({ session }: { session: SessionId }) {
  const [answers, setAnswers] = useState<readonly string[]>([]);
  useEffect(() => {
    const left = new AbortController();
    fetchJson(`/api/transcript?${new URLSearchParams({ session })}`, { signal: left.signal }).then(
      (read) => setAnswers(answersIn(z.array(Envelope).parse(read))),
      () => setAnswers([]),
    );
    return () => left.abort();
  }, [session]);
  if (answers.length === 0) return null;
  return (
    <section aria-labelledby="summary-result">
      <h3 id="summary-result">Result</h3>
      <div className="summary-result">
        {answers.map((text, index) => (
          <Markdown key={index} text={text} />
        ))}
      </div>
      <a href={hrefOf(session, "transcript")}>The whole transcript</a>
    </section>
  );
}

function answersIn(envelopes: readonly Envelope[]): readonly string[] {
  const said = envelopes.flatMap(({ event }) =>
    event.type === "turn.ended"
      ? event.parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : []))
      : [],
  );
  return said.slice(-lastAnswers);
}

interface ListProps {
  readonly session: SessionId;
  readonly roster: readonly RosterEntry[];
}

function Tasks({ tasks, session, roster }: ListProps & { tasks: readonly WorkItem[] }) {
  return (
    <section aria-labelledby="summary-tasks">
      <h3 id="summary-tasks">
        <a href={hrefOf(session, "tasks")}>Tasks</a>
      </h3>
      <ul className="summary-tasks">
        {tasks.map((task) => (
          <li key={task.id}>
            <span className="soft">#{task.id}</span>
            <span>{visibleLine(task.subject)}</span>
            <ProofTag task={task} />
            <span className="summary-owner" data-color={roster.find(({ name }) => name === task.owner)?.color}>
              {task.owner === undefined ? "" : visibleLine(displayName(task.owner))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Who({ session, roster }: ListProps) {
  return (
    <section aria-labelledby="summary-who">
      <h3 id="summary-who">
        <a href={hrefOf(session, "team")}>Who did it</a>
      </h3>
      <div className="table-scroll" role="region" aria-label="Agents" tabIndex={0}>
        <table className="numbers">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Model</th>
              <th scope="col" className="number">
                Turns
              </th>
              <th scope="col" className="number">
                Calls
              </th>
              <th scope="col" className="number">
                Tokens
              </th>
            </tr>
          </thead>
          <tbody>
            {roster.map((entry) => (
              <tr key={entry.key}>
                <th scope="row">
                  <span className="summary-agent">
                    <Avatar entry={entry} />
                    <AgentName entry={entry} />
                  </span>
                </th>
                <td>{visibleLine(entry.agent?.model.split("/").at(-1) ?? "-")}</td>
                <td className="number">{entry.agent?.turns ?? "-"}</td>
                <td className="number">{entry.agent?.toolCalls ?? "-"}</td>
                <td className="number">{entry.agent ? formatCount(tokensOf(entry.agent.spending.total)) : "-"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
