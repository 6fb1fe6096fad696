import { describe, expect } from "vitest";
import { currentProcess } from "../../../src/platform/index.ts";
import { returnedBy } from "../../../src/protocol/index.ts";
import type { TaskAnswer } from "../../../src/store/index.ts";
import { type Cannot, heldBy } from "./test-if-supported.ts";
import { collect, openTwice, type StorePair, worker } from "./store-pair.ts";

/** The contract of every task list. */
export function taskListSuite(name: string, makeStores: () => Promise<StorePair>, cannot: Cannot = {}): void {
  const it = heldBy(cannot);
  const start = async () => openTwice(await makeStores());
  const task = (subject: string) => ({ subject, description: `do ${subject}` });
  const lead = { name: "team-lead" };

  describe(`${name}: the task list`, () => {
    it("numbers tasks in order of creation and never reuses a number", async () => {
      const { one, two } = await start();
      const created = await Promise.all(
        Array.from({ length: 12 }, (_, n) => (n % 2 ? one : two).tasks.create(task(`t${n}`), lead)),
      );
      expect(created.map(idOf).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
      await one.tasks.delete(12, lead);
      expect(idOf(await two.tasks.create(task("next"), lead))).toBe(13);
      expect(await one.tasks.get(12)).toBeUndefined();
      expect((await two.tasks.list()).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13]);
    });

    it("gives a task to the first claim and names the owner to the others (B1)", async () => {
      const { one, two } = await start();
      await one.tasks.create(task("a"), lead);
      const names = Array.from({ length: 16 }, (_, n) => `w${n}`);
      const answers = await Promise.all(names.map((name, n) => (n % 2 ? one : two).tasks.claim(1, { name })));
      const winners = answers.filter((answer) => answer.ok);
      expect(winners).toHaveLength(1);
      const owner = (await one.tasks.get(1))?.owner;
      for (const answer of answers) {
        if (!answer.ok)
          expect(answer).toMatchObject({
            reason: "taken",
            message: expect.stringContaining(`already claimed by ${owner}`),
          });
      }
      expect(await two.tasks.claim(1, { name: owner ?? "" })).toMatchObject({ ok: true, item: { generation: 1 } });
    });

    it("allows one task in progress by claim, more only by assignment (B5)", async () => {
      const { one, two } = await start();
      for (const subject of ["a", "b", "c"]) await one.tasks.create(task(subject), lead);
      const both = await Promise.all([one.tasks.claim(1, { name: "w" }), two.tasks.claim(2, { name: "w" })]);
      expect(both.filter((answer) => answer.ok)).toHaveLength(1);
      expect(both.find((answer) => !answer.ok)).toMatchObject({ reason: "busy" });
      expect(await one.tasks.update(3, { owner: "w", status: "in_progress" }, lead)).toMatchObject({
        ok: true,
        item: { owner: "w" },
      });
    });

    it("starting a task oneself follows the claim rules; only lead and user start it for others", async () => {
      const { one, two } = await start();
      await one.tasks.create({ ...task("a"), needs: ["Bash"] }, lead);
      for (const subject of ["b", "c"]) await one.tasks.create(task(subject), lead);
      const bob = { name: "bob", tools: ["Read"] };
      const begun = (owner: string) => ({ status: "in_progress" as const, owner });
      expect(await one.tasks.update(1, begun("bob"), bob)).toMatchObject({ reason: "unfit" });
      expect(await two.tasks.update(2, begun("bob"), bob)).toMatchObject({ ok: true, item: begun("bob") });
      expect(await one.tasks.update(3, begun("bob"), bob)).toMatchObject({ reason: "busy" });
      for (const id of [2, 3])
        expect(await two.tasks.update(id, begun("carl"), bob)).toMatchObject({ reason: "taken" });
      expect((await one.tasks.list()).map(({ owner, status }) => [owner, status])).toEqual([
        [undefined, "pending"],
        ["bob", "in_progress"],
        [undefined, "pending"],
      ]);
      // A reassigned task is pending. The lead or the user can start it for any member, also for themselves.
      expect(await one.tasks.update(2, { owner: "carl" }, bob)).toMatchObject({
        item: { owner: "carl", status: "pending" },
      });
      expect(await one.tasks.update(2, begun("team-lead"), lead)).toMatchObject({ ok: true, item: begun("team-lead") });
      expect(await one.tasks.update(3, begun("team-lead"), lead)).toMatchObject({ reason: "busy" });
      expect(await one.tasks.update(3, begun("carl"), { name: "user" })).toMatchObject({ ok: true });
    });

    it("restarting a task follows the claim rules", async () => {
      const { one } = await start();
      for (const subject of ["a", "b"]) await one.tasks.create(task(subject), lead);
      const bob = { name: "bob" };
      await one.tasks.claim(1, bob);
      await one.tasks.complete(1, bob);
      await one.tasks.claim(2, bob);
      const again = () => one.tasks.update(1, { status: "in_progress" }, bob);
      expect(await again()).toMatchObject({ reason: "busy", item: { id: 1, status: "completed" } });
      await one.tasks.complete(2, bob);
      expect(await again()).toMatchObject({ ok: true, item: { owner: "bob", status: "in_progress" } });
    });

    it("exactly one of deletion and claim, or completion and deletion, succeeds (B6)", async () => {
      const { one, two } = await start();
      for (let n = 1; n <= 20; n++) {
        await one.tasks.create(task(`t${n}`), lead);
        const [deleted, claimed] = await Promise.all(
          n % 2
            ? [one.tasks.delete(n, { name: "v" }), two.tasks.claim(n, { name: `w${n}` })]
            : [two.tasks.claim(n, { name: `w${n}` }), one.tasks.delete(n, { name: "v" })],
        );
        expect([deleted.ok, claimed.ok].filter(Boolean)).toHaveLength(1);
      }
      const { item } = expectOk(await one.tasks.create(task("last"), lead));
      const [done, gone] = await Promise.all([
        one.tasks.complete(item.id, { name: "w" }),
        two.tasks.delete(item.id, { name: "v" }),
      ]);
      expect([done.ok, gone.ok].filter(Boolean)).toHaveLength(1);
    });

    it("refuses cycles, self-references and missing tasks; unblocks dependent tasks (B7)", async () => {
      const { one, two } = await start();
      for (const subject of ["a", "b", "c"]) await one.tasks.create(task(subject), lead);
      expect(await one.tasks.update(1, { addBlocks: [2] }, lead)).toMatchObject({ ok: true });
      expect(await two.tasks.update(2, { addBlocks: [3] }, lead)).toMatchObject({ ok: true });
      for (const patch of [{ addBlocks: [1] }, { addBlockedBy: [3] }, { addBlockedBy: [99] }, { addBlocks: [99] }]) {
        const id = patch.addBlocks?.[0] === 1 || patch.addBlockedBy?.[0] === 99 ? 3 : 1;
        expect(await one.tasks.update(id, patch, lead)).toMatchObject({ ok: false, reason: "dependency" });
      }
      expect(await one.tasks.create({ ...task("d"), blocks: [1], blockedBy: [3] }, lead)).toMatchObject({
        reason: "dependency",
      });
      expect(await two.tasks.claim(2, { name: "w" })).toMatchObject({
        reason: "blocked",
        message: "Task 2 is blocked by task 1.",
      });
      const stop = new AbortController();
      const seen = collect(two.tasks.follow(stop.signal), ({ what }) => what === "completed");
      await one.tasks.claim(1, { name: "w" });
      await one.tasks.complete(1, { name: "w", generation: 1 });
      expect((await seen).at(-1)).toMatchObject({ what: "completed", by: "w", freed: [2] });
      stop.abort();
      expect(await two.tasks.claim(2, { name: "w" })).toMatchObject({ ok: true });
      expect(await two.tasks.delete(2, { name: "w", generation: 1 })).toMatchObject({ ok: true });
      expect(await one.tasks.get(3)).toMatchObject({ blockedBy: [] });
    });

    it("a task that its owner released waits for the lead until the lead changes it or a blocker is done", async () => {
      const { one, two } = await start();
      const bob = { name: "bob" };
      for (const subject of ["a", "obstacle"]) await one.tasks.create(task(subject), lead);
      const giver = async () => {
        const item = await two.tasks.get(1);
        return item && returnedBy(item);
      };
      const giveUp = async (patch: object = {}) => {
        await one.tasks.claim(1, bob);
        expectOk(await one.tasks.update(1, { status: "pending", ...patch }, bob));
      };
      await giveUp();
      expect(await giver()).toBe("bob");
      expectOk(await one.tasks.update(1, { said: { text: "too hard" } }, bob));
      expect(await giver()).toBe("bob");
      expectOk(await one.tasks.update(1, { description: "easier" }, lead));
      expect(await giver()).toBeUndefined();
      expect(await two.tasks.get(1)).toMatchObject({ past: [{ owner: "bob", said: { text: "too hard" } }] });
      await giveUp({ addBlockedBy: [2] });
      expect(await giver()).toBe("bob");
      expectOk(await one.tasks.complete(2, { name: "alice" }));
      expect(await giver()).toBeUndefined();
      // Its owner has not begun it.
      expectOk(await one.tasks.update(1, { owner: "bob" }, lead));
      expectOk(await one.tasks.release(1, bob));
      expect(await giver()).toBe("bob");
      // A task whose owner has ended, or that the lead takes back, is free.
      await one.tasks.claim(1, bob);
      await one.tasks.releaseGone(async () => "its owner has ended");
      expect(await giver()).toBeUndefined();
      await one.tasks.claim(1, bob);
      expectOk(await one.tasks.release(1, lead));
      expect(await giver()).toBeUndefined();
    });

    it("history lists past changes in order", async () => {
      const { one, two } = await start();
      await one.tasks.create(task("a"), lead);
      await two.tasks.claim(1, { name: "w" });
      await two.tasks.claim(1, { name: "late" });
      await one.tasks.release(1, { name: "w" }, "no time");
      await one.tasks.claim(1, { name: "w" });
      await two.tasks.complete(1, { name: "w" });
      const past = (await two.tasks.history()).map(({ what, by, why }) => [what, by, why].filter(Boolean).join(" "));
      const all = ["created team-lead", "claimed w", "released w no time", "claimed w", "completed w"];
      // After compaction the history begins with the resulting state.
      const steps = past[0] === "created troupe" ? past.slice(1) : past;
      expect(steps).toEqual(all.slice(past[0] === "created troupe" ? all.length - steps.length : 0));
    });

    it("accepts changes of an owner only while its claim holds (B3)", async () => {
      const { pair, one, two } = await start();
      await one.record.join(worker("a"));
      await one.tasks.create(task("a"), lead);
      const presence = await one.presence.announce("a", "working");
      const { item } = expectOk(await one.tasks.claim(1, { name: "a", holder: currentProcess() }));
      expect(await two.tasks.releaseGone(({ name }) => two.presence.goneReason(name))).toEqual([]);
      // A sign that is still on its way would count as a new one.
      const isSeen = async () => (await two.presence.look("a"))?.state === "working";
      while (!(await isSeen())) await new Promise((resolve) => setImmediate(resolve));
      await presence.close();
      const stop = new AbortController();
      const seen = collect(one.tasks.follow(stop.signal), ({ what }) => what === "released");
      // The last sign may arrive late. Then its lease has to pass, too.
      let released: readonly unknown[] = [];
      while (released.length === 0) {
        pair.letTimePass(pair.leaseMs + 1);
        released = await two.tasks.releaseGone(({ name }) => two.presence.goneReason(name));
      }
      expect(released).toMatchObject([{ id: 1, status: "pending" }]);
      expect((await seen).at(-1)).toMatchObject({ by: "troupe", why: expect.stringContaining("no sign") });
      stop.abort();
      const own = { name: "a", generation: item.generation };
      expect(await one.tasks.complete(1, own)).toMatchObject({
        reason: "stale",
        message: expect.stringContaining("it is back on the list without an owner"),
      });
      const { item: taken } = expectOk(await two.tasks.claim(1, { name: "b" }));
      expect(taken.generation).toBe(item.generation + 1);
      for (const late of [
        one.tasks.complete(1, own),
        one.tasks.update(1, { metadata: { x: 1 } }, own),
        one.tasks.release(1, own),
      ]) {
        expect(await late).toMatchObject({
          ok: false,
          reason: "stale",
          message: expect.stringContaining("it belongs to b now"),
        });
      }
      expect(await one.tasks.complete(1, { name: "a" })).toMatchObject({ reason: "taken" });
      expect(await two.tasks.complete(1, { name: "b", generation: taken.generation })).toMatchObject({ ok: true });
    });

    it("releases tasks of a member that is gone, started or not, and returns them", async () => {
      const { one, two } = await start();
      for (const subject of ["begun", "meant", "done", "free"]) await one.tasks.create(task(subject), lead);
      await one.tasks.claim(3, { name: "a" });
      await one.tasks.complete(3, { name: "a" });
      await one.tasks.claim(1, { name: "a", holder: currentProcess() });
      await one.tasks.update(2, { owner: "a" }, lead);
      const begun = await two.tasks.releaseGone(async ({ holder }) => (holder === undefined ? undefined : "silent"));
      expect(begun).toMatchObject([{ id: 1, status: "pending" }]);
      const meant = await two.tasks.releaseGone(async ({ name }) => `${name} is gone`);
      expect(meant).toMatchObject([{ id: 2, status: "pending" }]);
      expect(await one.tasks.claim(2, { name: "b" })).toMatchObject({ ok: true });
      expect(await one.tasks.get(3)).toMatchObject({ status: "completed", owner: "a" });
    });

    it("does not release a task that was claimed again in the meantime", async () => {
      const { one, two } = await start();
      await one.tasks.create(task("a"), lead);
      await one.tasks.claim(1, { name: "a" });
      const released = await one.tasks.releaseGone(async ({ name }) => {
        await two.tasks.release(1, { name });
        await two.tasks.claim(1, { name: "b" });
        return "gone";
      });
      expect(released).toEqual([]);
      expect(await one.tasks.get(1)).toMatchObject({ owner: "b", status: "in_progress" });
    });

    it("only a member with the needed tools can claim a task (promise 25)", async () => {
      const { one, two } = await start();
      await one.tasks.create({ ...task("a"), needs: ["Bash", "Edit"] }, lead);
      expect(await two.tasks.claim(1, { name: "reader", tools: ["Read", "Edit"] })).toMatchObject({
        reason: "unfit",
        message: expect.stringContaining("Bash"),
      });
      expect(await two.tasks.claim(1, { name: "maker", tools: ["Bash", "Edit", "Read"] })).toMatchObject({ ok: true });
    });

    it("task with checks completes only after they pass, and reopens if they fail", async () => {
      const { one, two } = await start();
      await one.tasks.create({ ...task("a"), acceptance: [{ command: "npm test" }] }, lead);
      await one.tasks.create({ ...task("b"), blockedBy: [1] }, lead);
      const { item } = expectOk(await one.tasks.claim(1, { name: "a" }));
      const own = { name: "a", generation: item.generation };
      expect(await one.tasks.complete(1, own)).toMatchObject({ item: { status: "completed", proof: "claimed" } });
      expect(await two.tasks.claim(2, { name: "b" })).toMatchObject({ reason: "blocked" });
      const { generation } = item;
      expect(await two.tasks.settle(1, { proof: "refuted", detail: "exit code 1", generation })).toMatchObject({
        item: { status: "in_progress", owner: "a", proof: "refuted", proofDetail: "exit code 1" },
      });
      expect(await two.tasks.settle(1, { proof: "verified", detail: "", generation })).toMatchObject({
        reason: "stale",
      });
      expect(await one.tasks.complete(1, own)).toMatchObject({ item: { proof: "claimed" } });
      expect(await one.tasks.settle(1, { proof: "verified", detail: "passed", generation })).toMatchObject({
        item: { status: "completed" },
      });
      expect(await two.tasks.claim(2, { name: "b" })).toMatchObject({ ok: true });
    });

    it("releases a task whose owner died between completion and its checks", async () => {
      const { one, two } = await start();
      await one.tasks.create({ ...task("a"), acceptance: [{ command: "true" }] }, lead);
      await one.tasks.claim(1, { name: "a" });
      await one.tasks.complete(1, { name: "a" });
      expect(await two.tasks.releaseGone(async () => "it is dead")).toMatchObject([{ id: 1, status: "pending" }]);
    });

    it("merges metadata key by key; null removes a key", async () => {
      const { one, two } = await start();
      await one.tasks.create({ ...task("a"), metadata: { a: 1, b: { c: 2 } } }, lead);
      await two.tasks.update(1, { metadata: { a: null, d: 4, ["__proto__"]: { x: 1 } } }, lead);
      expect((await one.tasks.get(1))?.metadata).toEqual({ b: { c: 2 }, d: 4 });
      expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    });

    it("assigned task can be claimed only by its assignee", async () => {
      const { one, two } = await start();
      await one.tasks.create(task("a"), lead);
      expect(await one.tasks.update(1, { owner: "b" }, lead)).toMatchObject({
        item: { status: "pending", owner: "b" },
      });
      expect(await two.tasks.claim(1, { name: "c" })).toMatchObject({
        reason: "taken",
        message: expect.stringContaining("assigned to b"),
      });
      expect(await two.tasks.claim(1, { name: "b" })).toMatchObject({ ok: true });
      expect(await two.tasks.update(1, { owner: "c" }, { name: "c" })).toMatchObject({ reason: "taken" });
      expect(await one.tasks.update(1, { owner: null }, lead)).toMatchObject({ item: { status: "pending" } });
    });

    it.for<[string, { subject: string; description: string; metadata?: Record<string, unknown> }]>([
      ["no subject", { subject: "", description: "" }],
      ["a description without end", { subject: "a", description: "x".repeat(100_000) }],
      ["metadata without bottom", { subject: "a", description: "", metadata: { deep: nested(20_000) } }],
      ["metadata without end", { subject: "a", description: "", metadata: { big: "x".repeat(300_000) } }],
    ])("refuses %s with a reason and stores nothing", async ([, wrong]) => {
      const { one } = await start();
      await expect(one.tasks.create(wrong, lead)).rejects.toMatchObject({ code: "task" });
      expect(await one.tasks.list()).toEqual([]);
    });
  });
}

const idOf = (answer: TaskAnswer): number => expectOk(answer).item.id;

function expectOk(answer: TaskAnswer): Extract<TaskAnswer, { ok: true }> {
  if (!answer.ok) throw new Error(answer.message);
  return answer;
}

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let n = 0; n < depth; n++) value = [value];
  return value;
}
