import { expect, test } from "vitest";
import type { FromHub, ToHub } from "../../../../web/src/state/shared-stream/hub-messages.ts";
import { createStreamHub, type HubPorts } from "../../../../web/src/state/shared-stream/stream-hub.ts";

type Source = { readonly name: string; isClosed: boolean; readonly on: Parameters<HubPorts["openSource"]>[1] };

function hubWithPages() {
  const sources: Source[] = [];
  const posted: { path: string; body: unknown }[] = [];
  const gone = new Map<string, () => void>();
  const hub = createStreamHub({
    openSource(name, on) {
      const source: Source = { name, on, isClosed: false };
      sources.push(source);
      return { close: () => (source.isClosed = true) };
    },
    post: async (path, body) => posted.push({ path, body }) > 0,
    whenReleased: (lock) => new Promise((resolve) => gone.set(lock, resolve)),
    createName: () => `stream-${sources.length + 1}`,
  });
  const page = () => {
    const got: FromHub[] = [];
    let say: (message: ToHub) => void = () => undefined;
    hub.connect({
      send: (message) => got.push(message),
      onMessage: (listen) => (say = listen),
      close: () => undefined,
    });
    return { got, say: (message: ToHub) => say(message) };
  };
  return { sources, posted, gone, page, source: () => sources.at(-1) as Source };
}

const follow = (session: string): ToHub => ({ kind: "follow", session, after: {}, summaries: false });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("pages share one stream, and each gets only its own messages", async () => {
  const { sources, posted, page, source } = hubWithPages();
  const [first, second] = [page(), page()];
  first.say(follow("a"));
  second.say(follow("b"));
  source().on.onOpen();
  await turn();
  expect(sources).toHaveLength(1);
  expect(posted.map(({ body }) => body)).toEqual([
    { stream: "stream-1", channel: "1", session: "a", after: {}, summaries: false },
    { stream: "stream-1", channel: "2", session: "b", after: {}, summaries: false },
  ]);
  source().on.onMessage({ channel: "2", type: "caught-up", data: "{}" });
  expect(first.got).toEqual([{ kind: "open" }]);
  expect(second.got).toEqual([{ kind: "open" }, { kind: "message", type: "caught-up", data: "{}" }]);
});

test("a page that is gone without a word is no longer followed; the last one closes the stream", async () => {
  const { posted, gone, page, source } = hubWithPages();
  const [first, second] = [page(), page()];
  first.say(follow("a"));
  second.say(follow("b"));
  source().on.onOpen();
  first.say({ kind: "locked", lock: "lock of the first" });
  gone.get("lock of the first")?.();
  await turn();
  expect(posted.at(-1)).toEqual({ path: "/api/unfollow", body: { stream: "stream-1", channel: "1" } });
  expect(source().isClosed).toBe(false);
  second.say({ kind: "close" });
  expect(source().isClosed).toBe(true);
});

test("every page hears of a broken stream, and the next request opens it again", async () => {
  const { sources, page, source } = hubWithPages();
  const [first, second] = [page(), page()];
  first.say(follow("a"));
  second.say(follow("b"));
  source().on.onBroken();
  expect([first.got, second.got]).toEqual([[{ kind: "broken" }], [{ kind: "broken" }]]);
  const again = page();
  again.say(follow("a"));
  expect(sources.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  source().on.onOpen();
  await turn();
  expect(again.got).toEqual([{ kind: "open" }]);
});

test("a page that reads nothing is cut off, one that reads is not", async () => {
  const { page, source } = hubWithPages();
  const [asleep, awake] = [page(), page()];
  asleep.say(follow("a"));
  awake.say(follow("a"));
  source().on.onOpen();
  await turn();
  const data = "x".repeat(1024 * 1024);
  for (let sent = 0; sent < 200; sent += 1) {
    source().on.onMessage({ channel: "1", type: "envelopes", data });
    source().on.onMessage({ channel: "2", type: "envelopes", data });
    awake.say({ kind: "read", length: data.length });
  }
  expect(asleep.got.at(-1)).toEqual({ kind: "broken" });
  expect(asleep.got).toHaveLength(1 + 128 + 1);
  expect(awake.got).toHaveLength(1 + 200);
});
