import { memo } from "react";
import { type SessionId, visibleLine } from "../../../src/protocol/index.ts";
import { AgentName, Avatar, stateLabels } from "../parts/agent-name.tsx";
import { activityText } from "../parts/activity-text.ts";
import { hrefOf } from "../route.ts";
import { useNavigation } from "../state/navigation.ts";
import { type RosterEntry, useRoster } from "../state/roster.ts";

/** All agents of the session and its team, each with a link to its transcript. */
export function AgentList({ session }: { session: SessionId }) {
  const roster = useRoster(session);
  const { route } = useNavigation();
  const viewed =
    route.kind === "session" && route.view === "transcript" ? (route.agent ?? roster[0]?.agent?.id) : undefined;
  return (
    <aside className="agents" aria-label="Agents">
      <h2>
        Agents <span className="soft">{roster.length}</span>
      </h2>
      <ul>
        {roster.map((entry) => (
          <AgentRow
            key={entry.key}
            session={session}
            entry={entry}
            isViewed={entry.agent !== undefined && entry.agent.id === viewed}
          />
        ))}
      </ul>
      {roster.length === 0 && <p className="soft">No agents yet</p>}
    </aside>
  );
}

interface RowProps {
  readonly session: SessionId;
  readonly entry: RosterEntry;
  readonly isViewed: boolean;
}

const AgentRow = memo(
  function AgentRow({ session, entry, isViewed }: RowProps) {
    const inner = (
      <>
        <Avatar entry={entry} />
        <AgentName entry={entry} />
        <span className="agent-doing">{activityLine(entry)}</span>
      </>
    );
    return (
      <li data-depth={Math.min(entry.depth, 3)} data-color={entry.color}>
        {entry.agent ? (
          <a
            href={hrefOf(session, "transcript", { agent: entry.agent.id })}
            aria-current={isViewed ? "true" : undefined}
          >
            {inner}
          </a>
        ) : (
          <span className="agent-unheard">{inner}</span>
        )}
      </li>
    );
  },
  (before, after) =>
    before.session === after.session &&
    before.isViewed === after.isViewed &&
    before.entry.state === after.entry.state &&
    before.entry.name === after.entry.name &&
    before.entry.color === after.entry.color &&
    before.entry.agent?.id === after.entry.agent?.id &&
    activityLine(before.entry) === activityLine(after.entry),
);

/** The agent's activity in one line, with its type if it has no activity and the type says more than its name. */
function activityLine(entry: RosterEntry): string {
  const [doing, type] = [activityText(entry), visibleLine(entry.agentType)];
  const isTold = type === "" || type === "general-purpose" || type === "lead" || entry.name.startsWith(type);
  return doing === stateLabels[entry.state] && !isTold ? `${doing} · ${type}` : doing;
}
