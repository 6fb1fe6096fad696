import { get } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { sessionId } from "../support/dashboard/memory-session-directory.ts";
import { command, served, session } from "../support/dashboard/served-session.ts";
import { answerTo, ask, dial, onEnd, untilClosed } from "../support/dashboard/serve-app.ts";

test("a path leads to a file of the page or to nothing", async () => {
  const { port, cookie } = await served();
  const paths = [
    "/../secret.txt",
    "/assets/../../secret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/assets/%2e%2e/%2e%2e/secret.txt",
    "/assets/%252e%252e/secret.txt",
    "/..%5csecret.txt",
    "/assets/..\\..\\secret.txt",
    "/assets//app-abc.js",
    "/assets/app-abc.js/",
    "/assets/app-abc.js%00.html",
    "/assets/",
    "/assets",
    "/index.html",
    "/./index.html",
    "/etc/passwd",
    "/%2fetc%2fpasswd",
    "/file:///etc/passwd",
    "/assets/\u00e9",
    "/__proto__",
    "/constructor",
  ];
  for (const target of paths) {
    const answer = await ask(port, { target, headers: { cookie } });
    expect([target, answer.status === 404 || answer.status === 400]).toEqual([target, true]);
    expect(answer.body).not.toContain("not for the page");
  }
  expect((await ask(port, { target: "/assets/app-abc.js", headers: { cookie } })).status).toBe(200);
});

test("an id that is a path or longer than an id is refused before any lookup", async () => {
  const it = await served();
  const ids = [
    "../../etc/passwd",
    "ses_../../x",
    `${session}/..`,
    `${session}%00`,
    "ses_",
    "",
    "__proto__",
    `${session}%0d%0a`,
  ];
  for (const id of ids) {
    for (const path of [
      "/api/events",
      "/api/transcript",
      "/api/worktrees",
      "/api/diff",
      "/api/mail",
      "/api/mail-text",
    ]) {
      const answer = await ask(it.port, {
        target: `${path}?worktree=one&session=${id}`,
        headers: { cookie: it.cookie },
      });
      expect([path, id, answer.status]).toEqual([path, id, 400]);
    }
    const body = JSON.stringify({ session: decodeURIComponent(id), command: { type: "interrupt" } });
    expect((await ask(it.port, command(it, { body }))).status).toBe(400);
  }
  const unknown = await ask(it.port, {
    target: `/api/transcript?session=${sessionId(9)}`,
    headers: { cookie: it.cookie },
  });
  expect(unknown.status).toBe(404);
  expect(it.sessionDirectory.openCount()).toBe(0);
});

test("an invalid command is refused with the reason", async () => {
  const it = await served();
  const bodies = [
    "",
    "{",
    "[]",
    "null",
    '"prompt"',
    JSON.stringify({ session, command: { type: "eval", code: "1" } }),
    JSON.stringify({ session, command: { type: "prompt" } }),
    JSON.stringify({ session, command: { type: "prompt", content: 5 } }),
    JSON.stringify({ session: [session], command: { type: "interrupt" } }),
    `{"session":"${session}","command":{"type":"permission.reply","requestId":"../x","answer":{}}}`,
    `{"session":"${session}","command":{"__proto__":{"type":"close"}}}`,
  ];
  for (const body of bodies) {
    const answer = await ask(it.port, command(it, { body, headers: { "content-length": `${body.length}` } }));
    expect([body, answer.status]).toEqual([body, 400]);
    expect(JSON.parse(answer.body)).toMatchObject({ ok: false, code: "usage" });
  }
  expect(it.sessionDirectory.commands).toEqual([]);
});

test("method overrides are ignored", async () => {
  const it = await served();
  const headers = { cookie: it.cookie };
  for (const target of ["/api/command", "/api/land"]) {
    expect((await ask(it.port, { target, headers })).status).toBe(405);
    expect(
      (
        await ask(it.port, {
          target: `${target}?_method=POST`,
          headers: { ...headers, "x-http-method-override": "POST" },
        })
      ).status,
    ).toBe(405);
  }
  for (const target of ["/api/events", `/api/transcript?session=${session}`, `/api/worktrees?session=${session}`]) {
    expect((await ask(it.port, { method: "HEAD", target, headers })).status).toBe(405);
    expect((await ask(it.port, command(it, { target }))).status).toBe(405);
  }
  expect((await ask(it.port, command(it, { target: "/" }))).status).toBe(405);
  for (const method of ["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"])
    expect((await ask(it.port, command(it, { method }))).status).toBe(405);
  for (const method of ["post", "CONNECT", "NONSENSE", "POST\u00a0"])
    expect([0, 400, 405]).toContain((await ask(it.port, command(it, { method }))).status);
  expect(it.sessionDirectory.commands).toEqual([]);
  expect(it.sessionDirectory.openCount()).toBe(0);
});

test("headers cannot be injected into an answer", async () => {
  const it = await served();
  for (const target of [
    "/?token=x%0d%0aset-cookie:%20a=b",
    `/api/events?session=${session}%0d%0aset-cookie:%20a=b`,
    "/assets/%0d%0aset-cookie:%20a=b",
    "/api/diff?session=x&worktree=%0d%0aset-cookie:%20a=b",
  ]) {
    const answer = await ask(it.port, { target, headers: { cookie: it.cookie } });
    expect(answer.header("set-cookie")).toBeUndefined();
  }
});

test("two requests cannot be smuggled as one", async () => {
  const it = await served();
  const head = `POST /api/command HTTP/1.1\r\nHost: 127.0.0.1:${it.port}\r\nCookie: ${it.cookie}\r\nOrigin: http://127.0.0.1:${it.port}\r\nContent-Type: application/json\r\n`;
  const inner = "0\r\n\r\nGET /?smuggled HTTP/1.1\r\n\r\n";
  const both = await answerTo(
    it.port,
    `${head}Content-Length: ${inner.length}\r\nTransfer-Encoding: chunked\r\n\r\n${inner}`,
  );
  expect(both.status).toBe(400);
  const twice = await answerTo(it.port, `${head}Content-Length: 2\r\nContent-Length: 200\r\n\r\n{}`);
  expect(twice.status).toBe(400);
  const odd = await answerTo(it.port, `${head}Transfer-Encoding: xchunked\r\n\r\n${inner}`);
  expect([0, 400]).toContain(odd.status);
  expect(it.sessionDirectory.commands).toEqual([]);
});

test("a body that is too large is not read, with or without a length header", async () => {
  const it = await served();
  const said = await ask(it.port, command(it, { body: "x", headers: { "content-length": "1073741824" } }));
  expect(said.status).toBe(413);

  const socket = await dial(it.port);
  const closed = untilClosed(socket);
  socket.write(
    `POST /api/command HTTP/1.1\r\nHost: 127.0.0.1:${it.port}\r\nCookie: ${it.cookie}\r\nOrigin: http://127.0.0.1:${it.port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const chunk = `10000\r\n${"x".repeat(65536)}\r\n`;
  let sent = 0;
  const more = () => {
    while (!socket.destroyed && sent < 1024 * 1024 * 1024) {
      sent += chunk.length;
      if (!socket.write(chunk)) return void socket.once("drain", more);
    }
  };
  more();
  expect(await closed).toMatch(/^HTTP\/1\.1 413 /);
  expect(sent).toBeLessThan(256 * 1024 * 1024);
  expect((await ask(it.port, command(it))).status).toBe(200);
});

test("a client that sends its request byte by byte is dropped while others are served", async () => {
  const it = await served({ limits: { requestMs: 300 } });
  const silent = await dial(it.port);
  const slowHead = await dial(it.port);
  slowHead.write("GET / HTTP/1.1\r\nHost: 127.0.0.1");
  const slowBody = await dial(it.port);
  slowBody.write(
    `POST /api/command HTTP/1.1\r\nHost: 127.0.0.1:${it.port}\r\nCookie: ${it.cookie}\r\nOrigin: http://127.0.0.1:${it.port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  );
  const ends = [silent, slowHead, slowBody].map(untilClosed);
  expect((await ask(it.port, command(it))).status).toBe(200);
  await Promise.all(ends);
  expect(it.sessionDirectory.commands).toHaveLength(1);
});

test("a thousand silent connections do not lock out the user or stop a stream", async () => {
  const it = await served();
  const stream = await dial(it.port);
  let seen = "";
  stream.on("data", (chunk: Buffer) => (seen += chunk.toString()));
  stream.write(
    `GET /api/events?session=${session} HTTP/1.1\r\nHost: 127.0.0.1:${it.port}\r\nCookie: ${it.cookie}\r\n\r\n`,
  );
  await sees(stream, () => seen.includes("caught-up"));

  const idle: Socket[] = [];
  onEnd(() => idle.forEach((socket) => socket.destroy()));
  await Promise.all(
    Array.from({ length: 1000 }, async () => {
      const socket = connect({ port: it.port, host: "127.0.0.1" });
      idle.push(socket);
      await new Promise<void>((resolve) => {
        socket.once("connect", resolve);
        socket.on("error", () => resolve());
      });
    }),
  );
  expect((await ask(it.port, command(it))).status).toBe(200);
  it.sessionDirectory.publish(session, { type: "agent.idle", reason: "completed" });
  await sees(stream, () => seen.includes("agent.idle"));
});

test("the number of streams is limited, and one that ends makes room", async () => {
  const it = await served({ limits: { maxStreams: 2 } });
  const open = () =>
    new Promise<{ status: number; end(): void; closed: Promise<void> }>((resolve, reject) => {
      const request = get({
        port: it.port,
        host: "127.0.0.1",
        path: "/api/events",
        headers: { cookie: it.cookie },
        agent: false,
      });
      onEnd(() => request.destroy());
      request.on("error", reject);
      request.on("response", (response) => {
        response.on("error", () => undefined).resume();
        const closed = new Promise<void>((done) => response.on("close", done));
        resolve({ status: response.statusCode ?? 0, end: () => response.destroy(), closed });
      });
    });
  const [one, two] = [await open(), await open()];
  expect([one.status, two.status, (await open()).status]).toEqual([200, 200, 429]);
  one.end();
  await one.closed;
  for (;;) if ((await open()).status === 200) break;
});

function sees(socket: Socket, isThere: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => isThere() && resolve();
    socket.on("data", look);
    socket.on("close", () => reject(new Error("the stream ended")));
    look();
  });
}
