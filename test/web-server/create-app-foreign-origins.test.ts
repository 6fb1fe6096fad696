import { expect, test } from "vitest";
import { memorySessionDirectory } from "../support/dashboard/memory-session-directory.ts";
import { command, served, session } from "../support/dashboard/served-session.ts";
import { ask, dial, type RawRequest, serve } from "../support/dashboard/serve-app.ts";

test("our own page is admitted, and its requests are unchanged", async () => {
  const it = await served();
  const answer = await ask(it.port, command(it));
  expect(answer).toMatchObject({ status: 200, body: '{"ok":true}' });
  expect(it.sessionDirectory.commands).toEqual([{ session, command: { type: "prompt", content: "do it" } }]);
});

test("the token in the address becomes a cookie, and is removed from the address", async () => {
  const { port, token } = await served();
  const answer = await ask(port, { target: `/?token=${token}` });
  expect(answer.status).toBe(303);
  expect(answer.header("location")).toBe("/");
  expect(answer.header("set-cookie")).toBe(`troupe_${port}=${token}; HttpOnly; SameSite=Strict; Path=/`);
  expect(answer.body).not.toContain(token);
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
});

test("two servers never have the same token", async () => {
  const [one, two] = [await served(), await served()];
  expect(one.token).not.toBe(two.token);
});

const everything: readonly RawRequest[] = [
  { target: "/" },
  { target: "/index.html" },
  { target: "/assets/app-abc.js" },
  { target: "/api/events" },
  { target: `/api/transcript?session=${session}` },
  { target: `/api/worktrees?session=${session}` },
  { target: `/api/diff?session=${session}&worktree=one` },
  { target: "/api/nothing" },
];

test("without the right token there is only a hint where to find it", async () => {
  const it = await served();
  const { port, token } = it;
  const flipped = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  const keys: readonly NonNullable<RawRequest["headers"]>[] = [
    {},
    { cookie: `troupe_${port}=` },
    { cookie: `troupe_${port}=${flipped}` },
    { cookie: `troupe_${port}=${token.slice(0, -1)}` },
    { cookie: `troupe_${port}=${token}x` },
    { cookie: `troupe_${port + 1}=${token}` },
    { cookie: `x=troupe_${port}=${token}` },
    { cookie: `TROUPE_${port}=${token}` },
    { authorization: `Bearer ${token}` },
    { referer: `http://127.0.0.1:${port}/?token=${token}` },
    { "x-token": token },
  ];
  for (const headers of keys)
    for (const request of everything) {
      const answer = await ask(port, { ...request, headers });
      expect([request.target, headers, answer.status]).toEqual([request.target, headers, 401]);
      expect(answer.body).toMatch(/troupe web/);
      expect(answer.body).not.toContain("a page");
    }
  for (const headers of keys)
    expect((await ask(port, command(it, { headers: { cookie: undefined, ...headers } }))).status).toBe(401);
  expect(it.sessionDirectory.commands).toEqual([]);
});

test("a token in the address counts only where the address is opened", async () => {
  const { port, token } = await served();
  for (const target of [`/api/events?token=${token}`, `/assets/app-abc.js?token=${token}`, `//?token=${token}`]) {
    const answer = await ask(port, { target });
    expect([400, 401]).toContain(answer.status);
    expect(answer.header("set-cookie")).toBeUndefined();
  }
  for (const target of [
    "/?token=",
    "/?token=x",
    `/?token=${token.slice(1)}`,
    `/?token=${token}%00`,
    `/?Token=${token}`,
  ])
    expect((await ask(port, { target })).status).toBe(401);
});

const foreignHosts = (port: number): readonly (string | readonly string[] | undefined)[] => [
  undefined,
  "",
  "evil.example",
  `evil.example:${port}`,
  "127.0.0.1",
  "localhost",
  `127.0.0.1:${port + 1}`,
  `localhost:${port + 1}`,
  `localhost.evil.com:${port}`,
  `127.0.0.1.evil.com:${port}`,
  `127.0.0.1.nip.io:${port}`,
  `evil.com#127.0.0.1:${port}`,
  `evil.com@127.0.0.1:${port}`,
  `127.0.0.1:${port}@evil.com`,
  `127.0.0.1:${port}.evil.com`,
  `127.0.0.1:${port}/`,
  `127.0.0.1:${port}#`,
  `127.0.0.1:0${port}`,
  `127.0.0.1:+${port}`,
  `127.1:${port}`,
  `127.0.1:${port}`,
  `0.0.0.0:${port}`,
  `127.0.0.2:${port}`,
  `2130706433:${port}`,
  `0x7f000001:${port}`,
  `0x7f.0.0.1:${port}`,
  `0177.0.0.1:${port}`,
  `[::]:${port}`,
  `::1:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `[0:0:0:0:0:0:0:1]:${port}`,
  `[::1%25lo]:${port}`,
  `localhost.:${port}`,
  `LOCALHOST:${port}`,
  `app.localhost:${port}`,
  `xn--lcalhost-6fg:${port}`,
  `host.docker.internal:${port}`,
  `127.0.0.1:${port},evil.com`,
  `127.0.0.1:${port} evil.com`,
  `http://127.0.0.1:${port}`,
  [`127.0.0.1:${port}`, "evil.com"],
  ["evil.com", `127.0.0.1:${port}`],
];

test("answers only to its own host names: a rebound name is refused", async () => {
  const it = await served();
  const { port, cookie, token } = it;
  for (const host of foreignHosts(port)) {
    // The parser already refuses invalid and missing hosts.
    for (const request of [{ target: "/" }, { target: `/?token=${token}` }, { target: "/api/events" }]) {
      const answer = await ask(port, { ...request, headers: { cookie, host } });
      expect([host, [400, 421].includes(answer.status)]).toEqual([host, true]);
      expect(answer.header("set-cookie")).toBeUndefined();
      expect(answer.body).not.toContain("a page");
    }
    expect([400, 421]).toContain((await ask(port, command(it, { headers: { host } }))).status);
  }
  expect(it.sessionDirectory.commands).toEqual([]);
});

test.each(["127.0.0.1", "localhost", "[::1]"])("the server is reachable as %s", async (name) => {
  const it = await served();
  const origin = `http://${name}:${it.port}`;
  const at = name === "[::1]" ? "::1" : "127.0.0.1";
  const page = await ask(it.port, { headers: { cookie: it.cookie, host: `${name}:${it.port}` }, at });
  expect(page.status).toBe(200);
  const posted = await ask(it.port, command(it, { headers: { host: `${name}:${it.port}`, origin }, at }));
  expect(posted.status).toBe(200);
});

test("an HTTP/1.0 request without a host and a target with another server's address are refused", async () => {
  const { port, cookie, token } = await served();
  const old = await ask(port, { version: "1.0", headers: { host: undefined, cookie } });
  expect(old.status).toBe(400);
  for (const target of [`http://evil.com/?token=${token}`, `http://127.0.0.1:${port}/`, "//evil.com/", "*", "evil"])
    expect((await ask(port, { target, headers: { cookie } })).status).toBe(400);
});

test("a post from another origin does nothing, whatever its form", async () => {
  const it = await served();
  const { port } = it;
  const origins = [
    undefined,
    "null",
    "",
    "http://evil.example",
    `http://evil.example:${port}`,
    `https://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `http://127.0.0.1:${port + 1}`,
    `http://127.0.0.1:${port}.evil.com`,
    `http://127.0.0.1:${port}/`,
    `http://127.0.0.1`,
    "file://",
    [`http://127.0.0.1:${port}`, "http://evil.example"],
  ];
  for (const origin of origins)
    expect([origin, (await ask(port, command(it, { headers: { origin } }))).status]).toEqual([origin, 403]);
  for (const site of ["cross-site", "same-site", "", "none-of-these"])
    expect((await ask(port, command(it, { headers: { "sec-fetch-site": site } }))).status).toBe(403);
  expect(it.sessionDirectory.commands).toEqual([]);
});

test("a request that a form or a simple script can send is not a command", async () => {
  const it = await served();
  const types = [
    undefined,
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain; application/json",
    "application/json-patch+json",
    "application/jsonx",
    ["text/plain", "application/json"],
    "application/json; charset=utf-16",
  ];
  for (const type of types)
    expect([type, (await ask(it.port, command(it, { headers: { "content-type": type } }))).status]).toEqual([
      type,
      415,
    ]);
  expect(it.sessionDirectory.commands).toEqual([]);
  const usual = await ask(it.port, command(it, { headers: { "content-type": "application/json; charset=UTF-8" } }));
  expect(usual.status).toBe(200);
});

test("nothing is readable across origins: not the page, the stream or a file", async () => {
  const { port, cookie } = await served();
  for (const request of everything)
    for (const headers of [
      { origin: "http://evil.example" },
      { origin: "null" },
      { origin: `http://localhost:${port}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
    ]) {
      const answer = await ask(port, { ...request, headers: { cookie, ...headers } });
      expect([request.target, headers, answer.status]).toEqual([request.target, headers, 403]);
      expect(answer.head).not.toMatch(/access-control/i);
    }
});

test("a preflight gets no permission", async () => {
  const { port, cookie } = await served();
  const headers = {
    cookie,
    origin: "http://evil.example",
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type",
    "access-control-request-private-network": "true",
  };
  for (const target of ["/", "/api/command", "*"]) {
    const answer = await ask(port, { method: "OPTIONS", target, headers });
    expect([400, 405]).toContain(answer.status);
    expect(answer.head).not.toMatch(/access-control/i);
  }
});

test("a link from another site logs in through our own page, only with the right token", async () => {
  const { port, token } = await served();
  const led = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  const answer = await ask(port, { target: `/?token=${token}`, headers: led });
  expect(answer.status).toBe(200);
  expect(answer.header("set-cookie")).toContain(token);
  expect(answer.body).toContain('http-equiv="refresh" content="0; url=/"');
  expect(answer.body).not.toContain(token);
  expect((await ask(port, { target: "/?token=wrong", headers: led })).status).toBe(401);
  // Not in a frame, and not as an image or a script.
  for (const destination of ["iframe", "image", "script", "empty"])
    expect(
      (await ask(port, { target: `/?token=${token}`, headers: { ...led, "sec-fetch-dest": destination } })).status,
    ).toBe(403);
});

test("a cookie of the same name from another server does not lock the user out", async () => {
  const { port, cookie } = await served();
  const answer = await ask(port, { headers: { cookie: `troupe_${port}=tossed; ${cookie}; other=1` } });
  expect(answer.status).toBe(200);
});

test("WebSockets are refused from any origin", async () => {
  const { port, cookie } = await served();
  for (const origin of ["http://evil.example", "null", undefined, `http://127.0.0.1:${port}`]) {
    const answer = await ask(port, {
      target: "/api/events",
      headers: {
        cookie,
        origin,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      },
    });
    expect(answer.status).toBe(400);
  }
});

test("the token is in no terminal output, and in no answer but the cookie", async () => {
  const sessionDirectory = memorySessionDirectory();
  sessionDirectory.add({ id: session });
  const it = await serve({
    sessionDirectory: { ...sessionDirectory, open: () => Promise.reject(new Error("broken")) },
  });
  const answers = [
    await ask(it.port, command(it)),
    await ask(it.port, {
      target: `/api/transcript?session=${session}&token=${it.token}`,
      headers: { cookie: it.cookie },
    }),
    await ask(it.port, { target: `/nothing?token=${it.token}`, headers: { cookie: it.cookie } }),
    await ask(it.port, { headers: { cookie: it.cookie } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([500, 500, 404, 200]);
  for (const { head, body } of answers) expect(head + body).not.toContain(it.token);
  expect(it.problems).toHaveLength(2);
  expect(it.problems.join("\n")).toContain("broken");
  expect(it.problems.join("\n")).not.toContain(it.token);
});

test("every answer carries the policy, and none a CORS header", async () => {
  const it = await served();
  const { port, cookie, token } = it;
  const answers = [
    await ask(port, { headers: { cookie } }),
    await ask(port, { target: "/assets/app-abc.js", headers: { cookie } }),
    await ask(port, { target: `/?token=${token}` }),
    await ask(port),
    await ask(port, { headers: { host: "evil.example" } }),
    await ask(port, { target: "/nothing", headers: { cookie } }),
    await ask(port, { method: "PUT", headers: { cookie } }),
    await ask(port, command(it)),
    await ask(port, command(it, { headers: { origin: "http://evil.example" } })),
    await ask(port, command(it, { body: "{" })),
  ];
  for (const answer of answers) {
    expect(answer.header("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(answer.header("x-content-type-options")).toBe("nosniff");
    expect(answer.header("referrer-policy")).toBe("no-referrer");
    expect(answer.header("cross-origin-opener-policy")).toBe("same-origin");
    expect(answer.header("cross-origin-resource-policy")).toBe("same-origin");
    expect(answer.header("x-frame-options")).toBe("DENY");
    expect(answer.head).not.toMatch(/access-control|x-powered-by|^server:/im);
  }
  expect(answers.slice(2).every((answer) => answer.header("cache-control") === "no-store")).toBe(true);
});

test("listens on the loopback interface only", async () => {
  const { port } = await served();
  const { networkInterfaces } = await import("node:os");
  const outside = Object.values(networkInterfaces())
    .flat()
    .filter((address) => address && !address.internal && address.family === "IPv4");
  for (const address of outside) await expect(dial(port, address?.address)).rejects.toThrow(/ECONNREFUSED/);
});
