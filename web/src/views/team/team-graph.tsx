import { type KeyboardEvent, memo, useRef } from "react";
import { visibleLine } from "../../../../src/protocol/index.ts";
import { stateLabels } from "../../parts/agent-name.tsx";
import { activityText } from "../../parts/activity-text.ts";
import type { RosterEntry } from "../../state/roster.ts";
import { type AnimatedMessage, MessageDot } from "./animated-messages.tsx";
import { type GraphLayout, neighbour, type PlacedNode } from "./graph-layout.ts";
import { type GraphEdge, edgePath, edgeWidth } from "./graph-edges.ts";

interface Props {
  readonly drawing: GraphLayout;
  readonly edges: readonly GraphEdge[];
  readonly animatedMessages: readonly AnimatedMessage[];
  readonly selected: string | undefined;
  onSelect(key: string): void;
  onAnimationDone(id: string): void;
}

/** The agents as buttons at their positions; the edges are drawn below. */
export function TeamGraph({ drawing, edges, animatedMessages, selected, onSelect, onAnimationDone }: Props) {
  const { width, height, nodes, hidden } = drawing;
  const buttons = useRef(new Map<string, HTMLButtonElement>());
  const onArrowKey = (event: KeyboardEvent) => {
    const next = selected === undefined ? undefined : neighbour(nodes, selected, event.key);
    if (!next) return;
    event.preventDefault();
    onSelect(next.entry.key);
    buttons.current.get(next.entry.key)?.focus();
  };
  const busy = new Set(animatedMessages.map(({ edge }) => edge));
  return (
    <div
      className="team-graph"
      role="group"
      aria-label="Agents; arrow keys move between them"
      style={{ height }}
      onKeyDown={onArrowKey}
    >
      <svg aria-hidden="true" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        {edges.map((edge) => (
          <path
            key={edge.id}
            className="road"
            data-used={edge.count > 0}
            data-busy={busy.has(edge.id)}
            d={edgePath(edge)}
            strokeWidth={edgeWidth(edge.count)}
          />
        ))}
        {animatedMessages.map((flight) => {
          const edge = edges.find(({ id }) => id === flight.edge);
          return edge && <MessageDot key={flight.id} animated={flight} edge={edge} onDone={onAnimationDone} />;
        })}
      </svg>
      {nodes.map((node) => (
        <GraphNode
          key={node.entry.key}
          node={node}
          isSelected={node.entry.key === selected}
          onSelect={onSelect}
          hold={(button) => {
            if (button) buttons.current.set(node.entry.key, button);
            else buttons.current.delete(node.entry.key);
          }}
        />
      ))}
      {hidden > 0 && <p className="team-hidden soft">{hidden} idle or ended subagents are in the table.</p>}
    </div>
  );
}

interface NodeProps {
  readonly node: PlacedNode;
  readonly isSelected: boolean;
  onSelect(key: string): void;
  hold(button: HTMLButtonElement | null): void;
}

const GraphNode = memo(
  function GraphNode({ node, isSelected, onSelect, hold }: NodeProps) {
    const { entry, size, x, y } = node;
    const activity = activityText(entry);
    return (
      <button
        ref={hold}
        type="button"
        className="team-node"
        data-size={size}
        data-state={entry.state}
        data-color={entry.color}
        aria-pressed={isSelected}
        tabIndex={isSelected ? 0 : -1}
        style={{ transform: `translate(${x}px, ${y}px) translate(-50%, -1.75rem)` }}
        onClick={() => onSelect(entry.key)}
      >
        <span className="team-ring" aria-hidden="true">
          <Ring />
          <span className="team-initials">{initials(entry)}</span>
          {entry.state === "asking" && <span className="team-flag">?</span>}
        </span>
        <span className="team-name">{visibleLine(entry.name)}</span>
        {activity !== stateLabels[entry.state] && <span className="unseen">{stateLabels[entry.state]}</span>}
        <span className="team-doing">{activity}</span>
      </button>
    );
  },
  (a, b) =>
    a.isSelected === b.isSelected &&
    a.node.x === b.node.x &&
    a.node.y === b.node.y &&
    a.node.size === b.node.size &&
    a.node.entry.state === b.node.entry.state &&
    a.node.entry.name === b.node.entry.name &&
    a.node.entry.color === b.node.entry.color &&
    activityText(a.node.entry) === activityText(b.node.entry),
);

const Ring = () => (
  <svg viewBox="0 0 48 48">
    <circle className="ring-base" cx="24" cy="24" r="21" />
    <circle className="ring-state" cx="24" cy="24" r="21" pathLength="100" />
  </svg>
);

/** Two letters, or a letter and a number: `researcher` is re, `write docs` wd, `worker-12` w12. */
function initials({ name }: RosterEntry): string {
  const words = visibleLine(name)
    .split(/[\s_-]+|(?=\d+$)/)
    .filter((word) => word !== "");
  const [first = "", ...more] = words;
  const last = more.at(-1);
  if (last === undefined) return first.slice(0, 2);
  return first.slice(0, 1) + (/^\d+$/.test(last) ? last.slice(-2) : last.slice(0, 1));
}
