import { expect, test } from "vitest";
import { TroupeError } from "../../../src/protocol/index.ts";
import { createLeadAttention, type LeadAttentionPorts } from "../../../src/team/lead/lead-attention.ts";
import { promptIdOfMail } from "../../../src/team/mailbox/mail-prompt-id.ts";
import { createTestClock } from "../../../src/testing.ts";
import { gate } from "../../support/team/team-session.ts";

const unread = { wakes: true, body: { kind: "text", text: "look around" } };

/** The attention of a lead with an unread report of its one idle member. */
function noticing(more: Partial<LeadAttentionPorts>) {
  const admitted: string[] = [];
  const failures: unknown[] = [];
  const woken = gate();
  const attention = createLeadAttention({
    activityOf: () => undefined,
    lead: {
      running: false,
      admit: async (_: string, [part]: readonly { text: string }[]) => void admitted.push(part?.text ?? ""),
      wake: () => woken.open(),
      settled: async () => undefined,
      hasPrompt: async () => true,
    } as never,
    waiting: () => ["prm_1" as never],
    tasks: { list: async () => [] },
    mailbox: { readUnread: async () => [] },
    refresh: async () => undefined,
    names: () => ["scout"],
    askers: () => new Map(),
    onGivenUp: async () => undefined,
    onSettled: () => undefined,
    onFailure: (error) => failures.push(error),
    clock: createTestClock({ auto: true }),
    ...more,
  });
  attention.notify({ type: "status", name: "scout", state: "idle" });
  const report = () =>
    attention.notify({ type: "report", name: "scout", promptId: "prm_1" as never, weight: "answer" });
  return { attention, admitted, failures, report, woken: woken.opened };
}

const settled = async ({ attention }: ReturnType<typeof noticing>) => {
  while (attention.isSettling) await new Promise((resolve) => setImmediate(resolve));
};

test("a failed read is retried, and the lead is woken for the rest", async () => {
  let looks = 0;
  const lead = noticing({
    refresh: async () => {
      looks += 1;
      if (looks === 1) throw new TroupeError("storage", "cannot read: EIO");
    },
  });
  lead.report();
  await lead.woken;
  expect(lead.admitted).toHaveLength(1);
  expect(lead.failures).toEqual([]);
  await lead.attention.close();
});

test("a member that reports only when idle is awaited until it reports after its unread work", async () => {
  let mail = [unread];
  const lead = noticing({
    onlyReportsIdle: () => true,
    mailbox: { readUnread: async (name: string) => (name === "scout" ? mail : []) as never },
  });
  lead.report();
  await settled(lead);
  // It reads the mail without a visible sign.
  mail = [];
  lead.attention.leadIdle();
  await settled(lead);
  expect(lead.attention.hasUnreportedWork("scout")).toBe(true);
  expect(lead.admitted).toEqual([]);
  lead.report();
  await lead.woken;
  expect(lead.admitted).toHaveLength(1);
  await lead.attention.close();
});

test("a report that precedes the read mark of its mail delays nothing: the mark is checked again", async () => {
  let isMarked = false;
  const awaited: boolean[] = [];
  const clock = createTestClock({ auto: true });
  const lead = noticing({
    mailbox: { readUnread: async (name: string) => (isMarked || name !== "scout" ? [] : [unread]) as never },
    clock: {
      ...clock,
      sleep: async (ms, signal) => {
        awaited.push(lead.attention.hasUnreportedWork("scout"));
        isMarked = awaited.length === 3;
        return clock.sleep(ms, signal);
      },
    },
  });
  lead.report();
  await lead.woken;
  expect(awaited).toEqual([true, true, true]);
  expect(lead.attention.hasUnreportedWork("scout")).toBe(false);
  expect(lead.admitted).toHaveLength(1);
  await lead.attention.close();
});

test("a read mark that never comes delays the lead for a minute, not for ever", async () => {
  const clock = createTestClock({ auto: true });
  const lead = noticing({
    mailbox: { readUnread: async (name: string) => (name === "scout" ? [unread] : []) as never },
    clock,
  });
  lead.report();
  await lead.woken;
  const waitedMs = clock.slept.reduce((sum, ms) => sum + ms, 0);
  expect(waitedMs).toBeGreaterThan(60_000);
  expect(waitedMs).toBeLessThan(75_000);
  expect(lead.admitted).toHaveLength(1);
  await lead.attention.close();
});

test("a report that is in the conversation but not yet known is awaited", async () => {
  const mail = { id: "mail_1", body: { kind: "idle_notification" } };
  const reads = gate();
  const promptId = promptIdOfMail(mail.id as never);
  const lead = noticing({
    waiting: () => [promptId],
    mailbox: {
      readUnread: async (name: string) => {
        reads.open();
        return (name === "team-lead" ? [mail] : []) as never;
      },
    },
  });
  lead.attention.notify({ type: "tasks_changed" });
  await reads.opened;
  for (let rounds = 0; rounds < 20; rounds++) await new Promise((resolve) => setImmediate(resolve));
  expect(lead.attention.isSettling).toBe(true);
  lead.attention.notify({ type: "report", name: "scout", promptId, weight: "answer" });
  await lead.woken;
  expect(lead.admitted).toHaveLength(1);
  await lead.attention.close();
});

test("an awaited report that a working lead has read at once is no longer awaited", async () => {
  const mail = { id: "mail_1", body: { kind: "idle_notification" } };
  let isRead = false;
  const lead = noticing({
    waiting: () => (isRead ? [] : [promptIdOfMail(mail.id as never)]),
    mailbox: { readUnread: async (name: string) => (name === "team-lead" && !isRead ? [mail] : []) as never },
  });
  lead.attention.notify({ type: "tasks_changed" });
  for (let rounds = 0; rounds < 20; rounds++) await new Promise((resolve) => setImmediate(resolve));
  isRead = true;
  lead.attention.notify({ type: "report_read", name: "scout" });
  await settled(lead);
  expect(lead.attention.isSettling).toBe(false);
  await lead.attention.close();
});

test("the notice of an idle team names a plan only after a turn with it", async () => {
  const requestId = "ask_1" as never;
  const plan = { type: "request_opened", requestId, from: "scout", promptId: "prm_2" as never } as const;
  const noticeOf = async (seen: "not_read" | "had_turn") => {
    const lead = noticing({ askers: () => new Map([["ask_1", { from: "scout" }]]) });
    lead.attention.notify({ ...plan, seen });
    lead.report();
    await lead.woken;
    await lead.attention.close();
    return lead.admitted.join("\n");
  };
  expect(await noticeOf("had_turn")).toContain("ask_1");
  expect(await noticeOf("not_read")).not.toContain("ask_1");
});

test("news that comes during a run without a turn wakes the lead after it", async () => {
  let running = true;
  const admitted: string[] = [];
  const woken = gate();
  const lead = noticing({
    lead: {
      get running() {
        return running;
      },
      admit: async (_: string, [part]: readonly { text: string }[]) => void admitted.push(part?.text ?? ""),
      wake: () => woken.open(),
      settled: async () => undefined,
      hasPrompt: async () => true,
    } as never,
  });
  lead.report();
  await settled(lead);
  expect(admitted).toEqual([]);
  running = false;
  lead.attention.leadIdle();
  await woken.opened;
  expect(admitted).toHaveLength(1);
  await lead.attention.close();
});

test("team closes while its lead runs again: the lead itself may be the one that deletes it", async () => {
  const lead = noticing({ lead: { running: true, settled: () => new Promise(() => undefined) } as never });
  lead.attention.leadIdle();
  await lead.attention.close();
  expect(lead.failures).toEqual([]);
});
