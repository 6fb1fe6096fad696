import { type SessionId, visibleLine } from "../../../../src/protocol/index.ts";
import { messageCount, tokensOf, type MessageFlow, valuesOf } from "../../../../src/view/index.ts";
import { AgentName, stateLabels } from "../../parts/agent-name.tsx";
import { formatCount, formatMoney } from "../../parts/format-amounts.ts";
import { activityText } from "../../parts/activity-text.ts";
import { hrefOf } from "../../route.ts";
import type { RosterEntry } from "../../state/roster.ts";
import type { Aliases } from "./graph-edges.ts";
import { type FactsOf, taskText, type TeamFacts } from "./team-facts.ts";

interface Props {
  readonly roster: readonly RosterEntry[];
  readonly facts: FactsOf;
  readonly messageFlow: Pick<MessageFlow, "edges">;
  readonly aliases: Aliases;
  readonly session: SessionId;
  onSelect(key: string): void;
}

/** The graph's data as a table. */
export function TeamTable({ roster, facts, messageFlow, aliases, session, onSelect }: Props) {
  return (
    <div className="table-scroll" role="region" aria-label="Agents" tabIndex={0}>
      <table className="numbers team-table">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Does</th>
            <th scope="col">Task</th>
            <th scope="col">Waits for</th>
            <th scope="col">Messages to</th>
            <th scope="col" className="number">
              Context
            </th>
            <th scope="col" className="number">
              Tokens
            </th>
            <th scope="col" className="number">
              Cost
            </th>
            <th scope="col">
              <span className="unseen">Open</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {roster.map((entry) => (
            <tr key={entry.key}>
              <th scope="row" data-depth={Math.min(entry.depth, 3)}>
                <AgentName entry={entry} />
              </th>
              <td>
                {stateLabels[entry.state] === activityText(entry)
                  ? activityText(entry)
                  : `${stateLabels[entry.state]}: ${activityText(entry)}`}
              </td>
              <td>{visibleLine(taskTextOf(facts(entry)))}</td>
              <td>
                {facts(entry)
                  .waits.map(({ name }) => visibleLine(name))
                  .join(", ") || "-"}
              </td>
              <td>{sentMessagesText(entry, roster, { messageFlow, aliases })}</td>
              <td className="number">
                {entry.agent?.contextTokens === undefined ? "-" : formatCount(entry.agent.contextTokens)}
              </td>
              <td className="number">{entry.agent ? formatCount(tokensOf(entry.agent.spending.total)) : "-"}</td>
              <td className="number">{entry.agent ? formatMoney(entry.agent.spending.total.costUsd) : "-"}</td>
              <td className="buttons">
                <button type="button" onClick={() => onSelect(entry.key)}>
                  Details <span className="unseen">of {visibleLine(entry.name)}</span>
                </button>
                {entry.agent && (
                  <a href={hrefOf(session, "transcript", { agent: entry.agent.id })}>
                    Transcript <span className="unseen">of {visibleLine(entry.name)}</span>
                  </a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const taskTextOf = ({ task }: TeamFacts): string => (task ? taskText(task) : "-");

/** Sorted by number of messages, then by name. */
function sentMessagesText(
  { key }: RosterEntry,
  roster: readonly RosterEntry[],
  { messageFlow, aliases }: Pick<Props, "messageFlow" | "aliases">,
): string {
  const counts = new Map<string, number>();
  for (const edge of valuesOf(messageFlow.edges)) {
    const to = aliases.get(edge.to);
    if (aliases.get(edge.from) === key && to !== undefined && to !== key)
      counts.set(to, (counts.get(to) ?? 0) + messageCount(edge));
  }
  const named = [...counts].map(([to, count]) => ({
    name: visibleLine(roster.find((entry) => entry.key === to)?.name ?? to),
    count,
  }));
  named.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return named.length === 0 ? "none" : named.map(({ name, count }) => `${name} ×${count}`).join(", ");
}
