import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { closedPortUrl } from "../../../src/testing.ts";
import { openAddress, openDashboard, phone, pressPair } from "../../support/dashboard/dashboard-page.ts";
import { bypass, type Workplace, workplace } from "../../support/cli/workplace.ts";

const script = `export default (ask) => ({ text: "You said: " + ask.said });`;

async function serve(place: Workplace, port = "0") {
  const web = place.start(["web", "--no-open", "--port", port, "--json"]);
  const url = /http:[^"\s]+/.exec(await web.saw(/http:\S+/))?.[0] ?? "";
  return { web, url };
}

async function finishedSession(place: Workplace, words: string) {
  place.write("s.mjs", script);
  const { stdout } = await place.run(["-p", words, "--model", "scripted/s.mjs", "--output-format", "stream-json"]);
  return /"sessionId":"(ses_\w+)"/.exec(stdout)?.[1] ?? "";
}

const themeOf = (page: Page) => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");

test("sessions are listed, searched and opened; keys reach every view; the theme is kept", async () => {
  const place = workplace();
  await finishedSession(place, "fix the fence");
  await finishedSession(place, "paint the door");
  const { url } = await serve(place);
  const { page, problems, violations } = await openAddress(url);
  const list = page.getByRole("list").filter({ hasText: "fence" });
  await list.getByText("fix the fence").waitFor();
  await list.getByText("paint the door").waitFor();
  expect(await violations()).toEqual([]);
  await page.getByRole("searchbox", { name: "Find sessions" }).fill("fence");
  await expect.poll(() => page.getByText("paint the door").count()).toBe(0);
  await page.getByRole("link", { name: /fix the fence/ }).click();
  await page.getByRole("log", { name: "Transcript" }).getByText("You said: fix the fence").waitFor();
  await page.getByText("No process has this session open:").waitFor();

  await pressPair(page, "ga", page.getByRole("heading", { name: "Approvals" }));
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  await keys.getByText("Timeline").waitFor();
  expect(await violations()).toEqual([]);
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "hidden" });
  await pressPair(page, "gh", page.getByRole("heading", { name: "Sessions" }));

  const light = await themeOf(page);
  const theme = page.getByRole("button", { name: /^Theme/ });
  await theme.click();
  await theme.click();
  await expect.poll(() => themeOf(page)).not.toBe(light);
  await page.reload();
  await page.getByRole("button", { name: "Theme: dark. Change to auto" }).waitFor();
  expect(await themeOf(page)).not.toBe(light);
  expect(problems).toEqual([]);
});

test("page reconnects to a restarted server without gap or repeat", async () => {
  const place = workplace();
  place.write("s.mjs", script);
  const lines = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const session = place.start(["-p", "--model", "scripted/s.mjs", ...bypass, ...lines]);
  const say = (content: string) => session.write(JSON.stringify({ type: "prompt", content }));
  say("before");
  const id = /"sessionId":"(ses_\w+)"/.exec(await session.saw(/You said: before[\s\S]*agent.idle/))?.[1] ?? "";
  const { port } = new URL(await closedPortUrl());
  const first = await serve(place, port);
  const { page } = await openAddress(first.url, phone);
  await page.goto(`${new URL(first.url).origin}/#/s/${id}/transcript`);
  const log = page.getByRole("log", { name: "Transcript" });
  await log.getByText("You said: before").waitFor();

  first.web.child.kill("SIGKILL");
  await first.web.done;
  await page.getByText("Cannot reach the server;").waitFor();
  say("in between");
  await session.saw(/You said: in between[\s\S]*agent.idle/);
  await serve(place, port);
  await log.getByText("You said: in between").waitFor();
  await expect.poll(() => page.getByText("Cannot reach the server;").count()).toBe(0);
  say("after");
  await log.getByText("You said: after").waitFor();
  for (const words of ["before", "in between", "after"])
    expect(await log.getByText(`You said: ${words}`).count()).toBe(1);
  session.end();
  await session.done;
});

test("browser without a token sees how to get in", async () => {
  const place = workplace();
  place.write("s.mjs", script);
  const running = place.start(["-p", "hello", "--model", "scripted/s.mjs", "--input-format", "stream-json", "--web"]);
  const { page } = await openDashboard(running);
  await page.getByText("connected").waitFor();
  await page.context().clearCookies();
  await page.evaluate("location.hash = '#/'");
  await page.getByText("The server does not accept this browser.").waitFor();
  await page.goto(new URL("/#/nowhere", page.url()).href);
  await page.getByText("troupe web").waitFor();
  running.end();
  await running.done;
});
