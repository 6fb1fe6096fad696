import { type KeyboardEvent, memo, useRef } from "react";
import { visibleLine } from "../../../../src/protocol/index.ts";
import { AgentName, Avatar, stateLabels } from "../../parts/agent-name.tsx";
import { activityText } from "../../parts/activity-text.ts";
import { type AnimatedMessage, MessageDot } from "./animated-messages.tsx";
import { ContextBar } from "./context-bar.tsx";
import { type FactsOf, type TeamFacts, taskText } from "./team-facts.ts";
import { type GraphLayout, neighbour, type PlacedNode } from "./graph-layout.ts";
import { type GraphEdge, edgePath, edgeWidth } from "./graph-edges.ts";

interface Props {
  readonly drawing: GraphLayout;
  readonly edges: readonly GraphEdge[];
  readonly animatedMessages: readonly AnimatedMessage[];
  readonly facts: FactsOf;
  readonly selected: string | undefined;
  onSelect(key: string): void;
  onAnimationDone(id: string): void;
}

/** The agents as buttons at their positions; the edges are drawn below. */
export function TeamGraph(props: Props) {
  const { drawing, edges, animatedMessages, facts, selected, onSelect, onAnimationDone } = props;
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
        <WaitArrows nodes={nodes} facts={facts} />
        {animatedMessages.map((flight) => {
          const edge = edges.find(({ id }) => id === flight.edge);
          return edge && <MessageDot key={flight.id} animated={flight} edge={edge} onDone={onAnimationDone} />;
        })}
      </svg>
      {nodes.map((node) => (
        <GraphNode
          key={node.entry.key}
          node={node}
          facts={facts(node.entry)}
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

/** Arrows from an agent to the one whose task it waits for. They end before the card. */
function WaitArrows({ nodes, facts }: { nodes: readonly PlacedNode[]; facts: FactsOf }) {
  const places = new Map(nodes.map((node) => [node.entry.key, node]));
  return (
    <>
      <defs>
        <marker id="wait-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
          <path d="M0 0 8 4 0 8Z" className="wait-tip" />
        </marker>
      </defs>
      {nodes.flatMap((node) =>
        facts(node.entry).waits.flatMap(({ key, why }) => {
          const to = key === undefined ? undefined : places.get(key);
          if (!to) return [];
          const [dx, dy] = [to.x - node.x, to.y - node.y];
          // The border of a card in this direction, as a share of the way.
          const reach = Math.min(104 / Math.max(1, Math.abs(dx)), 58 / Math.max(1, Math.abs(dy)), 0.45);
          const at = (share: number) => `${node.x + dx * share} ${node.y + dy * share}`;
          return [
            <path
              key={`${node.entry.key} ${key}`}
              className="wait-arrow"
              d={`M${at(reach)} L${at(1 - reach)}`}
              markerEnd="url(#wait-tip)"
            >
              <title>{`${visibleLine(node.entry.name)} waits for ${visibleLine(why)}`}</title>
            </path>,
          ];
        }),
      )}
    </>
  );
}

interface NodeProps {
  readonly node: PlacedNode;
  readonly facts: TeamFacts;
  readonly isSelected: boolean;
  onSelect(key: string): void;
  hold(button: HTMLButtonElement | null): void;
}

const GraphNode = memo(
  function GraphNode({ node, facts: { task, waits, context }, isSelected, onSelect, hold }: NodeProps) {
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
        style={{ transform: `translate(${x}px, ${y}px) translate(-50%, -50%)` }}
        onClick={() => onSelect(entry.key)}
      >
        <span className="team-node-head">
          <Avatar entry={entry} />
          <span className="team-name">
            <AgentName entry={entry} />
          </span>
          {entry.state === "asking" && <span className="team-flag">?</span>}
        </span>
        {task && <span className="team-task">{visibleLine(taskText(task))}</span>}
        {activity !== stateLabels[entry.state] && <span className="unseen">{stateLabels[entry.state]}</span>}
        <span className="team-doing">{activity}</span>
        {waits.map(({ name, why }) => (
          <span key={`${name} ${why}`} className="team-waits" title={visibleLine(why)}>
            waits for {visibleLine(name)}
          </span>
        ))}
        <ContextBar share={context} tokens={entry.agent?.contextTokens} />
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
    a.node.entry.agent?.contextTokens === b.node.entry.agent?.contextTokens &&
    a.facts.task === b.facts.task &&
    a.facts.context === b.facts.context &&
    JSON.stringify(a.facts.waits) === JSON.stringify(b.facts.waits) &&
    activityText(a.node.entry) === activityText(b.node.entry),
);
