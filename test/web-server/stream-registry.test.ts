import { get, type IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { type Envelope, type Event, type SessionId, TroupeError } from "../../src/protocol/index.ts";
import {
  memorySessionDirectory,
  type MemorySessionDirectory,
  sessionId,
} from "../support/dashboard/memory-session-directory.ts";
import { dial, onEnd, serve, type Served } from "../support/dashboard/serve-app.ts";

const lead = sessionId(1);
const member = sessionId(2);

const said = (text: string): Event => ({ type: "notice.raised", level: "info", code: "x", message: text });
const delta = (text: string): Event => ({ type: "text.delta", turn: 1, text });
const changed = (id: SessionId): Event =>
  ({
    type: "member.changed",
    team: "t",
    name: "ana",
    state: "idle",
    role: "teammate",
    sessionId: id,
  }) as unknown as Event;

interface Message {
  readonly event: string;
  readonly data: unknown;
}

interface Page {
  readonly messages: Message[];
  readonly response: IncomingMessage;
  readonly text: () => string;
  envelopes(): Envelope[];
  until(isThere: (page: Page) => boolean): Promise<void>;
  readonly ended: Promise<void>;
  close(): void;
}

/** The events as a browser's EventSource reads them. */
async function look({ port, cookie }: Served, query = ""): Promise<Page> {
  const headers = { cookie, accept: "text/event-stream" };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = get({ port, host: "127.0.0.1", path: `/api/events${query}`, headers, agent: false }, resolve);
    request.on("error", reject);
    onEnd(() => request.destroy());
  });
  expect(response.statusCode).toBe(200);
  expect(response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
  expect(response.headers["cache-control"]).toBe("no-store");
  const messages: Message[] = [];
  const lookers = new Set<() => void>();
  let text = "";
  let rest = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, event, data] = /^event: (\S+)\ndata: ([^\r\n]*)$/.exec(block) ?? [];
      if (event !== undefined) messages.push({ event, data: JSON.parse(data ?? "") as unknown });
    }
    for (const looker of lookers) looker();
  });
  const ended = new Promise<void>((resolve) => {
    response.on("error", () => undefined);
    response.on("close", resolve);
  });
  const page: Page = {
    messages,
    response,
    ended,
    text: () => text,
    envelopes: () => messages.flatMap(({ event, data }) => (event === "envelopes" ? (data as Envelope[]) : [])),
    until: (isThere) =>
      new Promise((resolve, reject) => {
        const looker = () => {
          if (!isThere(page)) return;
          lookers.delete(looker);
          resolve();
        };
        lookers.add(looker);
        void ended.then(() => reject(new Error(`the stream ended: ${text.slice(-500)}`)));
        looker();
      }),
    close: () => response.destroy(),
  };
  return page;
}

const has = (event: string) => (page: Page) => page.messages.some((message) => message.event === event);
const hasText = (text: string) => (page: Page) => page.text().includes(text);

function withSessions(...ids: SessionId[]): MemorySessionDirectory {
  const sessionDirectory = memorySessionDirectory();
  for (const id of ids) sessionDirectory.add({ id });
  return sessionDirectory;
}

test("the list comes first, and again at every change", async () => {
  const sessionDirectory = withSessions(lead);
  const it = await serve({ sessionDirectory });
  const page = await look(it);
  await page.until(has("sessions"));
  expect(page.messages[0]).toMatchObject({ event: "sessions", data: [{ id: lead, state: "reachable" }] });
  sessionDirectory.add({ id: member, team: "t" });
  await page.until(({ messages }) => messages.length === 2);
  expect(page.messages[1]).toMatchObject({ event: "sessions", data: [{ id: lead }, { id: member }] });
});

test("a session: stored events, caught-up, then new and live events", async () => {
  const sessionDirectory = withSessions(lead);
  sessionDirectory.publish(lead, said("one"), said("two"));
  const page = await look(await serve({ sessionDirectory }), `?session=${lead}`);
  await page.until(has("caught-up"));
  expect(page.messages.map(({ event }) => event).filter((event) => event !== "sessions")).toEqual([
    "envelopes",
    "caught-up",
  ]);
  const [live] = sessionDirectory.publish(lead, delta("x"));
  sessionDirectory.setState(lead, "stored");
  await page.until(has("state"));
  expect(page.envelopes().map(({ event }) => event)).toEqual([said("one"), said("two"), delta("x")]);
  expect(page.envelopes().at(-1)).toEqual(live);
  expect(page.messages.find(({ event }) => event === "state")?.data).toEqual({ session: lead, state: "stored" });
});

test("a reader that returns with its cursor gets the missing events, and nothing twice", async () => {
  const sessionDirectory = withSessions(lead);
  const seen = sessionDirectory.publish(lead, said("one"), said("two"));
  const it = await serve({ sessionDirectory });
  const first = await look(it, `?session=${lead}`);
  await first.until(has("caught-up"));
  first.close();
  sessionDirectory.publish(lead, said("three"));
  const [{ agent, seq }] = seen.slice(-1) as [Envelope];
  const after = encodeURIComponent(JSON.stringify({ [lead]: { [agent]: seq } }));
  const second = await look(it, `?session=${lead}&after=${after}`);
  await second.until(has("caught-up"));
  expect(second.envelopes().map(({ event }) => event)).toEqual([said("three")]);
});

test("members of a team are added as they appear, each once; one without a session when that appears", async () => {
  const sessionDirectory = withSessions(lead, member);
  const late = sessionId(3);
  sessionDirectory.publish(member, said("a member's"));
  const it = await serve({ sessionDirectory });
  const page = await look(it, `?session=${lead}`);
  await page.until(has("caught-up"));
  sessionDirectory.publish(lead, changed(member), changed(late), changed(member), changed(lead));
  await page.until(hasText("a member's"));
  await page.until(({ messages }) => messages.filter(({ event }) => event === "caught-up").length === 2);
  sessionDirectory.add({ id: late });
  sessionDirectory.publish(late, said("late"));
  await page.until(hasText('"late"'));
  sessionDirectory.publish(lead, changed(late), said("last"));
  await page.until(hasText('"last"'));
  const texts = page
    .envelopes()
    .flatMap(({ event, session }) => (event.type === "notice.raised" ? [[session, event.message]] : []));
  expect(texts).toEqual([
    [member, "a member's"],
    [late, "late"],
    [lead, "last"],
  ]);
  page.close();
  await page.ended;
  await it.server.close();
  expect(sessionDirectory.openCount()).toBe(0);
});

test("an unreadable session is reported as gone with the reason; the others continue", async () => {
  const sessionDirectory = withSessions(lead, member);
  const it = await serve({ sessionDirectory });
  const page = await look(it, `?session=${lead}`);
  sessionDirectory.publish(lead, changed(member));
  await page.until(({ messages }) => messages.filter(({ event }) => event === "caught-up").length === 2);
  sessionDirectory.fail(member, new TroupeError("session_damaged", "its log is damaged at line 3"));
  await page.until(has("gone"));
  expect(page.messages.find(({ event }) => event === "gone")?.data).toEqual({
    session: member,
    message: "its log is damaged at line 3",
  });
  sessionDirectory.publish(lead, said("still here"));
  await page.until(hasText("still here"));
  expect(it.problems).toEqual([]);
  const none = await look(it, `?session=${sessionId(9)}`);
  await none.until(has("gone"));
});

test("a burst goes out in large messages, without loss and in order", async () => {
  const sessionDirectory = withSessions(lead);
  const count = 20_000;
  const it = await serve({ sessionDirectory });
  const page = await look(it, `?session=${lead}`);
  await page.until(has("caught-up"));
  for (let at = 0; at < count; at += 100)
    sessionDirectory.publish(lead, ...Array.from({ length: 100 }, (_, n) => said(`event ${at + n}`)));
  await page.until((it) => it.text().includes(`"event ${count - 1}"`));
  const texts = page.envelopes().map(({ event }) => (event.type === "notice.raised" ? event.message : ""));
  expect(texts).toEqual(Array.from({ length: count }, (_, n) => `event ${n}`));
  const sizes = page.messages.flatMap(({ event, data }) =>
    event === "envelopes" ? [(data as Envelope[]).length] : [],
  );
  expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
  expect(sizes.length).toBeLessThan(count / 50);
});

test("a text with line breaks and protocol marks stays one message", async () => {
  const sessionDirectory = withSessions(lead);
  const page = await look(await serve({ sessionDirectory }), `?session=${lead}`);
  await page.until(has("caught-up"));
  const hostile = 'a\n\nevent: sessions\ndata: []\n\n\r\n\u2028\u2029</script>\u0000"';
  sessionDirectory.publish(lead, said(hostile));
  await page.until(has("envelopes"));
  expect(page.envelopes().map(({ event }) => event)).toEqual([said(hostile)]);
  expect(page.messages.filter(({ event }) => event === "sessions")).toHaveLength(1);
});

test("a stuck reader is disconnected, memory stays bounded, and it continues from its cursor", async () => {
  const sessionDirectory = memorySessionDirectory({ limit: 200 });
  sessionDirectory.add({ id: lead });
  const it = await serve({ sessionDirectory });
  const socket = await dial(it.port);
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(
    `GET /api/events?session=${lead} HTTP/1.1\r\nHost: 127.0.0.1:${it.port}\r\nCookie: ${it.cookie}\r\n\r\n`,
  );
  const large = "x".repeat(100_000);
  let published = 0;
  while (sessionDirectory.thrownOut === 0) {
    sessionDirectory.publish(lead, said(`${published} ${large}`));
    published += 1;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  socket.resume();
  await closed;
  const agent = `agt_${lead.slice(4)}`;
  const after = encodeURIComponent(JSON.stringify({ [lead]: { [agent]: published - 1 } }));
  const page = await look(it, `?session=${lead}&after=${after}`);
  await page.until(has("caught-up"));
  expect(page.envelopes().map(({ seq }) => seq)).toEqual([published]);
  expect(it.problems).toEqual([]);
});

test("a connection that reads nothing for long is ended, even when nothing more comes", async () => {
  const sessionDirectory = withSessions(lead);
  const large = "x".repeat(100_000);
  for (let n = 0; n < 200; n++) sessionDirectory.publish(lead, said(`${n} ${large}`));
  const it = await serve({ sessionDirectory, pace: { stallMs: 200 } });
  const socket = await dial(it.port);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(
    `GET /api/events?session=${lead} HTTP/1.1\r\nHost: 127.0.0.1:${it.port}\r\nCookie: ${it.cookie}\r\n\r\n`,
  );
  while (sessionDirectory.openCount() === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  while (sessionDirectory.openCount() > 0) await new Promise((resolve) => setTimeout(resolve, 20));
});

test("a keep-alive line is sent in silence", async () => {
  const page = await look(await serve({ pace: { keepAliveMs: 20 } }));
  await page.until((it) => (it.text().match(/^:$/gm)?.length ?? 0) >= 3);
});

test("a page that closes leaves nothing behind", async () => {
  const sessionDirectory = withSessions(lead);
  const it = await serve({ sessionDirectory });
  const page = await look(it, `?session=${lead}`);
  await page.until(has("caught-up"));
  expect(sessionDirectory.openCount()).toBe(1);
  page.close();
  while (sessionDirectory.openCount() > 0) await new Promise<void>((resolve) => setImmediate(resolve));
});

test("a closed page makes room at once, whatever is still being read for it", async () => {
  const sessionDirectory = withSessions(lead);
  // A reader of a disk that does not answer.
  let answer = () => undefined as void;
  const slow = new Promise<void>((resolve) => (answer = resolve));
  const stuck = {
    ...sessionDirectory,
    async open(id: SessionId) {
      await slow;
      return sessionDirectory.open(id);
    },
  };
  const it = await serve({ sessionDirectory: stuck, limits: { maxStreams: 1 } });
  const first = await look(it, `?session=${lead}`);
  await first.until(has("sessions"));
  const headers = { cookie: it.cookie };
  const address = `http://127.0.0.1:${it.port}/api/events`;
  expect((await fetch(address, { headers })).status).toBe(429);
  first.close();
  await first.ended;
  let status = 429;
  while (status === 429) {
    const again = await fetch(address, { headers });
    status = again.status;
    await again.body?.cancel();
  }
  expect(status).toBe(200);
  answer();
});

test("closing ends every stream at once; after a restart on the same port the page continues", async () => {
  const sessionDirectory = withSessions(lead);
  sessionDirectory.publish(lead, said("one"));
  const it = await serve({ sessionDirectory });
  const page = await look(it, `?session=${lead}`);
  await page.until(has("caught-up"));
  await it.server.close();
  await page.ended;
  expect(sessionDirectory.openCount()).toBe(0);
  sessionDirectory.publish(lead, said("two"));
  const again = await serve({
    sessionDirectory,
    port: it.port,
    tokenFor: () => Promise.resolve(it.token),
  });
  expect(again.cookie).toBe(it.cookie);
  const after = encodeURIComponent(JSON.stringify({ [lead]: { [`agt_${lead.slice(4)}`]: 1 } }));
  const second = await look(again, `?session=${lead}&after=${after}`);
  await second.until(has("caught-up"));
  expect(second.envelopes().map(({ event }) => event)).toEqual([said("two")]);
});

test("an invalid cursor is refused", async () => {
  const { port, cookie } = await serve();
  for (const after of ["x", "[]", "null", '{"a":{}}', `{"${lead}":{"agt_00000000":-1}}`, `{"${lead}":{"x":1}}`]) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/events?after=${encodeURIComponent(after)}`, {
      headers: { cookie },
    });
    expect([after, answer.status]).toEqual([after, 400]);
  }
});
