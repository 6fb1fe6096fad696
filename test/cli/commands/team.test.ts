import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { currentProcess, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { createFileTeamStore } from "../../../src/store/index.ts";
import { workplace } from "../../support/cli/workplace.ts";

const json = (text: string): unknown => JSON.parse(text);

async function crew() {
  const place = workplace();
  const ok = async (...args: string[]) => {
    const { code, stdout, stderr } = await place.run(args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
    return stdout;
  };
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await place.run(args);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^troupe: [^\n]+\n$/);
    return { code, stderr };
  };
  await ok("team", "create", "crew", "--description", "fixes things", "--member", "alice", "--member", "bob");
  const teams = join(place.home, ".troupe/teams");
  return { place, ok, refused, teams };
}

describe("troupe team", () => {
  test("create, list, show and delete, for existing and missing teams", async () => {
    const { ok, refused, teams } = await crew();
    expect(await ok("team", "create", "Crew")).toBe("team Crew-2: team-lead\n");
    expect(json(await ok("team", "list", "--json"))).toMatchObject([{ name: "Crew-2" }, { name: "crew" }]);
    const shown = json(await ok("team", "show", "crew", "--json")) as { team: { members: { name: string }[] } };
    expect(shown.team.members.map(({ name }) => name)).toEqual(["team-lead", "alice", "bob"]);
    const key = readFileSync(join(teams, "crew/keys/alice"), "utf8").trim();
    expect(JSON.stringify(shown)).not.toContain(key);
    expect(await ok("team", "show", "crew")).not.toContain(key);
    for (const name of readdirSync(teams, { recursive: true, encoding: "utf8" })) {
      expect(statSync(join(teams, name)).mode & 0o077).toBe(0);
    }
    expect(await ok("team", "delete", "Crew-2")).toBe("team Crew-2 is deleted\n");
    expect(readdirSync(teams)).toEqual(["crew"]);
    expect(await refused("team", "show", "krew")).toEqual({
      code: 2,
      stderr: 'troupe: There is no team "krew". Did you mean crew? Teams: crew.\n',
    });
  });

  test("a working member prevents deletion and is named", async () => {
    const { place, ok, refused } = await crew();
    const home = join(place.home, ".troupe");
    const store = createFileTeamStore({ home, clock: systemClock, createId: createIdFactory(systemClock) });
    const team = await store.open("crew");
    const presence = await team.presence.announce("bob", "waiting", "for \u001b[31mred\u202e");
    const { code, stderr } = await refused("team", "delete", "crew");
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`bob (waiting, process ${process.pid})`),
    });
    const shown = await ok("team", "show", "crew");
    expect(shown).toContain("bob  waiting (for ␛[31mred[U+202E])");
    expect(await ok("team", "delete", "crew", "--force")).toBe("team crew is deleted\n");
    await presence.close();
    await team.close();
  });

  test("send and inbox: mail is stored, shown as inert text, and stays unread", async () => {
    const { ok, refused } = await crew();
    expect(await ok("team", "send", "crew", "alice", "hello", "there")).toMatch(/^sent to alice: mail_/);
    const sent = json(
      await ok("team", "send", "crew", "alice", "\u001b]52;c;eA==\u0007now", "--from", "bob", "--urgent", "--json"),
    );
    expect(sent).toMatchObject({ to: "alice", id: expect.stringMatching(/^mail_/) });
    for (const flags of [[], ["--unread"]]) {
      expect(json(await ok("team", "inbox", "crew", "alice", "--json", ...flags))).toMatchObject([
        { from: "user", state: "queued", sender: "verified", body: { kind: "text", text: "hello there" } },
        { from: "bob", urgent: true },
      ]);
    }
    const shown = await ok("team", "inbox", "crew", "alice");
    expect(shown).toContain("hello there");
    expect(shown).toContain("␛]52;c;eA==␇now");
    expect(await ok("team", "send", "crew", "*", "all hands")).toContain("alice, bob");
    expect((await refused("team", "send", "crew", "alise", "hi")).stderr).toContain("Did you mean alice?");
    expect((await refused("team", "inbox", "crew", "missing")).code).toBe(2);
    expect((await refused("team", "send", "crew", "alice")).code).toBe(2);
    expect((await refused("team", "send", "crew", "alice", "x", "--from", "eve")).stderr).toContain("eve");
  });

  test("log and log --follow show members, mail and tasks as they change", async () => {
    const { place, ok } = await crew();
    await ok("team", "send", "crew", "alice", "before");
    const following = place.start(["team", "log", "crew", "--follow", "--json"]);
    await following.saw(/"text":"before"/);
    await ok("tasks", "add", "paint", "the", "door", "--team", "crew");
    await ok("tasks", "claim", "1", "--team", "crew", "--as", "bob");
    await ok("team", "send", "crew", "bob", "after");
    await following.saw(/"what":"claimed"/);
    await following.saw(/"text":"after"/);
    following.child.kill("SIGINT");
    const { code, stdout, stderr } = await following.done;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n").map(json) as { type: string; who: string }[];
    expect(lines.map(({ type, who }) => `${type} ${who}`)).toEqual([
      "team crew",
      "member team-lead",
      "member alice",
      "member bob",
      "mail user",
      "task user",
      "task bob",
      "mail user",
    ]);
    expect(await ok("team", "log", "crew")).toMatch(
      /alice +joined\n[^]*user +to alice: before\n[^]*user +to bob: after\n/,
    );
    await ok("tasks", "release", "1", "--team", "crew", "--as", "bob");
    await ok("tasks", "claim", "1", "--team", "crew", "--as", "alice");
    const log = await ok("team", "log", "crew");
    expect(log.split("\n").flatMap((line) => /\S+ +\S+ #1.*/.exec(line)?.[0].replace(/ +/, " ") ?? [])).toEqual([
      "user created #1 paint the door",
      "bob claimed #1 paint the door",
      "bob released #1 paint the door",
      "alice claimed #1 paint the door",
    ]);
  });

  test("empty or incomplete arguments are refused with a message", async () => {
    const { refused } = await crew();
    const words = async (...args: string[]) => (await refused(...args)).stderr.slice("troupe: ".length, -1);
    expect(await words("team", "send", "crew", "alice", " ")).toBe("the message is empty and was not sent");
    expect(await words("tasks", "add", " ", "--team", "crew")).toBe("The subject of a task is invalid: it is empty.");
    expect(await words("team", "list", "--bus", "")).toContain(
      "--bus is empty. Give a URL such as nats://host:4222, or remove --bus.",
    );
    expect(await words("team")).toMatch(
      /^troupe team: missing subcommand \(one of: create, list, .*\)\. Run 'troupe team --help' for details\.$/,
    );
    expect(await words("bus")).toBe(
      "troupe bus: missing subcommand (one of: status). Run 'troupe bus --help' for details.",
    );
  });

  test("damage is reported and never read as empty", async () => {
    const { place, ok, refused, teams } = await crew();
    writeFileSync(join(teams, "crew/tasks.jsonl"), "");
    expect((await refused("tasks", "list", "--team", "crew")).stderr).toContain("its first line is damaged");
    writeFileSync(join(teams, "crew/team.jsonl"), "{");
    const { code, stdout } = await place.run(["team", "list", "--json"]);
    expect(code).toBe(1);
    expect(json(stdout)).toMatchObject([{ name: "crew", problem: expect.stringContaining("team.jsonl") }]);
    await ok("team", "delete", "crew", "--force");
  });

  test("a damaged or incomplete record of a member is named by every command that misses the member", async () => {
    const { place, ok, teams } = await crew();
    await ok("team", "send", "crew", "bob", "hello");
    const file = join(teams, "crew/team.jsonl");
    const whole = readFileSync(file, "utf8");
    const at = whole.lastIndexOf('"bob"');
    for (const damaged of [`${whole.slice(0, at)}"bab"${whole.slice(at + 5)}`, whole.slice(0, at)]) {
      writeFileSync(file, damaged);
      const inbox = await place.run(["team", "inbox", "crew", "bob"]);
      expect(inbox.code).toBe(2);
      expect(inbox.stderr).toMatch(/no member "bob".*record is damaged: .*team\.jsonl, byte \d+: /);
      for (const args of [
        ["team", "show", "crew"],
        ["team", "log", "crew"],
      ])
        expect((await place.run(args)).stderr).toMatch(/team\.jsonl, byte \d+: /);
    }
  });

  test("a home that is read-only can be read, and a change fails with the reason", async () => {
    const { place, ok } = await crew();
    await ok("team", "send", "crew", "bob", "hello");
    await ok("tasks", "add", "one", "--team", "crew");
    const via = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--"];
    const read = async (...args: string[]) => (await place.run(args, { via })).stdout;
    expect(await read("team", "show", "crew")).toContain("1 unread");
    expect(await read("team", "log", "crew")).toContain("created #1 one");
    expect(await read("team", "inbox", "crew", "bob")).toContain("hello");
    expect(await read("tasks", "list", "--team", "crew")).toContain("#1 one");
    for (const args of [
      ["tasks", "add", "two", "--team", "crew"],
      ["team", "send", "crew", "bob", "more"],
    ]) {
      const { code, stderr } = await place.run(args, { via });
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/^troupe: Cannot (?:write to|open) .*(?:read-only|permission denied).*\n$/);
    }
  });

  test("log reports damaged tasks and mail", async () => {
    const { place, ok, teams } = await crew();
    await ok("team", "send", "crew", "bob", "hello");
    await ok("tasks", "add", "one", "--team", "crew");
    for (const [name, word] of [
      ["crew/inboxes/bob.jsonl", "hello"],
      ["crew/tasks.jsonl", "one"],
    ] as const) {
      const file = join(teams, name);
      writeFileSync(file, readFileSync(file, "utf8").replace(word, "x".repeat(word.length)));
    }
    const { code, stdout, stderr } = await place.run(["team", "log", "crew"]);
    expect(code).toBe(0);
    expect(stdout).not.toContain("hello");
    expect(stderr).toMatch(/bob\.jsonl, byte \d+: /);
    expect(stderr).toMatch(/tasks\.jsonl, byte \d+: /);
  });
});

describe("troupe tasks", () => {
  test("add, claim, done, release: one owner, in order, with a message when refused", async () => {
    const { place, ok, refused } = await crew();
    const tasks = (verb: string, ...args: string[]) => ok("tasks", verb, ...args, "--team", "crew");
    expect(await tasks("add", "fix", "it", "--check", "npm test")).toBe("  #1 fix it\n");
    expect(await tasks("add", "second", "--blocked-by", "1", "--needs", "Bash")).toBe("  #2 second  (after #1)\n");
    expect(await refused("tasks", "claim", "2", "--team", "crew")).toEqual({
      code: 1,
      stderr: "troupe: Task 2 is blocked by task 1.\n",
    });
    expect(await tasks("claim", "1", "--as", "alice")).toBe("◐ #1 fix it  (alice)\n");
    const late = await refused("tasks", "claim", "1", "--team", "crew", "--as", "bob");
    expect(late).toEqual({ code: 1, stderr: "troupe: Task 1 is already claimed by alice. Choose another task.\n" });
    expect((await refused("tasks", "claim", "1", "--team", "crew", "--as", "eve")).stderr).toContain('no member "eve"');
    expect(await tasks("release", "1", "--as", "alice")).toBe("  #1 fix it\n");
    expect(json(await tasks("claim", "#1", "--as", "bob", "--json"))).toMatchObject({
      ok: true,
      item: { owner: "bob", generation: 2 },
    });
    expect(await tasks("done", "1", "--as", "bob")).toBe("✓ #1 fix it  (bob; not verified)\n");
    expect(await tasks("list")).toBe("  #2 second\n");
    expect(await tasks("claim", "2")).toBe("◐ #2 second  (user)\n");
    expect(json(await tasks("list", "--json"))).toMatchObject([{ id: 2, status: "in_progress", owner: "user" }]);
    expect(await tasks("list", "--all")).toBe("✓ #1 fix it  (bob; not verified)\n◐ #2 second  (user)\n");
    expect(await ok("tasks", "list")).toBe("◐ #2 second  (user)\n");
    const { code, stdout } = await place.run(["tasks", "add", "x", "--team", "crew", "--blocked-by", "9", "--json"]);
    expect({ code, said: json(stdout) }).toMatchObject({ code: 1, said: { ok: false, reason: "dependency" } });
  });

  test("session without a team", async () => {
    const { place, ok, refused } = await crew();
    place.write("script.json", { version: 1, steps: [{ text: "hello" }] });
    await place.run(["-p", "--model", "scripted/script.json", "hi"]);
    const [session] = (await ok("sessions", "list", "--json"))
      .split("\n")
      .map((line) => (line === "" ? {} : json(line))) as [{ sessionId: string }];
    expect(await ok("tasks", "list", "--session", session.sessionId)).toBe("no open tasks\n");
    expect(await ok("tasks", "add", "own", "--session", session.sessionId)).toBe("  #1 own\n");
    expect(await ok("tasks", "done", "1", "--session", session.sessionId)).toBe("✓ #1 own  (user)\n");
    expect((await refused("tasks", "list", "--session", "ses_nothere0")).code).toBe(2);
    expect((await refused("tasks", "list", "--session", session.sessionId, "--team", "crew")).code).toBe(2);
  });

  test("mistakes print one line and exit with 2", async () => {
    const { ok, refused } = await crew();
    await ok("team", "create", "other");
    for (const args of [
      ["tasks", "list"],
      ["tasks", "claim", "x", "--team", "crew"],
      ["tasks", "claim", "--team", "crew"],
      ["tasks", "add", "--team", "crew"],
      ["tasks", "dance"],
      ["team", "create", "../up"],
      ["team", "create", "a\u202eb"],
      ["team", "create"],
    ]) {
      expect({ args, ...(await refused(...args)) }).toMatchObject({
        args,
        code: 2,
        stderr: expect.not.stringMatching(/\p{Cf}/u),
      });
    }
  });

  test("--follow shows every change", async () => {
    const { place, ok } = await crew();
    await ok("tasks", "add", "a", "--team", "crew");
    const following = place.start(["tasks", "list", "--team", "crew", "--follow", "--json"]);
    await following.saw(/"subject":"a"/);
    const home = join(place.home, ".troupe");
    const store = createFileTeamStore({ home, clock: systemClock, createId: createIdFactory(systemClock) });
    const team = await store.open("crew");
    await team.tasks.claim(1, { name: "bob", holder: { ...currentProcess(), startedAt: "1" } });
    await team.tasks.releaseGone(async () => "it is dead");
    await team.close();
    await following.saw(/"why":"it is dead"/);
    following.child.kill("SIGTERM");
    const { code, stdout } = await following.done;
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n").map(json)).toMatchObject([
      { id: 1, status: "pending" },
      { what: "claimed", by: "bob", owner: "bob" },
      { what: "released", by: "troupe", why: "it is dead" },
    ]);
  });
});
