import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAddress, phone, serveDashboard } from "../../support/dashboard/dashboard-page.ts";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";

const script = `export default (ask) => {
  if (ask.said.includes("break")) return { error: { kind: "invalid_request", message: "the model is out of order" } };
  if (ask.said.includes("hang")) return { text: "never", delayMs: 600_000 };
  if (ask.results.length > 0) return { text: "It is there." };
  if (ask.said.startsWith("make")) return { calls: [{ tool: "Bash", input: { command: "touch " + ask.said.slice(5) } }] };
  return { text: "You said: " + ask.said };
};`;

const lines = ["--input-format", "stream-json", "--output-format", "stream-json"];

function startSession(place: Workplace, prompt: string) {
  const running = place.start(["-p", "--model", "scripted/s.mjs", ...lines]);
  running.write(JSON.stringify({ type: "prompt", content: prompt }));
  return running;
}

test("home answers questions of every session by key, and tells a dead session from a closed one", async () => {
  const place = workplace();
  place.write("s.mjs", script);
  await place.run(["-p", "all is well", "--model", "scripted/s.mjs"]);
  const killed = startSession(place, "hang for ever");
  await killed.saw(/turn\.started/);
  const asking = [startSession(place, "make first"), startSession(place, "make second")] as const;
  for (const each of asking) await each.saw(/permission\.asked/);
  killed.child.kill("SIGKILL");
  await killed.done;

  const { url } = await serveDashboard(place);
  const { page, problems, violations, overflow } = await openAddress(url);
  const inbox = page.getByRole("region", { name: /Needs you/ });
  const cards = inbox.getByRole("article");
  await cards.nth(1).waitFor();
  await page.getByRole("link", { name: /hang for ever.*died/ }).waitFor();
  await page.getByRole("link", { name: /all is well.*closed/ }).waitFor();
  await page.getByRole("link", { name: /make first.*waits for you.*1 asking/ }).waitFor();
  await page.getByRole("region", { name: "Failures" }).getByText("The lead died").waitFor();
  expect(await violations()).toEqual([]);

  // Without a chosen question the keys do nothing.
  await page.keyboard.press("y");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expect.poll(() => page.locator("li:nth-child(2) > article:focus").count()).toBe(1);
  await page.keyboard.press("k");
  const [chosen = ""] = /first|second/.exec((await cards.nth(0).textContent()) ?? "") ?? [];
  await page.keyboard.press("y");
  await expect.poll(() => cards.count()).toBe(1);
  await expect.poll(() => existsSync(join(place.cwd, chosen))).toBe(true);
  expect(["first", "second"].filter((name) => existsSync(join(place.cwd, name)))).toEqual([chosen]);

  // "Always" needs the key twice.
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  await page.getByText("Press a again to allow this always").waitFor();
  await page.keyboard.press("n");
  await expect.poll(() => cards.count()).toBe(0);

  await page.getByRole("button", { name: "Failed" }).click();
  await expect.poll(() => page.getByRole("link", { name: /all is well/ }).count()).toBe(0);
  await page.getByRole("button", { name: /^Dismiss:/ }).click();
  await expect.poll(() => page.getByText("The lead died").count()).toBe(0);
  await page.setViewportSize(phone.viewport);
  expect(await overflow()).toBe(0);
  expect(problems).toEqual([]);
  for (const each of asking) {
    each.end();
    await each.done;
  }
});
