import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Envelope } from "../../src/protocol/index.ts";
import { createStreamBuffer } from "../../src/web-server/stream-buffer.ts";

const envelope = (n: number) => ({ seq: n, text: "x".repeat(n % 700) }) as unknown as Envelope;

/** Everything available now, as a page reads it. */
function takeAll(outbox: ReturnType<typeof createStreamBuffer>): { event: string; data: unknown }[] {
  const messages: { event: string; data: unknown }[] = [];
  for (let piece = outbox.takeChunk(); piece !== undefined; piece = outbox.takeChunk()) {
    for (const block of piece.split("\n\n").slice(0, -1)) {
      const [, event = "", data = ""] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      messages.push({ event, data: JSON.parse(data) });
    }
  }
  return messages;
}

test("any pieces go out once, in order, in messages of limited size", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("envelopes" as const), count: fc.integer({ min: 0, max: 1600 }) }),
    fc.record({ kind: fc.constant("note" as const) }),
    fc.record({ kind: fc.constant("take" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const outbox = createStreamBuffer();
      const sent: (number | string)[] = [];
      const got: (number | string)[] = [];
      let made = 0;
      const read = () => {
        for (const { event, data } of takeAll(outbox)) {
          if (event !== "envelopes") got.push(data as string);
          else {
            const seqs = (data as Envelope[]).map(({ seq }) => seq);
            expect(seqs.length).toBeGreaterThan(0);
            expect(seqs.length).toBeLessThanOrEqual(500);
            got.push(...seqs);
          }
        }
      };
      for (const [at, { kind, ...rest }] of steps.entries()) {
        if (kind === "take") read();
        else if (kind === "note") {
          outbox.send("note", `note ${at}`);
          sent.push(`note ${at}`);
        } else {
          const envelopes = Array.from({ length: "count" in rest ? rest.count : 0 }, () => envelope(++made));
          outbox.sendEnvelopes(envelopes);
          sent.push(...envelopes.map(({ seq }) => seq));
        }
      }
      read();
      expect(got).toEqual(sent);
    }),
    { numRuns: 60 },
  );
});

test("a large writer waits for room; closing releases all writers and keeps nothing", async () => {
  const outbox = createStreamBuffer();
  await outbox.waitForRoom();
  const large = { text: "x".repeat(600_000) } as unknown as Envelope;
  outbox.sendEnvelopes([large, large]);
  let isThrough = false;
  const waiting = outbox.waitForRoom().then(() => (isThrough = true));
  await Promise.resolve();
  expect(isThrough).toBe(false);
  expect(outbox.hasFullChunk()).toBe(true);
  outbox.takeChunk();
  await waiting;
  outbox.sendEnvelopes([large, large]);
  const [room, some] = [outbox.waitForRoom(), outbox.waitForData()];
  outbox.close();
  await Promise.all([room, some]);
  outbox.send("late", 1);
  expect(outbox.takeChunk()).toBeUndefined();
});

test("a keep-alive line comes only in silence", () => {
  const outbox = createStreamBuffer();
  outbox.keepAlive();
  outbox.keepAlive();
  expect(outbox.takeChunk()).toBe(":\n\n");
  outbox.send("note", 1);
  outbox.keepAlive();
  expect(outbox.takeChunk()).toBe("event: note\ndata: 1\n\n");
});
