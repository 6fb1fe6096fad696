import { teamUser } from "../../../../src/protocol/index.ts";
import {
  memberKey,
  type Message,
  messageCount,
  type MessageFlow,
  valuesOf,
  type SessionView,
} from "../../../../src/view/index.ts";
import type { RosterEntry } from "../../state/roster.ts";
import type { PlacedNode, Point } from "./graph-layout.ts";

/** A line between two agents that exchange messages or are related. */
export interface GraphEdge {
  readonly id: string;
  readonly from: PlacedNode;
  readonly to: PlacedNode;
  /** Messages in both directions. */
  readonly count: number;
  /** The control point of the curve. */
  readonly bend: Point;
}

/** Maps the ends of messages to the keys of drawn agents: an agent has an id and a name in its team. */
export type Aliases = ReadonlyMap<string, string>;

export function aliasesOf(roster: readonly RosterEntry[], view: SessionView): Aliases {
  const aliases = new Map<string, string>();
  for (const { key, agent } of roster) {
    aliases.set(key, key);
    if (agent) aliases.set(agent.id, key);
  }
  const [lead] = roster;
  if (!lead) return aliases;
  for (const { team, name } of view.memberships.values()) {
    aliases.set(memberKey(name, team), lead.key);
    // The user speaks through the lead's frontends.
    aliases.set(memberKey(teamUser, team), lead.key);
  }
  return aliases;
}

export function graphEdgesOf(
  nodes: readonly PlacedNode[],
  edges: MessageFlow["edges"],
  aliases: Aliases,
): readonly GraphEdge[] {
  const counts = new Map<string, number>();
  for (const { entry, parent } of nodes) if (parent !== undefined) counts.set(edgeId(entry.key, parent), 0);
  for (const edge of valuesOf(edges)) {
    const [from, to] = [aliases.get(edge.from), aliases.get(edge.to)];
    if (from === undefined || to === undefined || from === to) continue;
    counts.set(edgeId(from, to), (counts.get(edgeId(from, to)) ?? 0) + messageCount(edge));
  }
  const byKey = new Map(nodes.map((node) => [node.entry.key, node]));
  return [...counts].flatMap(([id, count]) => {
    const [from, to] = (JSON.parse(id) as string[]).map((key) => byKey.get(key));
    return from && to ? [{ id, from, to, count, bend: bendOf(from, to) }] : [];
  });
}

/** The same id for both directions. */
export const edgeId = (a: string, b: string): string => JSON.stringify([a, b].sort((x, y) => (x < y ? -1 : 1)));

/** Bends the line to the side, so that lines through the middle do not cover the node there. */
function bendOf(from: Point, to: Point): Point {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  return { x: (from.x + to.x) / 2 - dy * 0.12, y: (from.y + to.y) / 2 + dx * 0.12 };
}

export const edgePath = ({ from, to, bend }: GraphEdge): string =>
  `M${from.x} ${from.y} Q${bend.x} ${bend.y} ${to.x} ${to.y}`;

/** The point at a share of the edge, from 0 to 1. */
export function pointOn({ from, to, bend }: Pick<GraphEdge, "from" | "to" | "bend">, share: number): Point {
  const rest = 1 - share;
  const along = (a: number, b: number, c: number) => rest * rest * a + 2 * rest * share * b + share * share * c;
  return { x: along(from.x, bend.x, to.x), y: along(from.y, bend.y, to.y) };
}

export const edgeWidth = (count: number): number => (count === 0 ? 1 : Math.min(6, 1.5 + Math.log2(count) * 0.7));

/** The messages from and to an agent, latest first. */
export function messagesOf(recent: readonly Message[], key: string, aliases: Aliases): readonly Message[] {
  return recent.filter(({ from, to }) => aliases.get(from) === key || aliases.get(to) === key).toReversed();
}
