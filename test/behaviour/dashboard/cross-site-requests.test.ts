import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { launchChromium } from "../../support/dashboard/launch-chromium.ts";
import { command, served, session } from "../../support/dashboard/served-session.ts";
import { ask, onEnd, type Served } from "../../support/dashboard/serve-app.ts";

/** A real browser whose user has opened the dashboard in it. */
async function browserOf(
  it: Served,
  args: readonly string[] = [],
): Promise<Browser & { open(url: string): Promise<Page> }> {
  const browser = await launchChromium({ args });
  const context = await browser.newContext();
  const own = await context.newPage();
  await own.goto(it.server.address);
  expect(own.url()).toBe(`http://127.0.0.1:${it.port}/`);
  return Object.assign(browser, {
    async open(url: string) {
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
  });
}

const attacks = readFileSync(join(import.meta.dirname, "../../support/programs/hostile-page.js"), "utf8");

/** A hostile page on another port of this machine, the closest origin an attacker can have. */
async function hostileOrigin(
  html = `<!doctype html><title>evil</title><body><script>${attacks}</script>`,
): Promise<string> {
  const server = createServer((_request, response) => response.setHeader("content-type", "text/html").end(html));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onEnd(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const call = (page: Page, name: string, argument: unknown): Promise<unknown> =>
  page.evaluate(`${name}(${JSON.stringify(argument)})`);

const posted = JSON.stringify({ session, command: { type: "prompt", content: "owned" } });

test("own page signs in by the address, then everything works", async () => {
  const it = await served();
  const browser = await browserOf(it);
  const page = await browser.open(`http://127.0.0.1:${it.port}/`);
  const answer = await page.evaluate(async (body) => {
    const headers = { "content-type": "application/json" };
    return (await fetch("/api/command", { method: "POST", headers, body })).json();
  }, posted);
  expect(answer).toEqual({ ok: true });
  const caughtUp = page.evaluate(`new Promise((resolve, reject) => {
    const source = new EventSource("/api/events?session=${session}");
    source.addEventListener("caught-up", ({ data }) => resolve(data));
    source.addEventListener("error", reject);
  })`);
  expect(await caughtUp).toBe(JSON.stringify({ session }));
  expect(await page.evaluate("document.cookie")).toBe("");
});

test("forms, scripts, images, frames and streams of another page change and read nothing", async () => {
  const it = await served();
  const browser = await browserOf(it);
  const target = `http://127.0.0.1:${it.port}`;
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    const page = await browser.open(await hostileOrigin());
    const answered = page.waitForResponse((response) => response.url().startsWith(target));
    await call(page, "submitForm", { target, type, posted });
    expect((await answered).status()).toBe(403);
  }
  const evil = await browser.open(await hostileOrigin());
  expect(await call(evil, "tryAll", { target, posted, session })).toEqual({
    json: "refused",
    text: "refused",
    "no-cors": "refused",
    // A beacon does not show its answer. The checks below show that it was refused.
    beacon: "sent",
    read: "refused",
    picture: "refused",
    script: "refused",
    stream: "refused",
    socket: "refused",
  });
  expect(await call(evil, "lookThroughFrame", target)).toBe("closed to us");
  // Our own request comes last, so all requests before it have been answered.
  expect((await ask(it.port, command(it))).status).toBe(200);
  expect(it.sessionDirectory.commands).toEqual([{ session, command: { type: "prompt", content: "do it" } }]);
});

test("request with a rebound host name gets no answer", async () => {
  const it = await served();
  const browser = await browserOf(it, ["--host-resolver-rules=MAP evil.test 127.0.0.1"]);
  const page = await browser.open(`http://evil.test:${it.port}/`);
  expect(await page.textContent("body")).toContain("answers only to");
  const tried = await page.evaluate(async (body) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    return (await fetch("/api/command", init)).status;
  }, posted);
  expect(tried).toBe(421);
  expect(it.sessionDirectory.commands).toEqual([]);
});

test("file or link to the address signs the user in and leaves no token behind", async () => {
  const it = await served();
  const browser = await launchChromium();
  const folder = mkdtempSync(join(tmpdir(), "troupe-open-"));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "open.html");
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${it.server.address}">`);
  for (const from of [pathToFileURL(file).href, await hostileOrigin(`<a href="${it.server.address}">there</a>`)]) {
    const page = await (await browser.newContext()).newPage();
    const arrived = page.waitForURL(`http://127.0.0.1:${it.port}/`);
    await page.goto(from);
    if (from.startsWith("http")) await page.click("a");
    await arrived;
    expect(await page.evaluate(async () => (await fetch("/assets/app-abc.js")).status)).toBe(200);
    expect(await page.evaluate("location.href + document.referrer")).toBe(`http://127.0.0.1:${it.port}/`);
  }
});
