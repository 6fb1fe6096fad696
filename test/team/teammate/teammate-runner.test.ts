import { expect, onTestFinished, test } from "vitest";
import { createIdFactory } from "../../../src/platform/index.ts";
import { type Envelope, type Mail, type MailBody, type RequestId, TroupeError } from "../../../src/protocol/index.ts";
import { createTestClock } from "../../../src/testing.ts";
import { bareRunner } from "../../support/team/bare-teammate-runner.ts";

const task = { id: 1, subject: "fix it", status: "pending", needs: [], blockedBy: [], blocks: [], generation: 0 };
const mail = (body: object) => ({ from: "user", to: "scout", wakes: true, body }) as unknown as Mail;
const said = mail({ kind: "text", text: "and then this" });
const askedToEnd = mail({ kind: "shutdown_request", requestId: "ask_1" });
const unreadable = () => new TroupeError("storage", "cannot read: EIO");

interface Sent {
  readonly body: MailBody;
}

/** A teammate that has worked and becomes idle, with a task that it could claim. */
function resting({ onSend, ...more }: Partial<Parameters<typeof bareRunner>[0]> & { readonly onSend?: () => void }) {
  const clock = createTestClock({ auto: true });
  const createId = createIdFactory(clock);
  const did: string[] = [];
  const failures: unknown[] = [];
  const agent = createId<Envelope["agent"]>("agt");
  const send = async ({ body }: Sent) => {
    did.push(body.kind);
    onSend?.();
  };
  const runner = bareRunner({
    sender: { team: "alpha", name: "scout", send } as never,
    agent: {
      running: false,
      settled: async () => undefined,
      record: async () => undefined,
      admitOnce: async () => undefined,
      hasPrompt: async () => false,
      wake: () => undefined,
    } as never,
    tasks: {
      get: async () => undefined,
      list: async () => [task],
      claim: async () => {
        did.push("claim");
        return { ok: true, item: { ...task, owner: "scout", status: "in_progress", generation: 1 } };
      },
    } as never,
    onEnd: (end) => did.push(end),
    onFailure: (error) => failures.push(error),
    clock,
    ...more,
  });
  onTestFinished(runner.close);
  const hear = (event: object) =>
    runner.observe({ id: createId("evt"), at: "2026-01-01T00:00:00.000Z", agent, event } as unknown as Envelope);
  const rest = async () => {
    hear({ type: "turn.started", turn: 1 });
    hear({ type: "turn.ended", turn: 1, parts: [{ type: "text", text: "done" }] });
    hear({ type: "agent.idle", reason: "completed" });
    // The idle work starts once its agent has settled.
    await new Promise((resolve) => setImmediate(resolve));
    await runner.settled();
  };
  return { runner, clock, did, failures, rest, hear };
}

test("idle teammate without mail reports, then claims a task", async () => {
  const { did, failures, rest } = resting({});
  await rest();
  expect(did).toEqual(["idle_notification", "claim"]);
  expect(failures).toEqual([]);
});

test("teammate with unread mail does not report idle, even if the mail comes during its hooks", async () => {
  const before = resting({
    unreadMail: async () => [said],
    beforeIdle: async () => expect.unreachable("its hooks are asked only when it would rest"),
  });
  await before.rest();
  expect(before.failures).toEqual([]);
  expect(before.did).toEqual([]);
  let inbox: readonly Mail[] = [];
  const meanwhile = resting({
    unreadMail: async () => inbox,
    beforeIdle: async () => {
      inbox = [said];
      return undefined;
    },
  });
  await meanwhile.rest();
  expect(meanwhile.did).toEqual([]);
});

test("new member is not idle before it has read its prompt", async () => {
  const states: string[] = [];
  const set = async (state: string) => void states.push(state);
  const presence = { lost: new AbortController().signal, set, close: async () => undefined };
  await resting({ presence, unreadMail: async () => [said] }).runner.start();
  expect(states).toEqual(["working"]);
  await resting({ presence }).runner.start();
  expect(states[1]).toBe("idle");
});

test("mail that arrives during the report is read before a task is claimed", async () => {
  let inbox: readonly Mail[] = [];
  const { did, rest } = resting({ unreadMail: async () => inbox, onSend: () => (inbox = [said]) });
  await rest();
  expect(did).toEqual(["idle_notification"]);
});

test("teammate asked to shut down reports and claims no task; an outdated request does not count", async () => {
  const asked = resting({ unreadMail: async () => [askedToEnd] });
  await asked.rest();
  expect(asked.did).toEqual(["idle_notification"]);
  const outdated = resting({ unreadMail: async () => [askedToEnd], isOutdated: () => true });
  await outdated.rest();
  expect(outdated.did).toEqual(["idle_notification", "claim"]);
});

test("an inbox that is unreadable when idle is read again without failing the teammate", async () => {
  let looks = 0;
  const { clock, did, failures, rest } = resting({
    unreadMail: async () => {
      looks += 1;
      // Once before the report, and once before the claim.
      if (looks <= 2 || looks === 5) throw unreadable();
      return [];
    },
  });
  await rest();
  expect(clock.slept).toEqual([250, 500, 250]);
  expect(did).toEqual(["idle_notification", "claim"]);
  expect(failures).toEqual([]);
});

test("an unreadable inbox is reported and never counts as empty; a leaving teammate claims nothing", async () => {
  const mailToHear = () => Promise.reject(unreadable());
  const stays = resting({ unreadMail: mailToHear });
  await stays.rest();
  expect(stays.clock.slept).toEqual([250, 500, 1_000, 2_000, 4_000]);
  expect(stays.did).toEqual([]);
  expect(stays.failures).toEqual([unreadable()]);

  const clock = createTestClock();
  const leaves = resting({ unreadMail: mailToHear, clock });
  const rested = leaves.rest();
  await expect.poll(() => clock.sleeping).toBe(1);
  await leaves.runner.close();
  await rested;
  expect(leaves.did).toEqual([]);
  expect(leaves.failures).toEqual([]);
});

test("second shutdown request replaces the first, which is settled", async () => {
  const { runner } = resting({});
  const ask = (requestId: string) => {
    const body = { kind: "shutdown_request" as const, requestId: requestId as RequestId };
    return runner.handlers.shutdown_request?.({ ...askedToEnd, arrival: 1 }, body, async () => undefined);
  };
  const first = ask("ask_1");
  void ask("ask_2");
  await (first && "later" in first && first.later);
  expect(runner.shutdownRequest).toBe("ask_2");
});

test("resumed teammate that owes a report does not publish idle before it is woken", async () => {
  const published: string[] = [];
  const presence = {
    lost: new AbortController().signal,
    set: async (state: string) => void published.push(state),
    close: async () => undefined,
  };
  const replayed = [
    { type: "turn.started", turn: 1 },
    { type: "turn.ended", turn: 1, parts: [{ type: "text", text: "done" }] },
  ].map((event, at) => ({ id: `evt_${at}`, at: "2026-01-01T00:00:00.000Z", event })) as unknown as Envelope[];
  const owing = resting({ presence, replayed });
  await owing.runner.start();
  expect(published).toEqual(["working"]);
  const fresh = resting({ presence: { ...presence, set: async (state) => void published.push(`fresh ${state}`) } });
  await fresh.runner.start();
  expect(published).toEqual(["working", "fresh idle"]);
});

test("teammate waits for its commands until one runs too long; then it reports that command and is idle", async () => {
  const clock = createTestClock({ start: 0 });
  const published: string[] = [];
  const presence = {
    lost: new AbortController().signal,
    set: async (state: string, detail?: string, since?: string) =>
      void published.push(`${state}: ${detail ?? ""}${since === undefined ? "" : ` since ${since}`}`),
    close: async () => undefined,
  };
  const bodies: MailBody[] = [];
  const send = async ({ body }: Sent) => void bodies.push(body);
  const running = [
    { kind: "shell" as const, description: "npm test", startedAt: clock.now() },
    { kind: "shell" as const, description: "npm run\ndev", startedAt: clock.now() - 60_000 },
  ];
  const { runner, rest, hear } = resting({
    clock,
    presence,
    jobs: () => running,
    sender: { team: "alpha", name: "scout", send } as never,
    tasks: { get: async () => undefined, list: async () => [] } as never,
  });
  await rest();
  const oldest = "1969-12-31T23:59:00.000Z";
  expect(published.at(-1)).toBe(`working: waits for background command npm test, command npm run dev since ${oldest}`);
  expect(bodies).toMatchObject([{ awaitedJobs: ["command npm test, 0 s", "command npm run dev, 60 s"] }]);

  // A command that ends without waking it leaves the other one.
  running.shift();
  hear({ type: "background.ended", backgroundId: "bg_1", status: "completed", exitCode: 0 });
  await runner.settled();
  expect(published.at(-1)).toContain("working");
  await clock.advance(600_000);
  await expect.poll(() => published.at(-1)).toBe("idle: completed");
  expect(bodies.slice(1)).toEqual([
    { kind: "idle_notification", idleReason: "available", leftJobs: ["command npm run dev, 660 s"] },
  ]);
});
