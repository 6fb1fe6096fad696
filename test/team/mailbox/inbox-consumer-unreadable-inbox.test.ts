import { mkdirSync, renameSync, rmdirSync } from "node:fs";
import { expect, test } from "vitest";
import { createIdFactory } from "../../../src/platform/index.ts";
import { type Mail, type StoredEvent, TroupeError } from "../../../src/protocol/index.ts";
import type { ReceivedMail } from "../../../src/team/mailbox/mailbox.ts";
import { createInboxConsumer } from "../../../src/team/mailbox/inbox-consumer.ts";
import { createTestClock } from "../../../src/testing.ts";
import {
  alpha,
  filesOf,
  inState,
  leading,
  mate,
  memberLog,
  membersOf,
  report,
} from "../../support/team/scripted-team.ts";
import type { TeamSession } from "../../support/team/team-session.ts";
import { gate } from "../../support/team/team-session.ts";

const unreadable = () => new TroupeError("storage", "cannot read: EIO");

/** A member whose inbox is readable from this look on. */
function linked({ readableFrom }: { readonly readableFrom: number }) {
  const clock = createTestClock({ auto: true });
  const createId = createIdFactory(clock);
  const mail = { id: createId("mail"), from: "user", to: "scout", wakes: true, body: { kind: "interrupt_request" } };
  const recorded: StoredEvent[] = [];
  const acted: Mail[] = [];
  const failures: unknown[] = [];
  const heard = gate();
  const broken = gate();
  let looks = 0;
  const link = createInboxConsumer({
    sender: { team: "alpha", name: "scout", send: async () => expect.unreachable() },
    mailbox: {
      async *follow(_: string, signal: AbortSignal) {
        looks += 1;
        if (looks < readableFrom) throw unreadable();
        yield mail as unknown as ReceivedMail;
        // Not marked yet: the next reader gets it again.
        if (looks === readableFrom) throw unreadable();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
      markRead: async () => undefined,
      readUnread: async () => [],
      takeNotices: () => [],
    } as never,
    agent: {
      record: async (event: StoredEvent) => void recorded.push(event),
      hasPrompt: async () => false,
      saved: async () => undefined,
    } as never,
    conversation: { waiting: [], waitingParts: () => undefined },
    handlers: {
      interrupt_request: (each) => {
        acted.push(each);
        heard.open();
        return { later: new Promise<void>(() => undefined) };
      },
    },
    replayed: [],
    onFailure: (error) => {
      failures.push(error);
      broken.open();
    },
    clock,
  });
  return { link, clock, recorded, acted, failures, heard, broken, looks: () => looks };
}

test("an unreadable inbox is retried with growing pauses; its mail is read once", async () => {
  const { link, clock, recorded, acted, failures, heard, looks } = linked({ readableFrom: 4 });
  link.start();
  await heard.opened;
  await expect.poll(looks).toBe(5);
  await link.settled();
  expect(clock.slept).toEqual([250, 500, 1_000, 2_000]);
  expect(acted).toHaveLength(1);
  expect(failures).toEqual([]);
  expect(recorded).toMatchObject([
    { type: "notice.raised", message: "cannot read the inbox, trying again: cannot read: EIO" },
  ]);
  await link.close();
});

test("a permanently unreadable inbox fails its reader once", async () => {
  const { link, clock, failures, broken } = linked({ readableFrom: Number.POSITIVE_INFINITY });
  link.start();
  await broken.opened;
  expect(clock.slept).toEqual([250, 500, 1_000, 2_000, 4_000]);
  expect(failures).toEqual([unreadable()]);
  await link.close();
});

/** Replaces the inbox by a folder, until the returned function is called. */
function makeUnreadable({ tree }: TeamSession, name: string): () => void {
  const path = tree.path(`home/.troupe/teams/alpha/inboxes/${name}.jsonl`);
  renameSync(path, `${path}.away`);
  mkdirSync(path);
  return () => {
    rmdirSync(path);
    renameSync(`${path}.away`, path);
  };
}

const idleTeam = async () => {
  const team = await alpha({
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], ({ said }) => ({ text: `heard: ${said}` })),
  });
  await team.ask("go");
  await inState(team, "scout", "idle");
  return team;
};

test("a teammate with a temporarily unreadable inbox reads mail sent afterwards", async () => {
  const team = await idleTeam();
  const restore = makeUnreadable(team, "scout");
  await team.until(
    (event) => event.type === "notice.raised" && event.message.includes("cannot read the inbox, trying again"),
  );
  restore();
  expect(await team.command({ type: "mail.send", to: "scout", text: "second" })).toEqual({ ok: true });
  await team.until(report(/heard: [\s\S]*second/));
  expect((await membersOf(team.tree))[0]?.ended).toBeUndefined();
});

test("a teammate whose inbox is unreadable when it becomes idle reports idle afterwards", async () => {
  let restore: () => void = () => undefined;
  const team: TeamSession = await alpha({
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], () => {
      restore = makeUnreadable(team, "scout");
      return { text: "looked around" };
    }),
  });
  await team.ask("go");
  await team.until(
    (event) => event.type === "notice.raised" && event.message.includes("cannot read the inbox, trying again"),
  );
  restore();
  await team.until(report(/looked around/));
  await inState(team, "scout", "idle");
  expect((await membersOf(team.tree))[0]?.ended).toBeUndefined();
});

test("a teammate with an unreadable inbox ends, reports why, releases its task, can be respawned", async () => {
  const team = await idleTeam();
  const { tasks } = await filesOf(team.tree);
  await tasks.create({ subject: "paint", description: "", needs: ["Paintbrush"] }, { name: "team-lead" });
  await tasks.update(1, { owner: "scout" }, { name: "team-lead" });
  const restore = makeUnreadable(team, "scout");
  await team.until(report(/scout could not continue: [\s\S]*EISDIR/));
  await inState(team, "scout", "ended");
  expect(await membersOf(team.tree)).toMatchObject([{ name: "scout", ended: { reason: "failed" } }]);
  expect((await tasks.get(1))?.owner).toBeUndefined();
  expect((await memberLog(team.tree, "scout")).some(({ type }) => type === "agent.stopped")).toBe(true);
  restore();
  expect(await team.command({ type: "member.respawn", name: "scout" })).toEqual({ ok: true });
  expect(await team.command({ type: "mail.send", to: "scout", text: "third" })).toEqual({ ok: true });
  await team.until(report(/heard: [\s\S]*third/));
});
