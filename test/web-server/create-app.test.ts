import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startWebServer } from "../../src/web-server/index.ts";
import { memorySessionDirectory, sessionId } from "../support/dashboard/memory-session-directory.ts";
import { ask, onEnd, pageFolder, script, serve, type Served } from "../support/dashboard/serve-app.ts";

const session = sessionId(1);

const ready = async () => {
  const sessionDirectory = memorySessionDirectory();
  sessionDirectory.add({ id: session });
  return serve({ sessionDirectory });
};

const getJson = async ({ port, cookie }: Served, target: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, { headers: { cookie } });
  return { status: answer.status, json: await answer.json() };
};

const postJson = async ({ port, cookie }: Served, target: string, body: unknown) => {
  const headers = { cookie, origin: `http://127.0.0.1:${port}`, "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: await answer.json() };
};

test("serves the page, and its files with unlimited caching", async () => {
  const { port, cookie } = await ready();
  const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { cookie } });
  expect(await page.text()).toContain("/assets/app-abc.js");
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("cache-control")).toBe("private, no-cache");
  const file = await fetch(`http://127.0.0.1:${port}/assets/app-abc.js`, { headers: { cookie } });
  expect(file.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
  expect(file.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(await file.text()).toBe(script);
});

test("a file that the browser has is not sent again", async () => {
  const { port, cookie } = await ready();
  const first = await ask(port, { headers: { cookie } });
  const etag = first.header("etag") ?? "";
  const again = await ask(port, { headers: { cookie, "if-none-match": `"other", ${etag}` } });
  expect(again).toMatchObject({ status: 304, body: "" });
  expect((await ask(port, { headers: { cookie, "if-none-match": '"other"' } })).status).toBe(200);
});

test("files are compressed as the browser accepts", async () => {
  const { port, cookie } = await ready();
  const packed = async (accept: string) => {
    const answer = await ask(port, { target: "/assets/app-abc.js", headers: { cookie, "accept-encoding": accept } });
    return { encoding: answer.header("content-encoding"), body: Buffer.from(answer.body, "latin1") };
  };
  const [br, gzip, plain] = [await packed("gzip, deflate, br"), await packed("gzip;q=0.5, br;q=0"), await packed("")];
  expect([br.encoding, gzip.encoding, plain.encoding]).toEqual(["br", "gzip", undefined]);
  expect(brotliDecompressSync(br.body).toString()).toBe(script);
  expect(gunzipSync(gzip.body).toString()).toBe(script);
  expect(plain.body.toString()).toBe(script);
  expect(br.body.length).toBeLessThan(plain.body.length / 4);
});

test("returns a command's ack, also when it was not executed", async () => {
  const it = await ready();
  const posted = { session, command: { type: "interrupt", id: "mine" } };
  expect(await postJson(it, "/api/command", posted)).toEqual({ status: 200, json: { ok: true } });
  it.sessionDirectory.setState(session, "stored");
  expect(await postJson(it, "/api/command", posted)).toEqual({
    status: 200,
    json: { ok: false, code: "not_running", message: "no process has it open" },
  });
  expect(it.sessionDirectory.commands).toEqual([posted]);
  expect(it.sessionDirectory.openCount()).toBe(0);
  expect((await postJson(it, "/api/command", { ...posted, session: sessionId(8) })).status).toBe(404);
});

test("transcript, worktrees, diff and landing", async () => {
  const it = await ready();
  const [envelope] = it.sessionDirectory.publish(session, {
    type: "notice.raised",
    level: "info",
    code: "x",
    message: "x",
  });
  expect((await getJson(it, `/api/transcript?session=${session}`)).json).toEqual([envelope]);
  expect((await getJson(it, `/api/transcript?session=${session}&agent=agt_00000000`)).json).toEqual([]);
  expect((await getJson(it, `/api/worktrees?session=${session}`)).json).toMatchObject([{ name: "one", commits: 1 }]);
  expect((await getJson(it, `/api/diff?session=${session}&worktree=one`)).json).toEqual({ diff: "+a line\n" });
  expect(await getJson(it, `/api/diff?session=${session}&worktree=../x`)).toEqual({
    status: 409,
    json: { ok: false, code: "git", message: 'there is no worktree "../x" here' },
  });
  const landing = await postJson(it, "/api/land", { session, branches: ["troupe/agent-one"] });
  expect(landing).toMatchObject({ status: 200, json: { landed: [{ branch: "troupe/agent-one" }] } });
  expect(it.landed).toEqual([{ session, branches: ["troupe/agent-one"] }]);
  expect((await postJson(it, "/api/land", { session, branches: [] })).status).toBe(400);
});

test("mail since a time, and one mail in full", async () => {
  const it = await ready();
  const mail = (query: string) => getJson(it, `/api/mail?session=${session}${query}`);
  expect((await mail("")).json).toMatchObject({ mail: [{ team: "t", mail: { from: "a" } }], problems: [] });
  expect((await mail("&since=2026-01-03T00:00:00.000Z")).json).toEqual({ mail: [], problems: [] });
  expect((await mail("&since=yesterday")).status).toBe(400);
  const text = (id: string) => getJson(it, `/api/mail-text?session=${session}&mail=${id}`);
  expect((await text("mail_00000000")).json).toEqual({ text: "all of it" });
  expect((await text("mail_11111111")).status).toBe(409);
  expect((await text("../x")).status).toBe(400);
});

test("a port in use, on either address, is reported", async () => {
  const options = { ...(await ready()), assets: pageFolder(), worktrees: undefined as never, mail: undefined as never };
  for (const host of ["127.0.0.1", "::1"]) {
    const other = createServer().listen(0, host);
    onEnd(() => other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    await expect(startWebServer({ ...options, port })).rejects.toMatchObject({ code: "port" });
  }
});

test("a page that was not built is reported as missing", async () => {
  const { sessionDirectory } = await ready();
  const desks = { worktrees: undefined as never, mail: undefined as never };
  const starting = startWebServer({ sessionDirectory, ...desks, assets: "/nowhere" });
  await expect(starting).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("npm run build") });
});
