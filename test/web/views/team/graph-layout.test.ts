import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentId, SessionId } from "../../../../src/protocol/index.ts";
import { emptyView, type Message } from "../../../../src/view/index.ts";
import { emptyKeyed, withValue } from "../../../../src/view/lists/keyed-list.ts";
import type { MessageEdge } from "../../../../src/view/mail/message-flow.ts";
import type { RosterEntry } from "../../../../web/src/state/roster.ts";
import { layOutGraph, neighbour } from "../../../../web/src/views/team/graph-layout.ts";
import { aliasesOf, messagesOf, pointOn, graphEdgesOf, edgeWidth } from "../../../../web/src/views/team/graph-edges.ts";
import { sessionId } from "../../../support/view/sample-envelopes.ts";

const entry = (key: string, kind: RosterEntry["kind"], more: Partial<RosterEntry> = {}): RosterEntry => ({
  key,
  kind,
  name: key,
  color: undefined,
  agentType: "",
  state: "idle",
  depth: 1,
  session: sessionId,
  agent: undefined,
  member: undefined,
  ...more,
});
const child = (key: string, parent: string, more: Partial<RosterEntry> = {}) =>
  entry(key, "sub-agent", { agent: { id: key, parent } as unknown as RosterEntry["agent"], ...more });
const lead = entry("lead", "lead");
const elsewhere = "ses_99999999" as SessionId;
const room = { width: 740, height: 600 };

describe("layout", () => {
  test("has the lead in the middle, its agents around it, and theirs next to them", () => {
    const roster = [
      lead,
      entry("ann@t", "teammate", { session: elsewhere }),
      child("anns", "unheard", { session: elsewhere }),
      entry("bob@t", "teammate"),
      child("own", "lead"),
      child("below", "own"),
      child("deepest", "below"),
    ];
    const { nodes } = layOutGraph(roster, room);
    expect(nodes.map(({ entry: { key }, parent, size }) => [key, parent, size])).toEqual([
      ["lead", undefined, "lead"],
      ["ann@t", "lead", "member"],
      ["anns", "ann@t", "small"],
      ["bob@t", "lead", "member"],
      ["own", "lead", "member"],
      ["below", "own", "small"],
      ["deepest", "own", "small"],
    ]);
    expect(nodes[0]?.x).toBe(room.width / 2);
  });

  test("keeps all nodes within its width and apart, for any number and width", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 320, max: 1600 }), (count, width) => {
        const roster = [lead, ...Array.from({ length: count }, (_, index) => entry(`m${index}@t`, "teammate"))];
        const { nodes, height } = layOutGraph(roster, { width, height: 500 });
        expect(nodes).toHaveLength(count + 1);
        const isOutside = nodes.some(({ x, y }) => x < 50 || x > width - 50 || y < 30 || y > height - 40);
        const isOver = nodes.some((node, index) =>
          nodes.slice(index + 1).some((other) => Math.hypot(node.x - other.x, node.y - other.y) < 60),
        );
        expect([isOutside, isOver]).toEqual([false, false]);
      }),
    );
  });

  test("of very many subagents draws the working ones, and says how many it leaves out", () => {
    const many = Array.from({ length: 200 }, (_, index) =>
      child(`s${index}`, "lead", { state: index === 7 ? "tool" : "idle" }),
    );
    const { nodes, hidden } = layOutGraph([lead, ...many], room);
    expect(nodes.map(({ entry: { key } }) => key)).toContain("s7");
    expect(nodes.map(({ entry: { key } }) => key)).toContain("s199");
    expect(nodes.length + hidden).toBe(201);
    expect(nodes.length).toBeLessThan(40);
  });

  test("is empty without agents", () => expect(layOutGraph([], room).nodes).toEqual([]));

  test("every node can be reached with the arrow keys", () => {
    const roster = [lead, ...["a", "b", "c", "d", "e"].map((name) => entry(`${name}@t`, "teammate"))];
    const { nodes } = layOutGraph(roster, room);
    const reached = new Set(["lead"]);
    for (const key of reached) {
      for (const arrow of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
        const next = neighbour(nodes, key, arrow);
        if (next) reached.add(next.entry.key);
      }
    }
    expect(reached.size).toBe(nodes.length);
    expect(neighbour(nodes, "lead", "Enter")).toBeUndefined();
  });
});

describe("edges", () => {
  const ann = entry("ann@t", "teammate", { agent: { id: "agt_ann" as AgentId } as RosterEntry["agent"] });
  const view = { ...emptyView, memberships: new Map([["t", { team: "t", name: "team-lead", role: "lead" as const }]]) };
  const roster = [lead, ann, entry("bob@t", "teammate")];
  const aliases = aliasesOf(roster, view);
  const edge = (from: string, to: string, count: number): MessageEdge => ({
    from,
    to,
    sent: count,
    received: count - 1,
    lastAt: 1,
  });

  test("combine both directions and all aliases of a member; one to the user belongs to the lead", () => {
    let edges = emptyKeyed<string, MessageEdge>();
    for (const each of [
      edge("team-lead@t", "ann@t", 3),
      edge("agt_ann", "user@t", 2),
      edge("ann@t", "bob@t", 1),
      edge("ann@t", "gone@t", 5),
    ])
      edges = withValue(edges, JSON.stringify([each.from, each.to]), each);
    const roads = graphEdgesOf(layOutGraph(roster, room).nodes, edges, aliases);
    expect(roads.map(({ from, to, count }) => [from.entry.key, to.entry.key, count])).toEqual([
      ["ann@t", "lead", 5],
      ["bob@t", "lead", 0],
      ["ann@t", "bob@t", 1],
    ]);
    expect(edgeWidth(0)).toBeLessThan(edgeWidth(1));
    expect(edgeWidth(1)).toBeLessThan(edgeWidth(5));
    expect(edgeWidth(1_000_000)).toBeLessThan(10);
    const [road] = roads;
    if (!road) throw new Error("there is no road");
    expect([pointOn(road, 0), pointOn(road, 1)]).toEqual([
      { x: road.from.x, y: road.from.y },
      { x: road.to.x, y: road.to.y },
    ]);
  });

  test("list the messages of both sides, the latest first", () => {
    const said = (id: string, from: string, to: string) => ({ id, from, to }) as Message;
    const recent = [said("1", "team-lead@t", "ann@t"), said("2", "ann@t", "bob@t"), said("3", "bob@t", "team-lead@t")];
    expect(messagesOf(recent, "ann@t", aliases).map(({ id }) => id)).toEqual(["2", "1"]);
    expect(messagesOf(recent, "lead", aliases).map(({ id }) => id)).toEqual(["3", "1"]);
  });
});
