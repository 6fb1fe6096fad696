import { expect, test } from "vitest";
import { digestOfCall, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { CallId, Envelope, MailBody, RequestId, Team } from "../../../src/protocol/index.ts";
import { heldBackend, type LedTeam, ledTeam, wishFor } from "../../support/team/led-team.ts";
import { gate } from "../../support/team/team-session.ts";

const createId = createIdFactory(systemClock);

const asked = (name: string): MailBody => ({
  kind: "spawn_request",
  requestId: createId<RequestId>("ask"),
  callId: "call_9" as CallId,
  name,
  description: "help",
  prompt: "help me",
  callerMode: "default",
  planModeRequired: false,
});

const input = { file_path: "/shared.txt", content: "x" };
const permission: MailBody = {
  kind: "permission_request",
  requestId: createId<RequestId>("ask"),
  callId: "call_8" as CallId,
  tool: "Write",
  input,
  question: "May it?",
  suggestions: [],
  digest: digestOfCall("Write", input),
};

const noticesOf = ({ recorded }: LedTeam) =>
  recorded.flatMap((event) => (event.type === "notice.raised" ? [event.message] : []));

const sentTo = ({ recorded }: LedTeam, kind: string) =>
  recorded.flatMap((event) => (event.type === "mail.sent" && event.kind === kind ? [event.to] : []));

const allRead = ({ team }: LedTeam) =>
  expect.poll(async () => (await team.mailbox.readUnread("team-lead")).length).toBe(0);

/** The members do not end by themselves when the team is closed. */
const endAll = ({ team }: LedTeam) => Promise.all(team.members().map(({ name }) => team.stop(name, { now: true })));

test("member that ends before its requested teammate starts: the lead continues, no repeat", async () => {
  const started = gate();
  const begun = gate();
  const led = await ledTeam({
    backend: heldBackend({}),
    spawnForMember: async () => {
      begun.open();
      await started.opened;
      return "Teammate helper has begun";
    },
  });
  await led.team.spawn(wishFor("scout", "call_1"));
  await led.team.mailbox.send({ from: "scout", to: "team-lead", body: asked("helper") });
  await begun.opened;
  await led.team.stop("scout", { now: true });
  started.open();
  await allRead(led);
  expect(led.failures).toEqual([]);
  expect(noticesOf(led)).toEqual([expect.stringMatching(/^cannot send the answer to scout: scout has ended \(killed/)]);
});

test("no teammate is started for a member that ended before its request was read", async () => {
  let starts = 0;
  const heard = gate();
  const goOn = gate();
  const led = await ledTeam({
    backend: heldBackend({}),
    spawnForMember: async () => {
      starts += 1;
      return "begun";
    },
    onRecord: async (event) => {
      if (event.type !== "mail.received" || event.kind !== "text") return;
      heard.open();
      await goOn.opened;
    },
  });
  await led.team.spawn(wishFor("scout", "call_1"));
  await led.team.mailbox.send({ from: "scout", to: "team-lead", text: "I am here" });
  await heard.opened;
  await led.team.mailbox.send({ from: "scout", to: "team-lead", body: asked("helper") });
  await led.team.stop("scout", { now: true });
  goOn.open();
  await allRead(led);
  expect(starts).toBe(0);
  expect(led.failures).toEqual([]);
});

test("permission for the whole team reaches the others when one member ends at that moment", async () => {
  const led = await ledTeam({
    backend: heldBackend({}),
    ask: async () => ({ behavior: "allow", scope: "once", team: true }),
    onRecord: async (event, { record }) => {
      if (event.type === "mail.sent" && event.kind === "team_permission_update" && event.to === "second")
        await record.end("third", { reason: "failed" });
    },
  });
  for (const name of ["first", "second", "third", "fourth"]) await led.team.spawn(wishFor(name, `call_${name}`));
  await led.team.mailbox.send({ from: "first", to: "team-lead", body: permission });
  await allRead(led);
  expect(sentTo(led, "team_permission_update")).toEqual(["second", "fourth"]);
  expect(sentTo(led, "permission_response")).toEqual(["first"]);
  expect(led.failures).toEqual([]);
  expect(noticesOf(led)).toEqual([expect.stringMatching(/^cannot notify third: third has ended/)]);
  await endAll(led);
});

test("mode for the whole team reaches the others when one member ends at that moment", async () => {
  const led = await ledTeam({
    backend: heldBackend({}),
    onRecord: async (event, { record }) => {
      if (event.type === "mail.sent" && event.kind === "mode_set_request" && event.to === "first")
        await record.end("second", { reason: "failed" });
    },
  });
  for (const name of ["first", "second", "third"]) await led.team.spawn(wishFor(name, `call_${name}`));
  await led.team.setMode("*", "acceptEdits");
  expect(sentTo(led, "mode_set_request")).toEqual(["first", "third"]);
  const modes = led.stored.record.current().members.map(({ name, mode }) => [name, mode]);
  expect(modes).toEqual(expect.arrayContaining([["third", "acceptEdits"]]));
  await endAll(led);
});

test("lead with lowered rights continues when a member with more rights ends at that moment", async () => {
  let mode: "bypassPermissions" | "default" = "bypassPermissions";
  /** The team as the lead knows it, from before one of them ended. */
  let before: Team | undefined;
  const led = await ledTeam({
    backend: heldBackend({}),
    mode: () => mode,
    seen: (real) => ({ ...real, record: { ...real.record, current: () => before ?? real.record.current() } }),
  });
  await led.team.spawn({ ...wishFor("scout", "call_1"), mode: "bypassPermissions" });
  const known = led.stored.record.current();
  await led.team.stop("scout", { now: true });
  before = known;
  mode = "default";
  led.team.observe({ event: { type: "agent.changed", permissionMode: "default" } } as Envelope);
  await expect.poll(() => noticesOf(led)).toEqual([expect.stringMatching(/^cannot notify scout: scout has ended/)]);
  expect(led.failures).toEqual([]);
});
