import { visibleLine } from "../../../src/protocol/index.ts";
import type { RosterEntry, RosterState } from "../state/roster.ts";
import "./agent-name.css";

/** Somebody's name in their colour; the mark before it says how they are, for eyes that see colours and for those that do not. */
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
  asking: "asks for permission",
  waiting: "waits for the model",
  idle: "idle",
  ended: "ended",
  failed: "failed",
  stopped: "stopped",
};
