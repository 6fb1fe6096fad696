import { expect, test } from "vitest";
import { createIdFactory } from "../../../src/platform/index.ts";
import type { MemberStatus, RequestId } from "../../../src/protocol/index.ts";
import { createTeammateEndings } from "../../../src/team/lead/end-teammate.ts";
import { createStopRequests } from "../../../src/team/lead/request-shutdown.ts";
import { createTestClock } from "../../../src/testing.ts";

const requestId = "ask_1" as RequestId;
const draining: MemberStatus = { name: "scout", state: "draining", since: "2026-01-01T00:00:00.000Z", alive: "alive" };

/** A lead with a minute for a member to shut down, and a member that its previous run may have asked. */
function led({ asker }: { readonly asker: string }) {
  const clock = createTestClock();
  const createId = createIdFactory(clock);
  const ended: string[] = [];
  let status = draining;
  const sent: { to: string; body: { kind: string; requestId: RequestId } }[] = [];
  const sender = { send: async (mail: (typeof sent)[number]) => void sent.push(mail) } as never;
  const stops = createStopRequests({ sender, clock, createId, deadlineMs: 60_000 });
  const body = { kind: "shutdown_request", requestId };
  const ends = createTeammateEndings({
    stopRequests: stops,
    lifecycle: {
      isRunning: () => true,
      endsWithin: async () => false,
      endNow: async (name, { detail }) => void ended.push(`${name}: ${detail ?? ""}`),
    },
    watch: { statusOf: () => status, refresh: async () => undefined },
    mailbox: { readUnread: async () => [{ from: asker, body }] } as never,
    createId,
    memberOf: () => ({ backendType: "tmux" }) as never,
    onAsked: () => undefined,
    onDone: () => undefined,
  });
  const answer = (kind: "shutdown_approved" | "shutdown_rejected", more: object) =>
    stops.handlers[kind]?.(
      { from: "scout" } as never,
      { kind, requestId, reason: "half done", ...more } as never,
      async () => undefined,
    );
  const now = (next: Partial<MemberStatus>) => (status = { ...status, ...next });
  return { clock, ends, stops, ended, sent, answer, now };
}

test("a member draining when its lead returns has the full time from then, and is ended after it", async () => {
  const { clock, ends, stops, ended } = led({ asker: "team-lead" });
  const seen = ends.observe(draining);
  await expect.poll(() => stops.openRequestTo("scout")).toBe(requestId);
  expect(ends.isEnding("scout")).toBe(true);
  await clock.advance(59_000);
  expect(ended).toEqual([]);
  await clock.advance(1_000);
  await seen;
  expect(ended).toEqual(["scout: it did not answer in time"]);
  expect(ends.isEnding("scout")).toBe(false);
});

test("a shell that asked ends the member first; the lead waits longer without blocking", async () => {
  const { clock, ends, stops, ended } = led({ asker: "user" });
  const seen = ends.observe(draining);
  await expect.poll(() => stops.openRequestTo("scout")).toBe(requestId);
  expect(ends.isEnding("scout")).toBe(false);
  await clock.advance(79_000);
  expect(ended).toEqual([]);
  await clock.advance(1_000);
  await seen;
  expect(ended).toHaveLength(1);
});

test("a member that refuses is left alone, even if its refusal came before the wait", async () => {
  const { clock, ends, stops, ended, answer, now } = led({ asker: "team-lead" });
  const seen = ends.observe(draining);
  await expect.poll(() => stops.openRequestTo("scout")).toBe(requestId);
  await answer("shutdown_rejected", {});
  await seen;
  const again = ends.observe(draining);
  await expect.poll(() => stops.openRequestTo("scout")).toBe(requestId);
  now({ state: "working", since: "2026-01-01T00:00:01.000Z" });
  await clock.advance(60_000);
  await again;
  expect(ended).toEqual([]);
});

test("a member that agrees but stays is ended; closing the team ends none", async () => {
  const { ends, stops, ended, answer } = led({ asker: "team-lead" });
  const seen = ends.observe(draining);
  await expect.poll(() => stops.openRequestTo("scout")).toBe(requestId);
  await answer("shutdown_approved", {});
  await seen;
  expect(ended).toHaveLength(1);
  const other = led({ asker: "team-lead" });
  other.stops.close();
  await other.ends.observe(draining);
  await other.ends.settled();
  expect(other.ended).toEqual([]);
});

test("a member that only seems to be asked is asked again, with the full time from then", async () => {
  const { clock, ends, stops, ended, sent, answer } = led({ asker: "team-lead" });
  // It refused before this process saw it drain.
  const seen = ends.observe(draining);
  await expect.poll(() => stops.openRequestTo("scout")).toBe(requestId);
  await clock.advance(30_000);
  const stopped = ends.stop("scout", {});
  expect(sent).toMatchObject([{ to: "scout", body: { kind: "shutdown_request" } }]);
  const anew = sent[0]?.body.requestId;
  expect(stops.openRequestTo("scout")).toBe(anew);
  await clock.advance(30_000);
  await seen;
  expect(ended).toEqual([]);
  await answer("shutdown_rejected", { requestId: anew });
  expect(await stopped).toEqual({ kind: "rejected", reason: "half done" });
  expect(ended).toEqual([]);
});

test("agreement to the earlier of two requests counts, and the member is ended once", async () => {
  const { ends, stops, ended, sent, answer } = led({ asker: "user" });
  const seen = ends.observe(draining);
  await expect.poll(() => stops.openRequestTo("scout")).toBe(requestId);
  const stopped = ends.stop("scout", {});
  expect(sent).toHaveLength(1);
  await answer("shutdown_approved", {});
  await seen;
  expect(await stopped).toEqual({ kind: "approved" });
  expect(ended).toHaveLength(1);
  expect(stops.openRequestTo("scout")).toBeUndefined();
});
