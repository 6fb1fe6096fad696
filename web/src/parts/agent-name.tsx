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

/** The agent's letters on its colour. It tells agents apart; the state mark tells what they do. */
export function Avatar({ entry }: { entry: Pick<RosterEntry, "name" | "color"> }) {
  return (
    <span
      className="avatar"
      data-color={entry.color}
      data-initials={initials(visibleLine(entry.name))}
      aria-hidden="true"
    />
  );
}

/** Two letters, or a letter and a number: `researcher` is re, `write docs` wd, `worker-12` w12. */
export function initials(name: string): string {
  const words = name.split(/[\s_-]+|(?=\d+$)/).filter((word) => word !== "");
  const [first = "", ...more] = words;
  const last = more.at(-1);
  if (last === undefined) return first.slice(0, 2);
  return first.slice(0, /^\d+$/.test(last) ? 2 : 1) + (/^\d+$/.test(last) ? last.slice(-2) : last.slice(0, 1));
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
