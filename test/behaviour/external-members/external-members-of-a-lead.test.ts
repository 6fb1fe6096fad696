import { expect, onTestFinished, test } from "vitest";
import { joinAsExternal } from "../../../src/mcp-server/external-member.ts";
import { currentProcess } from "../../../src/platform/index.ts";
import { createFileTeamStore, heldReservations, type StoredTeam } from "../../../src/store/index.ts";
import { createTeam, type OpenTeam, openTeam } from "../../../src/team/index.ts";
import { ports, report, say } from "../../support/team/scripted-team.ts";
import { tempTree, type TempTree } from "../../support/files/temp-tree.ts";
import { heldBackend, type LedTeam, ledTeam } from "../../support/team/led-team.ts";
import { type TeamOptions, type TeamSession, teamSession } from "../../support/team/team-session.ts";

const place = (tree: TempTree) => ({ home: tree.path("home/.troupe"), ...ports });

/** A session that leads a team with external members, and the team as those programs see it. */
async function withPrograms(
  members: readonly string[],
  answer: TeamOptions["answer"],
  shutdownMs = 1_000,
): Promise<{ team: TeamSession; outside: OpenTeam }> {
  const tree = tempTree({ "home/.troupe/settings.json": { teams: { shutdownMs } } });
  await (await createTeam("alpha", { ...place(tree), cwd: tree.path("home"), members })).close();
  const team = await teamSession({ tree, stored: true, flags: { team: "alpha" }, answer });
  const outside = await openTeam("alpha", place(tree));
  onTestFinished(() => outside.close());
  return { team, outside };
}

const endOf = async ({ record }: Pick<StoredTeam, "record">, name: string) =>
  (await record.read()).members.find((member) => member.name === name)?.ended;

const shutdown = { type: "shutdown_request" };

test("external member that does not answer is removed; the lead continues and can end the team", async () => {
  const { team, outside } = await withPrograms(["bot"], ({ said, result }) => {
    if (result) return { text: "fine" };
    if (said.includes("end bot")) return { calls: [say("bot", shutdown)] };
    return said.includes("end the team") ? { calls: [{ tool: "TeamDelete", input: {} }] } : { text: "fine" };
  });
  await team.ask("end bot");
  await team.until(report(/bot did not answer and is no longer in the team\. An external program runs it/));
  expect(await endOf(outside, "bot")).toMatchObject({ reason: "killed", detail: "it did not answer in time" });
  await team.ask("end the team");
  expect(team.all("tool.settled", "lead").at(-1)).toMatchObject({ outcome: "ok" });
  expect(team.all("agent.idle", "lead").map(({ reason }) => reason)).not.toContain("failed");
});

test("external member that approves its shutdown counts as ended", async () => {
  const { team, outside } = await withPrograms(
    ["bot"],
    ({ said, result }) => (said.includes("end bot") && !result ? { calls: [say("bot", shutdown)] } : { text: "fine" }),
    600_000,
  );
  await team.ask("end bot");
  const { body } = await outside.mailbox.waitForMessage("bot", new AbortController().signal);
  if (body.kind !== "shutdown_request") throw new Error(`it was sent ${JSON.stringify(body)}`);
  const { requestId } = body;
  await outside.mailbox.send({ from: "bot", to: "team-lead", body: { kind: "shutdown_approved", requestId } });
  await team.until(report(/bot has agreed to end and is no longer in the team/));
  expect(await endOf(outside, "bot")).toMatchObject({ reason: "shutdown" });
});

test("lead's model reads why a member cannot be stopped, and the lead continues", async () => {
  const { team, outside } = await withPrograms([], ({ said, result }) =>
    said.includes("end far") && !result ? { calls: [say("far", shutdown)] } : { text: "fine" },
  );
  // As if a lead with a bus had started it. There is no bus here.
  const worker = { labels: [], branch: "b", base: "0" };
  await outside.record.join({ name: "far", cwd: team.cwd, backendType: "remote", worker });
  await team.ask("end far");
  await team.until(report(/Cannot stop far: .*bus/));
  expect((await team.ask("still there?")).text).toBe("fine");
});

test("respawning an external member is refused with a reason and changes nothing", async () => {
  const { team, outside } = await withPrograms(["bot"], () => ({ text: "fine" }));
  await team.ask("hello");
  expect(await team.command({ type: "member.respawn", team: "alpha", name: "bot" })).toEqual({
    ok: false,
    code: "team",
    message: "Cannot respawn bot: it is an external member. Its own program must rejoin the team.",
  });
  expect(await endOf(outside, "bot")).toBeUndefined();
  await outside.mailbox.send({ from: "user", to: "bot", text: "hello" });
  expect(await team.command({ type: "member.stop", team: "alpha", name: "bot", now: true })).toEqual({ ok: true });
  expect(await endOf(outside, "bot")).toMatchObject({ reason: "killed" });
});

const noticesOf = ({ recorded }: LedTeam) =>
  recorded.flatMap((event) => (event.type === "notice.raised" ? [event.message] : []));

/** The team as a server for external members opens it. */
async function byServer({ tree }: LedTeam): Promise<StoredTeam> {
  const stored = await createFileTeamStore(place(tree)).open("alpha");
  onTestFinished(() => stored.close());
  return stored;
}

test("disconnected external member may return: tasks released, mail and reservations kept", async () => {
  const led = await ledTeam({ backend: heldBackend({}) });
  const stored = await byServer(led);
  const options = { name: "gem", cwd: led.tree.path("home"), ...ports };
  const gem = await joinAsExternal(stored, options);
  await stored.tasks.create({ subject: "begun", description: "" }, { name: "team-lead" });
  await stored.tasks.claim(1, { name: "gem", holder: currentProcess() });
  const until = new Date(Date.now() + 600_000).toISOString();
  await stored.record.reserve({ by: "gem", path: "a.txt", mode: "exclusive", until });
  await expect.poll(() => led.team.statuses()).toContainEqual(expect.objectContaining({ name: "gem", alive: "alive" }));
  await gem.leave("rest");
  await expect
    .poll(() => noticesOf(led))
    .toEqual([
      "gem, an external member, is gone. Released to the task list: #1. It stays in the team and may come back by itself; its mail waits.",
    ]);
  expect(await endOf(stored, "gem")).toBeUndefined();
  expect(heldReservations(await stored.record.read(), new Date().toISOString())).toMatchObject([{ by: "gem" }]);
  await led.team.mailbox.send({ from: "team-lead", to: "gem", text: "for later" });
  const back = await joinAsExternal(stored, options);
  expect(back.name).toBe("gem");
  expect(await back.mailbox.readUnread("gem")).toMatchObject([{ body: { text: "for later" } }]);
  await back.leave("rest");
  await expect.poll(() => noticesOf(led)).toHaveLength(2);
  expect(led.failures).toEqual([]);
});

test("external member never seen alive under this lead causes no notice", async () => {
  const led = await ledTeam({
    backend: heldBackend({}),
    seen: (real) => ({
      ...real,
      presence: {
        ...real.presence,
        // It had come and gone before.
        statusOf: async (members) =>
          (await real.presence.statusOf(members)).map((status) =>
            status.name === "gem" ? { ...status, state: "ended", alive: "dead" } : status,
          ),
      },
    }),
  });
  await led.stored.record.join({ name: "gem", cwd: "/", backendType: "remote" });
  await expect.poll(() => led.team.statuses()).toContainEqual(expect.objectContaining({ name: "gem", alive: "dead" }));
  await led.close();
  expect(noticesOf(led)).toEqual([]);
  expect(led.failures).toEqual([]);
});
