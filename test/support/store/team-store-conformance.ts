import { describe, expect } from "vitest";
import { type Cannot, heldBy } from "./test-if-supported.ts";
import { collect, openTwice, type StorePair, worker } from "./store-pair.ts";
import { taskListSuite } from "./task-list-conformance.ts";

/** The contract of every team store: record, task list, presence. */
export function teamStoreSuite(name: string, makeStores: () => Promise<StorePair>, cannot: Cannot = {}): void {
  const it = heldBy(cannot);
  const start = async () => openTwice(await makeStores());
  const task = (subject: string) => ({ subject, description: `do ${subject}` });
  const lead = { name: "team-lead" };

  describe(`${name}: teams`, () => {
    it("team is created once under its name, with its lead, and found by it", async () => {
      const { store, other } = await makeStores();
      const first = await store.create({ name: "Parser", description: "fixes it", cwd: "/work" });
      const second = await other.create({ name: "parser", cwd: "/work" });
      expect([first.name, second.name]).toEqual(["Parser", "parser-2"]);
      const team = await first.record.read();
      expect(team).toMatchObject({ name: "Parser", description: "fixes it", leadAgentId: "team-lead@Parser" });
      expect(team.members.map((member) => member.name)).toEqual(["team-lead"]);
      expect((await other.list()).map((summary) => summary.name)).toEqual(["Parser", "parser-2"]);
      await Promise.all([first.close(), second.close()]);
      await expect(other.open("Parsr")).rejects.toMatchObject({
        code: "team",
        message: expect.stringContaining("Did you mean Parser?"),
      });
      await other.delete("Parser");
      await expect(store.open("Parser")).rejects.toMatchObject({ code: "team" });
      await expect(store.delete("Parser")).rejects.toMatchObject({ code: "team" });
      expect((await store.list()).map((summary) => summary.name)).toEqual(["parser-2"]);
    });

    it("team is not deleted while a member works, and the error names the member", async () => {
      const { pair, one } = await start();
      await one.record.join(worker("tester"));
      const presence = await one.presence.announce("tester", "working");
      await expect(pair.other.delete("crew")).rejects.toMatchObject({
        code: "team",
        message: expect.stringContaining("tester (working"),
      });
      await pair.other.delete("crew", { except: ["tester"] }).catch(expect.unreachable);
      await presence.close();
    });

    it("team is deleted by force or after all members ended; later writes are rejected", async () => {
      const { pair, one, two } = await start();
      await one.record.join(worker("tester"));
      const presence = await one.presence.announce("tester", "working");
      await presence.set("ended", "shutdown");
      await two.tasks.list();
      await pair.other.delete("crew");
      await expect(one.record.join(worker("late"))).rejects.toMatchObject({ code: "storage" });
      await expect(two.tasks.create(task("late"), lead)).rejects.toMatchObject({ code: "storage" });
      expect(await pair.store.list()).toEqual([]);
      await presence.close();
    });
  });

  describe(`${name}: the team record`, () => {
    it("gives each member a unique name, look-alikes included, and a key", async () => {
      const { one, two } = await start();
      const names: string[] = [];
      for (const asked of ["tester", "Tester", "tеster", "tester-2", "te ster", "ｔester"]) {
        names.push((await (names.length % 2 ? one : two).record.join(worker(asked))).member.name);
      }
      expect(names).toEqual(["tester", "Tester-2", "tеster-3", "tester-2-2", "te ster", "ｔester-4"]);
      const keys = await Promise.all(
        ["team-lead", "user", ...names].map((member) => one.record.keyOf(member, "check")),
      );
      expect(keys).not.toContain(undefined);
      expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(names.length + 2);
      expect(await two.record.keyOf("tester", "check")).toEqual(await one.record.keyOf("tester", "check"));
      // Where it joined. On another machine only if the secret is shared.
      expect(await two.record.keyOf("tester", "sign")).toBeDefined();
      await expect(one.record.keyOf("missing", "check")).rejects.toMatchObject({ code: "team" });
    });

    it("one call joins once, however often it is retried", async () => {
      const { one, two } = await start();
      const wish = { ...worker("tester"), startedBy: "team-lead", callId: "call_1" };
      const tries = await Promise.all([one, two, one, two].map(({ record }) => record.join(wish)));
      expect(tries.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(tries.map(({ member }) => member.name))).toEqual(new Set(["tester"]));
      expect((await one.record.read()).members).toHaveLength(2);
    });

    it("names stay unique when many members join at the same time", async () => {
      const { one, two } = await start();
      const joined = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).record.join(worker("worker"))),
      );
      expect(new Set(joined.map(({ member }) => member.name)).size).toBe(20);
      expect(new Set((await two.record.read()).members.slice(1, 9).map(({ color }) => color)).size).toBe(8);
    });

    it("keeps ended members with the first reason, and respawned members", async () => {
      const { one, two } = await start();
      await one.record.join(worker("tester"));
      await one.record.end("tester", { reason: "lost", detail: "its process has ended" });
      const again = await two.record.end("tester", { reason: "killed" });
      expect(again.ended).toMatchObject({ reason: "lost", detail: "its process has ended" });
      expect(two.record.current().members).toHaveLength(2);
      const back = await two.record.change("tester", { ended: null, tmuxPaneId: "%3" });
      expect(back).toMatchObject({ name: "tester", tmuxPaneId: "%3" });
      expect(back.ended).toBeUndefined();
      await expect(one.record.change("missing", {})).rejects.toMatchObject({ code: "team" });
    });

    it("followers receive every change", async () => {
      const { one, two } = await start();
      const stop = new AbortController();
      const seen = collect(two.record.follow(stop.signal), (team) => team.teamAllowedPaths.length === 1);
      await one.record.join(worker("tester"));
      await one.record.changeTeam({ description: "new words" });
      await one.record.allowPath({ path: "/project/src", tool: "Edit", addedBy: "team-lead" });
      await one.record.allowPath({ path: "/project/src", tool: "Edit", addedBy: "team-lead" });
      const teams = await seen;
      stop.abort();
      expect(teams.at(-1)).toMatchObject({ description: "new words", teamAllowedPaths: [{ path: "/project/src" }] });
    });

    it("reserves a file or folder for the first member; shared reservations coexist", async () => {
      const { one, two } = await start();
      for (const name of ["anna", "bert"]) await one.record.join(worker(name));
      const until = new Date(Date.now() + 600_000).toISOString();
      const wish = (by: string, path: string, mode: "exclusive" | "shared" = "exclusive") => ({
        by,
        path,
        mode,
        until,
      });
      const tries = await Promise.all([
        one.record.reserve(wish("anna", "src/parse.ts")),
        two.record.reserve(wish("bert", "src/")),
      ]);
      expect(tries.filter(({ ok }) => ok)).toHaveLength(1);
      const [winner, loser] = tries[0].ok ? ["anna", "bert"] : ["bert", "anna"];
      expect(tries.find(({ ok }) => !ok)).toMatchObject({ held: { by: winner } });
      expect(await one.record.reserve(wish(winner, "src/"))).toMatchObject({ ok: true });
      await two.record.free(winner);
      expect(await two.record.reserve(wish(loser, "docs/", "shared"))).toMatchObject({ ok: true });
      expect(await one.record.reserve(wish(winner, "docs/a.md", "shared"))).toMatchObject({ ok: true });
      expect(await one.record.reserve(wish(winner, "docs/a.md"))).toMatchObject({ ok: false, held: { by: loser } });
      await one.record.end(loser, { reason: "lost" });
      expect(await one.record.reserve(wish(winner, "docs/"))).toMatchObject({ ok: true });
      expect(
        await two.record.reserve({ ...wish("team-lead", "lib/"), until: "2020-01-01T00:00:00.000Z" }),
      ).toMatchObject({ ok: true });
      expect(await one.record.reserve(wish(winner, "lib/x"))).toMatchObject({ ok: true });
      await expect(one.record.reserve(wish("missing", "x"))).rejects.toMatchObject({ code: "team" });
    });

    it.for(["team-lead", "user", "tеam-lead", "Team Lead", "TEAM_LEAD", "troupe", "uｓer"])(
      "refuses the name %s, which is taken or looks like a taken one",
      async (asked) => {
        const { one } = await start();
        await expect(one.record.join(worker(asked))).rejects.toMatchObject({ code: "team" });
      },
    );
  });

  describe(`${name}: presence`, () => {
    it("shows the state that a member publishes to every process", async () => {
      const { one, two } = await start();
      const { member } = await one.record.join(worker("tester"));
      expect(await two.presence.statusOf([member])).toMatchObject([{ state: "starting", alive: "unknown" }]);
      expect(await two.presence.goneReason("tester")).toBeUndefined();
      const presence = await one.presence.announce("tester", "starting");
      await presence.set("waiting", "for permission to run npm test");
      expect(await two.presence.statusOf([member])).toMatchObject([
        { name: "tester", state: "waiting", detail: "for permission to run npm test", alive: "alive" },
      ]);
      const since = "2026-01-01T00:00:00.000Z";
      await presence.set("working", "waits for background command npm test", since);
      expect(await two.presence.statusOf([member])).toMatchObject([{ state: "working", since }]);
      await presence.set("ended", "shutdown");
      expect(await two.presence.goneReason("tester")).toBe("tester has ended");
      const ended = await one.record.end("tester", { reason: "shutdown" });
      expect(await two.presence.statusOf([ended])).toMatchObject([
        { state: "ended", detail: "shutdown", alive: "dead" },
      ]);
      await presence.close();
    });

    it("expires with its lease while the process still lives (B9)", async () => {
      const { pair, one, two } = await start();
      const { member } = await one.record.join(worker("tester"));
      const presence = await one.presence.announce("tester", "working", "on the parser");
      await presence.close();
      expect(await two.presence.look("tester")).toMatchObject({ alive: "alive", expired: false });
      pair.letTimePass(pair.leaseMs + 1);
      expect(await two.presence.look("tester")).toMatchObject({ alive: "unknown", expired: true });
      expect(await two.presence.statusOf([member])).toMatchObject([
        {
          state: "working",
          alive: "unknown",
          detail: expect.stringContaining("on the parser; no sign of life for more than 10 s"),
        },
      ]);
      expect(await two.presence.goneReason("tester")).toContain("no sign");
    });
  });

  taskListSuite(name, makeStores, cannot);
}
