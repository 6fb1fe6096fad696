import { readdirSync, readlinkSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { teamUser } from "../../../src/protocol/index.ts";
import { createTeam, type OpenTeam, openTeam } from "../../../src/team/index.ts";
import { tempTree, type TempTree } from "../../support/files/temp-tree.ts";
import { gate, teamSession } from "../../support/team/team-session.ts";

const spawn = { tool: "Agent", input: { description: "look", prompt: "look around", name: "scout" } };
const ports = (tree: TempTree) => ({
  home: tree.path("home/.troupe"),
  clock: systemClock,
  createId: createIdFactory(systemClock),
});

async function inTeam<T>(tree: TempTree, work: (team: OpenTeam) => Promise<T>): Promise<T> {
  const team = await openTeam("alpha", ports(tree));
  try {
    return await work(team);
  } finally {
    await team.close();
  }
}

const scoutOf = (tree: TempTree) =>
  inTeam(tree, async ({ record }) => (await record.read()).members.find(({ name }) => name === "scout"));

test("a member that a program speaks for is never awaited, even after mail to it", async () => {
  const tree = tempTree({ "home/.troupe/settings.json": {} });
  await (await createTeam("alpha", { ...ports(tree), cwd: tree.path("home"), members: ["bot"] })).close();
  const team = await teamSession({
    tree,
    stored: true,
    flags: { team: "alpha" },
    answer: ({ turn }) =>
      turn === 1 ? { calls: [{ tool: "SendMessage", input: { to: "bot", message: "hello" } }] } : { text: "done" },
  });
  await team.ask("go");
  await team.until((event) => event.type === "member.changed" && event.name === "bot");
  await expect.poll(() => team.session.backgroundRunning()).toEqual([]);
});

test("a member asked to shut down is awaited; closing the session before its answer leaves it", async () => {
  const asked = gate();
  let hasAsked = false;
  const isAsked = (said: string) => said.includes("asks you to end");
  const team = await teamSession({
    stored: true,
    flags: { team: "alpha" },
    answer: ({ agent, turn, said }) => {
      if (agent === "scout@alpha" && isAsked(said)) {
        asked.open();
        return { calls: [{ tool: "Bash", input: { command: "tail -f /dev/null" } }] };
      }
      if (agent === "lead" && turn === 1) return { calls: [spawn] };
      if (agent === "lead" && said.includes("found it") && !hasAsked) {
        hasAsked = true;
        return { calls: [{ tool: "SendMessage", input: { to: "scout", message: { type: "shutdown_request" } } }] };
      }
      return { text: agent === "lead" ? "done" : "found it" };
    },
  });
  await team.ask("go");
  await asked.opened;
  await team.session.settled();
  expect(team.session.backgroundRunning().map(({ description }) => description)).toEqual(["scout"]);
  const requests = team.asked("lead").length;
  await team.close();
  expect(team.asked("lead")).toHaveLength(requests);
  expect((await scoutOf(team.tree))?.ended).toBeUndefined();
});

test("a shutdown request to a previous run of a member does not end the next one", async () => {
  const flags = { team: "alpha" } as const;
  const first = await teamSession({
    stored: true,
    flags,
    answer: ({ agent, turn }) => (agent === "lead" && turn === 1 ? { calls: [spawn] } : { text: "found it" }),
  });
  await first.ask("go");
  await first.until((event) => event.type === "mail.received" && event.from === "scout");
  await first.close();
  // As left behind when a member is killed before it reads the request.
  await inTeam(first.tree, async ({ mailbox }) => {
    const to = { from: teamUser, to: "scout" };
    await mailbox.send({ ...to, body: { kind: "stop_request", keep: true } });
    await mailbox.send({
      ...to,
      body: { kind: "shutdown_request", requestId: "ask_00000000000000000000000001" as never },
    });
    await mailbox.send({ ...to, text: "and the lexer?" });
  });
  const again = await teamSession({
    tree: first.tree,
    stored: true,
    resume: first.session.id,
    answer: ({ agent, said }) => ({ text: agent === "lead" ? `heard: ${said}` : "in src/lex.ts" }),
  });
  await again.until((event) => event.type === "mail.received" && event.from === "scout");
  expect((await scoutOf(again.tree))?.ended).toBeUndefined();
  expect(again.asked("scout@alpha")[0]?.said).toContain("and the lexer?");
});

test("a member respawned twice at once runs once", async () => {
  const team = await teamSession({
    stored: true,
    flags: { team: "alpha" },
    answer: ({ agent, turn }) => (agent === "lead" && turn === 1 ? { calls: [spawn] } : { text: "found it" }),
  });
  await team.ask("go");
  await team.until((event) => event.type === "mail.received" && event.from === "scout");
  await team.command({ type: "member.stop", team: "alpha", name: "scout", now: true });
  const back = { type: "member.respawn", team: "alpha", name: "scout" } as const;
  const [one, two] = await Promise.all([team.command(back), team.command(back)]);
  expect([one, two].map(({ ok }) => ok)).toEqual([true, false]);
  expect((await scoutOf(team.tree))?.ended).toBeUndefined();
});

test("a member can be respawned as soon as its end is known, while its lead still cleans up after it", async () => {
  const team = await teamSession({
    stored: true,
    flags: { team: "alpha" },
    answer: ({ agent, turn }) => (agent === "lead" && turn === 1 ? { calls: [spawn] } : { text: "found it" }),
  });
  await team.ask("go");
  await team.until((event) => event.type === "mail.received" && event.from === "scout");
  const stopped = team.command({ type: "member.stop", team: "alpha", name: "scout", now: true });
  await expect.poll(async () => (await scoutOf(team.tree))?.ended, { interval: 0 }).toBeDefined();
  expect(await team.command({ type: "member.respawn", team: "alpha", name: "scout" })).toEqual({ ok: true });
  expect(await stopped).toMatchObject({ ok: true });
});

const openFiles = () =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // closed in the meantime
    }
  });

test.skipIf(process.platform !== "linux")("a member that cannot be started leaves no open files", async () => {
  const team = await teamSession({
    stored: true,
    files: {
      "project/.troupe/agents/odd.md": "---\nname: odd\ndescription: odd\n---\nYou are odd.\n",
    },
    flags: { team: "alpha" },
    more: { trust: "all" },
    answer: ({ agent, turn }) =>
      agent === "lead" && turn === 1
        ? { calls: [{ ...spawn, input: { ...spawn.input, subagent_type: "odd" } }] }
        : { text: "found it" },
  });
  await team.ask("go");
  await team.until((event) => event.type === "mail.received" && event.from === "scout");
  await team.command({ type: "member.stop", team: "alpha", name: "scout", now: true });
  rmSync(team.tree.path("project/.troupe/agents/odd.md"));
  const path = team.tree.path("home/.troupe/teams/alpha/presence/scout.json");
  expect(await team.command({ type: "member.respawn", team: "alpha", name: "scout" })).toMatchObject({ ok: false });
  expect(openFiles()).not.toContain(path);
});
