import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentId, AgentPath } from "../../../src/protocol/index.ts";
import { createTestClock } from "../../../src/testing.ts";
import { type AgentSlot, createAgentSlots, type SlotResult } from "../../../src/team/index.ts";

const placeOf = (answer: SlotResult): AgentSlot => {
  if (!answer.ok) throw new Error(answer.message);
  return answer.slot;
};

const settle = () => new Promise((resolve) => setImmediate(resolve));

function limits(settings: Parameters<typeof createAgentSlots>[0] = {}) {
  const clock = createTestClock();
  return { clock, limits: createAgentSlots(settings, { clock }) };
}

describe("concurrency", () => {
  test("sixteen by default; the rest queue, first come first served", async () => {
    const { limits: spawn } = limits();
    const order: number[] = [];
    const ahead: number[] = [];
    const places: AgentSlot[] = [];
    const all = Array.from({ length: 20 }, async (_, index) => {
      const place = placeOf(await spawn.acquire({ parentDepth: 0, onQueued: (count) => ahead.push(count) }));
      order.push(index);
      places.push(place);
    });
    await settle();
    expect([spawn.running, spawn.queued, spawn.total]).toEqual([16, 4, 20]);
    expect(ahead).toEqual([0, 1, 2, 3]);
    for (let next = 0; next < 4; next++) places[next]?.release();
    await Promise.all(all);
    expect(order).toEqual([...Array(20).keys()]);
    expect(spawn.running).toBe(16);
  });

  test("an abort leaves the queue and nothing behind", async () => {
    const { limits: spawn } = limits({ maxConcurrentAgents: 1 });
    const first = placeOf(await spawn.acquire({ parentDepth: 0 }));
    const abort = new AbortController();
    const left = spawn.acquire({ parentDepth: 0, signal: abort.signal });
    const behind = spawn.acquire({ parentDepth: 0 });
    abort.abort(new Error("enough"));
    await expect(left).rejects.toThrow("enough");
    await expect(spawn.acquire({ parentDepth: 0, signal: abort.signal })).rejects.toThrow("enough");
    expect([spawn.queued, spawn.total]).toEqual([1, 2]);
    first.release();
    first.release();
    placeOf(await behind).release();
    expect(spawn.running).toBe(0);
  });

  test("agents that wait for their subagents do not fill the slots", async () => {
    const { limits: spawn } = limits({ maxConcurrentAgents: 2, maxDepth: 2 });
    const parents = [
      placeOf(await spawn.acquire({ parentDepth: 0 })),
      placeOf(await spawn.acquire({ parentDepth: 0 })),
    ];
    const takeBack = parents.map((parent) => parent.lend());
    const children = await Promise.all(parents.map(() => spawn.acquire({ parentDepth: 1 })));
    const stranger = spawn.acquire({ parentDepth: 0 });
    const back = takeBack[0]?.();
    placeOf(children[0] as SlotResult).release();
    await back;
    // The continuing parent was there before the new agent.
    expect([spawn.running, spawn.queued]).toEqual([2, 1]);
    placeOf(children[1] as SlotResult).release();
    await stranger;
    // Ended while its slot was lent.
    parents[1]?.release();
    await takeBack[1]?.();
    expect(spawn.running).toBe(2);
  });

  test("property: never too many in any order, and all get their turn", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 20 }),
        async (scheduler, atOnce, count) => {
          const { limits: spawn } = limits({ maxConcurrentAgents: atOnce });
          let most = 0;
          const work = async () => {
            const place = placeOf(await spawn.acquire({ parentDepth: 0 }));
            most = Math.max(most, spawn.running);
            await scheduler.schedule(Promise.resolve());
            place.release();
          };
          await scheduler.waitFor(Promise.all(Array.from({ length: count }, work)));
          expect(most).toBeLessThanOrEqual(atOnce);
          expect([spawn.running, spawn.queued, spawn.total]).toEqual([0, 0, count]);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("depth, total and rate", () => {
  test("agents start no agents unless that is configured", async () => {
    const { limits: spawn } = limits();
    expect(await spawn.acquire({ parentDepth: 1 })).toMatchInlineSnapshot(`
      {
        "message": "No agent was started: you are at depth 1 and may not start agents (limits.maxDepth is 1). Do the work yourself, or say in your result what is left to do.",
        "ok": false,
      }
    `);
    expect(await limits({ maxDepth: 2 }).limits.acquire({ parentDepth: 1 })).toMatchObject({ ok: true, depth: 2 });
    expect(await limits({ maxDepth: 0 }).limits.acquire({ parentDepth: 0 })).toMatchInlineSnapshot(`
      {
        "message": "No agent was started: agents are disabled (limits.maxDepth is 0). Do the work yourself.",
        "ok": false,
      }
    `);
  });

  test("an agent that keeps starting agents is stopped at the cap, also over a resume", async () => {
    const { limits: spawn } = limits({ maxAgents: 5, maxConcurrentAgents: 2 });
    const [path, agentType, cwd] = ["lead/a" as AgentPath, "worker", "/"];
    const spawned = { type: "agent.spawned", path, agentType, model: "a/b", permissionMode: "default", cwd } as const;
    spawn.countEarlier(spawned);
    spawn.countEarlier({ ...spawned, parent: "agt_00000000" as AgentId });
    for (let count = 0; count < 4; count++) placeOf(await spawn.acquire({ parentDepth: 0 })).release();
    expect(await spawn.acquire({ parentDepth: 0 })).toMatchInlineSnapshot(`
      {
        "message": "No agent was started: this session has started 5 of at most 5 agents (limits.maxAgents). Do the rest yourself, or finish with what you have.",
        "ok": false,
      }
    `);
  });

  test("a resumed agent needs a slot and does not count again", async () => {
    const { limits: spawn } = limits({ maxAgents: 1, maxConcurrentAgents: 1 });
    const first = placeOf(await spawn.acquire({ parentDepth: 0 }));
    const again = spawn.acquire({ parentDepth: 0, isReturning: true });
    expect(spawn.queued).toBe(1);
    first.release();
    placeOf(await again).release();
    expect([spawn.running, spawn.total]).toEqual([0, 1]);
  });

  test("more starts than the limit per minute wait for the next minute", async () => {
    const { limits: spawn, clock } = limits({ maxSpawnsPerMinute: 2 });
    for (let count = 0; count < 2; count++) placeOf(await spawn.acquire({ parentDepth: 0 })).release();
    let started = 0;
    const count = () => void (started += 1);
    const waiting = [1, 2, 3].map(() => spawn.acquire({ parentDepth: 0 }).then(count));
    await clock.advance(59_999);
    expect(started).toBe(0);
    await clock.advance(1);
    await settle();
    expect(started).toBe(2);
    await clock.advance(60_000);
    await Promise.all(waiting);
    expect(clock.sleeping).toBe(0);
  });

  test("when no start waits for the next minute any more, no timer is left", async () => {
    const { limits: spawn, clock } = limits({ maxSpawnsPerMinute: 1 });
    await spawn.acquire({ parentDepth: 0 });
    const abort = new AbortController();
    const left = spawn.acquire({ parentDepth: 0, signal: abort.signal });
    expect(clock.sleeping).toBe(1);
    abort.abort(new Error("enough"));
    const next = spawn.acquire({ parentDepth: 0 });
    await expect(left).rejects.toThrow("enough");
    expect(clock.sleeping).toBe(1);
    await clock.advance(60_000);
    expect(await next).toMatchObject({ ok: true });
    expect(clock.sleeping).toBe(0);
  });
});
