import type { RosterEntry } from "../../state/roster.ts";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedNode extends Point {
  readonly entry: RosterEntry;
  readonly size: "lead" | "member" | "small";
  /** The key of the node that it is drawn at. */
  readonly parent: string | undefined;
}

export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  /** Number of idle subagents that are not drawn. */
  readonly hidden: number;
}

/** Maximum number of drawn subagents: working ones first, then the latest. */
const maxSubAgents = 24;
/** The size of a node with its name. */
const cell = { width: 196, height: 104 };
const fan = 100;

/**
 * Places the lead in the middle, its agents around it, and their subagents around each of them. If there is little
 * room, uses rows.
 */
export function layOutGraph(roster: readonly RosterEntry[], room: { width: number; height: number }): GraphLayout {
  const { shown, hidden } = withoutIdle(roster);
  const [lead, ...others] = shown;
  if (!lead) return { ...room, nodes: [], hidden };
  const parents = parentsOf(shown, lead);
  const ring = others.filter((entry) => parents.get(entry.key) === lead.key);
  const below = (key: string) => others.filter((entry) => parents.get(entry.key) === key && entry.key !== key);
  const place = room.width < 700 || ring.length > 12 ? layOutRows : layOutCircle;
  return { ...place({ lead, ring, below }, room), hidden };
}

interface Tree {
  readonly lead: RosterEntry;
  readonly ring: readonly RosterEntry[];
  below(key: string): readonly RosterEntry[];
}

function layOutCircle(
  { lead, ring, below }: Tree,
  room: { width: number; height: number },
): Omit<GraphLayout, "hidden"> {
  const hasMore = ring.some(({ key }) => below(key).length > 0);
  const margin = hasMore ? fan : 0;
  const width = room.width;
  const height = Math.max(room.height, 380 + 2 * margin, (ring.length * cell.height) / 1.8 + 2 * margin);
  // A node extends further down than up: its name is below it.
  const [above, beneath] = [56 + margin, 60 + margin];
  const middle = { x: width / 2, y: (above + height - beneath) / 2 };
  const radius = {
    x: Math.min((width - cell.width) / 2 - margin, 430),
    y: Math.min((height - above - beneath) / 2, 280),
  };
  const nodes: PlacedNode[] = [{ entry: lead, size: "lead", parent: undefined, ...middle }];
  for (const [index, entry] of ring.entries()) {
    // Half a step off the top, so that two nodes are side by side and the lead's name stays free.
    const angle = -Math.PI / 2 + (2 * Math.PI * (index + 0.5)) / ring.length;
    const at = { x: middle.x + radius.x * Math.cos(angle), y: middle.y + radius.y * Math.sin(angle) };
    nodes.push({ entry, size: "member", parent: lead.key, ...at });
    const children = below(entry.key);
    for (const [number, child] of children.entries()) {
      const turn = angle + (number - (children.length - 1) / 2) * Math.min(0.9, 2.6 / children.length);
      const x = clamp(at.x + fan * 1.25 * Math.cos(turn), cell.width / 2, width - cell.width / 2);
      const y = clamp(at.y + fan * Math.sin(turn), 30, height - cell.height / 2);
      nodes.push({ entry: child, size: "small", parent: entry.key, x, y });
    }
  }
  return { width, height, nodes };
}

function layOutRows({ lead, ring, below }: Tree, room: { width: number; height: number }): Omit<GraphLayout, "hidden"> {
  const columns = Math.max(2, Math.floor(room.width / cell.width));
  const nodes: PlacedNode[] = [{ entry: lead, size: "lead", parent: undefined, x: room.width / 2, y: cell.height / 2 }];
  let y = cell.height * 1.7;
  const all = ring.flatMap((entry) => [
    { entry, size: "member" as const, parent: lead.key },
    ...below(entry.key).map((child) => ({ entry: child, size: "small" as const, parent: entry.key })),
  ]);
  for (let from = 0; from < all.length; from += columns) {
    const row = all.slice(from, from + columns);
    for (const [index, node] of row.entries()) {
      nodes.push({ ...node, x: (room.width * (index + 0.5)) / row.length, y: y + (index % 2) * 18 });
    }
    y += cell.height * 1.25;
  }
  return { width: room.width, height: Math.max(room.height, y), nodes };
}

/** Deeper agents are drawn at their ancestor next to the lead. */
function parentsOf(shown: readonly RosterEntry[], lead: RosterEntry): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  let member = lead.key;
  for (const entry of shown) {
    if (entry.kind === "teammate") member = entry.key;
    const isLeads = entry.kind === "teammate" || entry.session === lead.session;
    const parent = entry.agent?.parent;
    if (!isLeads) parents.set(entry.key, member);
    else if (parent !== undefined && parent !== lead.key && shown.some(({ key }) => key === parent))
      parents.set(entry.key, parents.get(parent) === lead.key ? parent : (parents.get(parent) ?? lead.key));
    else parents.set(entry.key, lead.key);
  }
  return parents;
}

function withoutIdle(roster: readonly RosterEntry[]): { shown: readonly RosterEntry[]; hidden: number } {
  const subAgents = roster.filter(({ kind }) => kind === "sub-agent");
  if (subAgents.length <= maxSubAgents) return { shown: roster, hidden: 0 };
  const [resting, working] = [subAgents.filter(isIdleSubagent), subAgents.filter((entry) => !isIdleSubagent(entry))];
  const kept = new Set([...working, ...resting.reverse()].slice(0, maxSubAgents));
  return {
    shown: roster.filter((entry) => entry.kind !== "sub-agent" || kept.has(entry)),
    hidden: subAgents.length - kept.size,
  };
}

const isIdleSubagent = ({ state }: RosterEntry): boolean =>
  !["starting", "working", "tool", "asking", "waiting"].includes(state);

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));

/** Returns the nearest node in the direction of an arrow key. */
export function neighbour(nodes: readonly PlacedNode[], from: string, key: string): PlacedNode | undefined {
  const here = nodes.find(({ entry }) => entry.key === from);
  const [dx, dy] = directions[key] ?? [0, 0];
  if (!here || (dx === 0 && dy === 0)) return undefined;
  let best: { node: PlacedNode; far: number } | undefined;
  for (const node of nodes) {
    const [ahead, aside] = [
      (node.x - here.x) * dx + (node.y - here.y) * dy,
      Math.abs((node.x - here.x) * dy) + Math.abs((node.y - here.y) * dx),
    ];
    if (node === here || ahead <= 4) continue;
    const far = ahead + 2 * aside;
    if (!best || far < best.far) best = { node, far };
  }
  return best?.node;
}

const directions: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
