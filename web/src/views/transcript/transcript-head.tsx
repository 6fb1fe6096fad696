import { type SessionId, visibleLine } from "../../../../src/protocol/index.ts";
import { type AgentView, tokensOf } from "../../../../src/view/index.ts";
import { AgentName, stateLabels } from "../../parts/agent-name.tsx";
import { formatCount, formatMoney } from "../../parts/format-amounts.ts";
import { hrefOf } from "../../route.ts";
import type { RosterEntry } from "../../state/roster.ts";

interface Props {
  readonly session: SessionId;
  readonly agent: AgentView;
  readonly entry: RosterEntry | undefined;
  readonly isUnfolded: boolean;
  readonly onFold: () => void;
  readonly isSearching: boolean;
  readonly onSearch: () => void;
}

/** The agent's name, state and totals. */
export function TranscriptHead({ session, agent, entry, isUnfolded, onFold, isSearching, onSearch }: Props) {
  const facts = [
    agent.agentType === entry?.name ? "" : agent.agentType,
    agent.model.split("/").at(-1) ?? "",
    agent.permissionMode === "default" ? "" : agent.permissionMode,
    `${agent.turns} turns`,
    agent.contextTokens === undefined ? "" : `${formatCount(agent.contextTokens)} in context`,
    `${formatCount(tokensOf(agent.spending.total))} tokens`,
    formatMoney(agent.spending.total.costUsd),
  ].filter((fact) => fact !== "");
  return (
    <header className="transcript-head">
      <h2 id="transcript-title">
        {entry ? <AgentName entry={entry} /> : visibleLine(agent.path)}
        <span className="unseen"> transcript</span>
      </h2>
      {entry && (
        <span className="badge" data-agent-state={entry.state}>
          {stateLabels[entry.state]}
        </span>
      )}
      <ul className="transcript-facts">
        {facts.map((fact, index) => (
          <li key={index}>{visibleLine(fact)}</li>
        ))}
      </ul>
      {entry?.state === "asking" && <a href={hrefOf(session, "approvals")}>Answer</a>}
      <div className="transcript-ways">
        <button type="button" className="link" data-find aria-pressed={isSearching} onClick={onSearch}>
          Find
        </button>
        <button type="button" className="link" aria-pressed={isUnfolded} onClick={onFold}>
          {isUnfolded ? "Fold" : "Unfold all"}
        </button>
      </div>
    </header>
  );
}
