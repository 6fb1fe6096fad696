import { describe, expect, test } from "vitest";
import type { AgentId, Envelope, EventId, SessionId } from "../../src/protocol/index.ts";
import { createEventHub } from "../../src/session/event-hub.ts";

const envelope = (seq: number, live = false): Envelope => ({
  v: 1,
  id: `evt_0000000${seq}` as EventId,
  session: "ses_00000000" as SessionId,
  agent: "agt_00000000" as AgentId,
  seq,
  at: "2026-01-01T00:00:00.000Z",
  event: live ? { type: "text.delta", turn: 1, text: "x" } : { type: "turn.started", turn: seq, model: "m" },
});

async function take(events: AsyncIterable<Envelope>, count: number): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of events) {
    seqs.push(seq);
    if (seqs.length === count) break;
  }
  return seqs;
}

describe("event hub", () => {
  test("the first reader gets all earlier events; a later one gets new events only", async () => {
    const hub = createEventHub(async () => []);
    hub.publish(envelope(1));
    const first = hub.subscribe();
    hub.publish(envelope(2));
    const second = hub.subscribe();
    hub.publish(envelope(3));
    expect(await take(first, 3)).toEqual([1, 2, 3]);
    expect(await take(second, 1)).toEqual([3]);
  });

  test("an aside reader does not consume the first reader's early events", async () => {
    const hub = createEventHub(async () => []);
    hub.publish(envelope(1));
    const aside = hub.subscribe({ aside: true });
    hub.publish(envelope(2));
    const first = hub.subscribe();
    hub.publish(envelope(3));
    expect(await take(aside, 2)).toEqual([2, 3]);
    expect(await take(first, 3)).toEqual([1, 2, 3]);
  });

  test("replays stored events, then continues live: nothing is lost or repeated in between", async () => {
    const stored: Envelope[] = [envelope(1), envelope(2)];
    const hub = createEventHub(async () => {
      const now = [...stored];
      for (const seq of [3, 4]) {
        stored.push(envelope(seq));
        hub.publish(envelope(seq));
      }
      return [...now, envelope(3)]; // the file already had one of the two events published during the read
    });
    hub.subscribe(); // consumes the early events
    const events = hub.subscribe({ replay: true });
    const taken = take(events, 5);
    setImmediate(() => hub.publish(envelope(5)));
    expect(await taken).toEqual([1, 2, 3, 4, 5]);
  });

  test("a live event is delivered although its number was seen", async () => {
    const hub = createEventHub(async () => [envelope(1), envelope(2)]);
    hub.subscribe();
    const events = hub.subscribe({ replay: true });
    hub.publish(envelope(2, true));
    expect(await take(events, 3)).toEqual([1, 2, 2]);
  });

  test("a reader that falls too far behind gets an error; the others do not", async () => {
    const hub = createEventHub(async () => []);
    const slow = hub.subscribe();
    for (let seq = 1; seq <= 20_001; seq++) hub.publish(envelope(seq));
    await expect(take(slow, 30_000)).rejects.toMatchObject({ code: "slow_reader" });
    const other = hub.subscribe();
    hub.publish(envelope(1));
    expect(await take(other, 1)).toEqual([1]);
  });

  test("unread early events are bounded: the first reader gets an error unless it replays", async () => {
    const flooded = () => {
      const hub = createEventHub(async () => [envelope(1), envelope(2)]);
      for (let seq = 1; seq <= 20_001; seq++) hub.publish(envelope(seq, seq > 2));
      hub.close();
      return hub;
    };
    let read = 0;
    const reading = async (events: AsyncIterable<Envelope>) => {
      for await (const _ of events) read += 1;
    };
    await expect(reading(flooded().subscribe())).rejects.toMatchObject({ code: "slow_reader" });
    expect(read).toBe(20_000);
    expect(await take(flooded().subscribe({ replay: true }), 2)).toEqual([1, 2]);
    await reading(flooded().subscribe({ replay: true }));
  });

  test("ends after the remaining events when the session closes, and at once for a reader that leaves", async () => {
    const hub = createEventHub(async () => []);
    const events = hub.subscribe();
    const leave = new AbortController();
    const leaving = take(hub.subscribe({ signal: leave.signal }), 9);
    leave.abort();
    expect(await leaving).toEqual([]);
    hub.publish(envelope(1));
    hub.close();
    expect(await take(events, 9)).toEqual([1]);
    expect(await take(hub.subscribe(), 9)).toEqual([]);
  });
});
