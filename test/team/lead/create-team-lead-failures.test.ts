import { expect, test } from "vitest";
import { currentProcess, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { type StoredEvent, teamUser, TroupeError } from "../../../src/protocol/index.ts";
import { createInboxConsumer } from "../../../src/team/mailbox/inbox-consumer.ts";
import { openMailbox } from "../../../src/team/mailbox/open-mailbox.ts";
import { heldBackend, ledTeam, wishFor } from "../../support/team/led-team.ts";
import { gate } from "../../support/team/team-session.ts";

const pane = { socket: "/nowhere", serverPid: 1, paneId: "%1", mark: "m" };
const unwritable = () => new TroupeError("storage", "cannot write: EIO");

test("a member that cannot be stopped is named and does not block the others", async () => {
  const backend = heldBackend({
    kill: async ({ name }) => {
      if (name === "stuck") throw new TroupeError("team", "it does not go");
    },
  });
  const { team, recorded, close } = await ledTeam({ backend });
  await team.spawn(wishFor("stuck", "call_1"));
  await team.spawn(wishFor("scout", "call_2"));
  await close();
  expect([...backend.there]).toEqual(["stuck"]);
  const notices = recorded.flatMap((event) => (event.type === "notice.raised" ? [event.message] : []));
  expect(notices).toEqual(["cannot suspend stuck: it does not go"]);
});

test("mail to the lead is received while a member is respawned", async () => {
  const back = gate();
  let starts = 0;
  const backend = heldBackend({
    start: async () => {
      starts += 1;
      if (starts > 1) await back.opened;
    },
  });
  const { team, stored, recorded } = await ledTeam({ backend });
  await team.spawn(wishFor("scout", "call_1"));
  await team.stop("scout", { now: true });
  await team.mailbox.send({ from: teamUser, to: "team-lead", body: { kind: "respawn_request", name: "scout" } });
  await expect.poll(() => starts).toBe(2);
  await team.mailbox.send({ from: teamUser, to: "team-lead", text: "and now?" });
  await expect.poll(() => recorded.some((event) => event.type === "mail.received" && event.kind === "text")).toBe(true);
  back.open();
  await expect.poll(async () => (await team.mailbox.readUnread("team-lead")).length).toBe(1);
  expect(stored.record.current().members.find(({ name }) => name === "scout")?.ended).toBeUndefined();
  await team.stop("scout", { now: true });
});

test("tasks in progress of a silent member are released; tasks only assigned to it stay", async () => {
  const { team, stored, recorded } = await ledTeam({
    backend: heldBackend({}),
    seen: (real) => ({
      ...real,
      presence: {
        ...real.presence,
        // As of a process that was stopped in the middle of its work.
        statusOf: async (members) =>
          (await real.presence.statusOf(members)).map((status) =>
            status.name === "scout" ? { ...status, state: "working", alive: "unknown" } : status,
          ),
      },
    }),
  });
  await team.spawn(wishFor("scout", "call_1"));
  for (const subject of ["begun", "meant"])
    await stored.tasks.create({ subject, description: "" }, { name: "team-lead" });
  await stored.tasks.claim(1, { name: "scout", holder: currentProcess() });
  await stored.tasks.update(2, { owner: "scout" }, { name: "team-lead" });
  await expect
    .poll(() => recorded.flatMap((event) => (event.type === "notice.raised" ? [event.message] : [])))
    .toEqual([expect.stringContaining("Your teammate scout does not respond. Released to the task list: #1.")]);
  expect((await stored.tasks.list()).map(({ status, owner }) => [status, owner])).toEqual([
    ["pending", undefined],
    ["pending", "scout"],
  ]);
  await team.stop("scout", { now: true });
  expect(await stored.tasks.get(2)).toMatchObject({ status: "pending" });
  expect((await stored.tasks.get(2))?.owner).toBeUndefined();
});

test("a pane that cannot be recorded is closed again, and its member has failed", async () => {
  const backend = heldBackend({ pane });
  const { team, stored, failures } = await ledTeam({
    backend,
    seen: (real) => ({
      ...real,
      record: {
        ...real.record,
        change: (name, patch) => (patch.pane ? Promise.reject(unwritable()) : real.record.change(name, patch)),
      },
    }),
  });
  await expect(team.spawn(wishFor("scout", "call_1"))).rejects.toThrow("EIO");
  expect([...backend.there]).toEqual([]);
  expect(stored.record.current().members.at(-1)).toMatchObject({ name: "scout", ended: { reason: "failed" } });
  expect(failures).toEqual([]);
});

test("a call made twice at once starts one member, and both callers get it", async () => {
  const begun = gate();
  let starts = 0;
  const backend = heldBackend({
    start: async () => {
      starts += 1;
      await begun.opened;
    },
  });
  const { team } = await ledTeam({ backend });
  const both = [team.spawn(wishFor("scout", "call_1")), team.spawn(wishFor("scout", "call_1"))];
  begun.open();
  expect((await Promise.all(both)).map(({ member, isNew }) => [member.name, isNew])).toEqual([
    ["scout", true],
    ["scout", false],
  ]);
  expect(starts).toBe(1);
  expect(await team.mailbox.readAll("scout")).toHaveLength(1);
  await team.stop("scout", { now: true });
});

test("a failed read mark is retried with the next one, and the reader gets a notice", async () => {
  const { stored } = await ledTeam({ backend: heldBackend({}) });
  await stored.record.join({ name: "scout", cwd: "/", backendType: "remote" });
  const ports = { clock: systemClock, createId: createIdFactory(systemClock) };
  const mailbox = openMailbox(stored, ports);
  const recorded: StoredEvent[] = [];
  const failures: unknown[] = [];
  let tries = 0;
  const link = createInboxConsumer({
    sender: { team: "alpha", name: "scout", send: async () => expect.unreachable() },
    mailbox: {
      ...mailbox,
      markRead: async (...args) => {
        tries += 1;
        if (tries === 1) throw unwritable();
        return mailbox.markRead(...args);
      },
    },
    agent: {
      record: async (event: StoredEvent) => void recorded.push(event),
      hasPrompt: async () => false,
      saved: async () => undefined,
    } as never,
    conversation: { waiting: [], waitingParts: () => undefined },
    handlers: { interrupt_request: async () => undefined },
    replayed: [],
    onFailure: (error) => failures.push(error),
    ...ports,
  });
  link.start();
  const stop = { from: teamUser, to: "scout", body: { kind: "interrupt_request" } } as const;
  await mailbox.send(stop);
  await expect.poll(() => tries).toBe(1);
  await mailbox.send(stop);
  await expect.poll(async () => (await mailbox.readUnread("scout")).length).toBe(0);
  expect(recorded.filter(({ type }) => type === "notice.raised")).toHaveLength(1);
  expect(failures).toEqual([]);
  await link.close();
  await mailbox.close();
});
