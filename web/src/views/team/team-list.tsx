import { type SessionId, visibleLine } from "../../../../src/protocol/index.ts";
import { AgentName, Avatar } from "../../parts/agent-name.tsx";
import { activityText } from "../../parts/activity-text.ts";
import { hrefOf } from "../../route.ts";
import type { RosterEntry } from "../../state/roster.ts";
import { ContextBar } from "./context-bar.tsx";
import { type FactsOf, taskText } from "./team-facts.ts";

interface Props {
  readonly roster: readonly RosterEntry[];
  readonly facts: FactsOf;
  readonly session: SessionId;
  readonly selected: string | undefined;
  onSelect(key: string): void;
}

/** The agents as a list, for narrow screens: state, task, activity, and the agents that they wait for. */
export function TeamList({ roster, facts, session, selected, onSelect }: Props) {
  return (
    <ul className="team-list" aria-label="Agents">
      {roster.map((entry) => {
        const { task, waits, context } = facts(entry);
        return (
          <li key={entry.key} data-depth={Math.min(entry.depth, 3)} data-color={entry.color}>
            <button type="button" aria-pressed={entry.key === selected} onClick={() => onSelect(entry.key)}>
              <Avatar entry={entry} />
              <AgentName entry={entry} />
              {task && <span className="team-list-task">{visibleLine(taskText(task))}</span>}
              <span className="team-list-doing">{activityText(entry)}</span>
              {waits.map(({ name, why }) => (
                <span key={`${name} ${why}`} className="team-waits">
                  waits for {visibleLine(name)}: {visibleLine(why)}
                </span>
              ))}
              <ContextBar share={context} tokens={entry.agent?.contextTokens} />
            </button>
            {entry.agent && (
              <a href={hrefOf(session, "transcript", { agent: entry.agent.id })}>
                Transcript<span className="unseen"> of {visibleLine(entry.name)}</span>
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}
