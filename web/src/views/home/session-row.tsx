import { visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { sessionName, sessionStateText, sessionTitle } from "../../frame/session-name.ts";
import { formatAgo, formatDuration, formatMoney } from "../../parts/format-amounts.ts";
import { hrefOf } from "../../route.ts";
import type { GroupFacts, GroupState, SessionGroup } from "./session-groups.ts";

/** One session of the list: its prompt, its state, and its amounts. */
export function SessionRow({ group, now }: { group: SessionGroup; now: number }) {
  const { listing, members, facts, state } = group;
  const end = listing.state === "stored" ? Date.parse(facts?.lastAt || listing.updatedAt) : now;
  return (
    <>
      <a href={hrefOf(listing.id, listing.role === "lead" ? "team" : "transcript")} data-state={state}>
        <span className="home-row-head">
          <span className="home-dot" aria-hidden="true" />
          <strong className="home-title">{sessionTitle(listing)}</strong>
          <span className="badge" data-state={state}>
            {stateText(group)}
          </span>
        </span>
        <span className="home-facts">
          {facts && <Amounts facts={facts} />}
          <span title={`Started ${listing.startedAt}`}>{formatDuration(end - Date.parse(listing.startedAt))}</span>
          <span title={listing.updatedAt}>{formatAgo(listing.updatedAt, now)}</span>
        </span>
        <span className="home-place">
          <span title={visibleLine(listing.cwd)}>{sessionName(listing)}</span>
          {listing.team !== undefined && <span>team {visibleLine(listing.team)}</span>}
          {listing.model !== undefined && <span>{visibleLine(listing.model)}</span>}
          <code className="home-id">{listing.id}</code>
        </span>
        {listing.problem !== undefined && <span className="home-problem">{visibleText(listing.problem)}</span>}
      </a>
      {members.length > 0 && (
        <ul className="home-members" aria-label="Its members">
          {members.map(({ id, member, state: memberState }) => (
            <li key={id}>
              <a href={hrefOf(id, "transcript")} data-state={memberState}>
                {visibleLine(member ?? id)}
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Amounts({ facts: { working, asking, failed, tasks, costUsd, isPartial } }: { facts: GroupFacts }) {
  return (
    <>
      {working > 0 && <span data-kind="working">{working} working</span>}
      {asking > 0 && <span data-kind="asking">{asking} asking</span>}
      {failed > 0 && <span data-kind="failed">{failed} failed</span>}
      {tasks.all > 0 && (
        <span>
          tasks {tasks.done}/{tasks.all}
        </span>
      )}
      {costUsd > 0 && (
        <span>
          {isPartial && "over "}
          {formatMoney(costUsd)}
        </span>
      )}
    </>
  );
}

const stateTexts: Readonly<Record<Exclude<GroupState, "remote">, string>> = {
  asking: "waits for you",
  working: "working",
  idle: "idle",
  failed: "failed",
  died: "died",
  closed: "closed",
};

const stateText = ({ state, listing }: SessionGroup): string =>
  state === "remote" || (state === "idle" && listing.state === "open") ? sessionStateText(listing) : stateTexts[state];
