import { get, type IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import type { Event } from "../../src/protocol/index.ts";
import { memorySessionDirectory, sessionId } from "../support/dashboard/memory-session-directory.ts";
import { onEnd, serve, type Served } from "../support/dashboard/serve-app.ts";

const said = (text: string): Event => ({ type: "notice.raised", level: "info", code: "x", message: text });
const [first, second] = [sessionId(1), sessionId(2)];

async function openShared({ port, cookie }: Served) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const path = "/api/events?shared=one";
    const request = get({ port, host: "127.0.0.1", path, headers: { cookie }, agent: false }, resolve);
    request.on("error", reject);
    onEnd(() => request.destroy());
  });
  let text = "";
  response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const saw = async (part: RegExp) => {
    while (!part.test(text)) await new Promise((resolve) => response.once("data", resolve));
  };
  return { saw, text: () => text, close: () => response.destroy() };
}

function post({ port, cookie }: Served, path: string, body: unknown): Promise<Response> {
  const origin = `http://127.0.0.1:${port}`;
  const headers = { cookie, origin, "content-type": "application/json" };
  return fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

test("channels of one stream carry different sessions, and one that ends leaves the others", async () => {
  const sessionDirectory = memorySessionDirectory();
  for (const id of [first, second]) sessionDirectory.add({ id });
  const it = await serve({ sessionDirectory });
  const stream = await openShared(it);
  for (const [channel, session] of [
    ["a", first],
    ["b", second],
  ] as const)
    expect((await post(it, "/api/follow", { stream: "one", channel, session })).status).toBe(200);
  await stream.saw(/id: a\nevent: caught-up/);
  await stream.saw(/id: b\nevent: caught-up/);
  sessionDirectory.publish(first, said("for a"));
  sessionDirectory.publish(second, said("for b"));
  await stream.saw(/id: a\nevent: envelopes\ndata: \S[^\n]*for a/);
  await stream.saw(/id: b\nevent: envelopes\ndata: \S[^\n]*for b/);
  expect(stream.text()).not.toMatch(/id: a\nevent: envelopes\ndata: [^\n]*for b/);

  await post(it, "/api/unfollow", { stream: "one", channel: "a" });
  await expect.poll(() => sessionDirectory.openCount()).toBe(1);
  stream.close();
  await expect.poll(() => sessionDirectory.openCount()).toBe(0);
  await expect.poll(async () => (await post(it, "/api/follow", { stream: "one", channel: "a" })).status).toBe(404);
});
