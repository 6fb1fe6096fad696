import { visibleLine } from "../../../src/protocol/index.ts";
import type { RosterEntry, RosterState } from "../state/roster.ts";
import "./agent-name.css";

/** The agent's name in its colour. The mark before it shows the state, also without colour. */
export function AgentName({ entry }: { entry: Pick<RosterEntry, "name" | "color" | "state"> }) {
  return (
    <span className="agent-name" data-color={entry.color}>
      <StateMark state={entry.state} />
      <span className="agent-name-text">{visibleLine(entry.name)}</span>
    </span>
  );
}

export function StateMark({ state }: { state: RosterState }) {
  return (
    <span
      className="state-mark"
      data-state={state}
      role="img"
      aria-label={stateLabels[state]}
      title={stateLabels[state]}
    />
  );
}

export const stateLabels: Readonly<Record<RosterState, string>> = {
  starting: "starting",
  working: "thinking",
  tool: "using a tool",
  asking: "asking for permission",
  waiting: "waiting for the model",
  idle: "idle",
  ended: "ended",
  failed: "failed",
  stopped: "stopped",
};
