import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentId, Event } from "../../../src/protocol/index.ts";
import { createFileOverlapMap, type FileOverlap } from "../../../src/team/index.ts";
import { anyEvents, callId, enclose, lead, opened, spawned } from "../../support/view/sample-envelopes.ts";

const ids: Record<string, AgentId> = Object.fromEntries(
  ["a", "b", "c"].map((name) => [name, `agt_${name.repeat(8)}` as AgentId]),
);

let calls = 0;
function edit(path: string, outcome: "ok" | "failed" = "ok"): Event[] {
  const id = callId(`c${++calls}`);
  const display = { kind: "diff" as const, path, patch: "" };
  return [
    { type: "tool.called", turn: 1, callId: id, name: "Edit", input: { file_path: path }, title: "Edit" },
    { type: "tool.settled", callId: id, durationMs: 1, outcome, content: [], ...(outcome === "ok" && { display }) },
  ];
}

/** A lead and three agents. Returns the notices after events of one of them. */
function team(worktrees: Record<string, string> = {}, realPath?: (path: string) => string) {
  const map = createFileOverlapMap({ ...(realPath && { realPath }) });
  const hear = (agent: AgentId, ...events: Event[]): FileOverlap[] =>
    enclose(events.map((event) => [agent, event] as const)).flatMap((envelope) => map.observe(envelope) ?? []);
  hear(lead, opened(), spawned());
  for (const [name, id] of Object.entries(ids)) {
    const path = worktrees[name];
    hear(id, {
      ...spawned(`lead/${name}`, lead),
      ...(path && { worktree: { path, branch: "b" }, cwd: path }),
    });
  }
  return { map, hear, of: (name: string, ...events: Event[]) => hear(ids[name] as AgentId, ...events) };
}

describe("second agent to change a file", () => {
  test("gets a notice, and so does the lead", () => {
    const { of, map } = team();
    expect(of("a", ...edit("/p/x.ts"))).toEqual([]);
    expect(of("b", ...edit("/p/x.ts"))).toMatchInlineSnapshot(`
      [
        {
          "agent": "lead/b",
          "file": "/p/x.ts",
          "notices": [
            {
              "agent": "agt_bbbbbbbb",
              "text": "lead/a, working at the same time, has also changed "/p/x.ts". Read it again before you change it further, do not change the others' edits, and mention the overlap in your report.",
            },
            {
              "agent": "agt_00000000",
              "text": "lead/b has changed "/p/x.ts", which lead/a, working at the same time, has also changed. If their tasks conflict, stop one agent or let it wait. Agents in separate worktrees do not conflict.",
            },
          ],
          "others": [
            "lead/a",
          ],
        },
      ]
    `);
    expect([...map.touched()]).toEqual([["/p/x.ts", ["lead/a", "lead/b"]]]);
  });

  test("gets one notice for each pair and file, whichever agent changes it next", () => {
    const { of } = team();
    of("a", ...edit("/p/x.ts"));
    expect(of("b", ...edit("/p/x.ts"), ...edit("/p/x.ts"))).toHaveLength(1);
    expect(of("a", ...edit("/p/x.ts"))).toEqual([]);
    expect(of("c", ...edit("/p/x.ts"))).toMatchObject([{ agent: "lead/c", others: ["lead/a", "lead/b"] }]);
    expect(of("a", ...edit("/p/y.ts"))).toEqual([]);
    expect(of("b", ...edit("/p/y.ts"))).toHaveLength(1);
  });

  test("gets no notice of a failed change, nor of one by an ended agent", () => {
    const { of, map } = team();
    of("a", ...edit("/p/x.ts", "failed"));
    expect(of("b", ...edit("/p/x.ts"))).toEqual([]);
    of("b", { type: "agent.idle", reason: "completed" });
    expect(map.touched().size).toBe(0);
    expect(of("c", ...edit("/p/x.ts"))).toEqual([]);
  });

  test("may be the lead, which gets one notice", () => {
    const { of, hear } = team();
    of("a", ...edit("/p/x.ts"));
    expect(hear(lead, ...edit("/p/x.ts"))[0]?.notices).toMatchObject([
      { agent: lead, text: expect.stringMatching(/^lead\/a, working at the same time, has also changed/) },
    ]);
  });
});

describe("file identity", () => {
  test("resolves the real path from the agent's folder", () => {
    const { of } = team({}, (path) => path.replace("/link/", "/p/"));
    of("a", ...edit("/link/x.ts"));
    expect(of("b", { type: "agent.changed", cwd: "/p" }, ...edit("x.ts"))).toMatchObject([{ file: "/p/x.ts" }]);
  });

  test("the same name in two worktrees is two files", () => {
    const { of } = team({ a: "/t/a", b: "/t/b" });
    of("a", ...edit("x.ts"));
    expect(of("b", ...edit("x.ts"))).toEqual([]);
  });

  test("in the agent's own worktree only the lead hears of another agent's change", () => {
    const { of } = team({ a: "/t/a", b: "/t/b" });
    of("b", ...edit("/t/a/x.ts"));
    expect(of("a", ...edit("/t/a/x.ts"))[0]?.notices.map(({ agent }) => agent)).toEqual([lead]);
    of("a", ...edit("/t/a/y.ts"));
    expect(of("b", ...edit("/t/a/y.ts"))[0]?.notices.map(({ agent }) => agent)).toEqual([ids["b"], lead]);
  });

  test("two agents that share a worktree get notices like any two", () => {
    const { of } = team({ a: "/t/a", b: "/t/a" });
    of("a", ...edit("x.ts"));
    expect(of("b", ...edit("x.ts"))[0]?.notices.map(({ agent }) => agent)).toEqual([ids["b"], lead]);
  });
});

test("property: no agent gets two notices of the same pair and file", () => {
  const someEdit = fc
    .tuple(fc.constantFrom(lead, ...Object.values(ids)), fc.constantFrom("/p/x", "/p/y"))
    .map(([agent, path]) => edit(path).map((event) => [agent, event] as const));
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          someEdit,
          anyEvents.map((events) => events.slice(0, 3)),
        ),
        { maxLength: 40 },
      ),
      (parts) => {
        const map = createFileOverlapMap();
        const pairs = new Set<string>();
        for (const envelope of enclose([[lead, opened()], ...parts.flat()])) {
          const said = map.observe(envelope);
          for (const other of said?.others ?? []) {
            const pair = JSON.stringify([said?.file, ...[`${said?.agent}`, other as string].sort()]);
            expect(pairs.has(pair)).toBe(false);
            pairs.add(pair);
          }
        }
      },
    ),
    { numRuns: 100 },
  );
});
