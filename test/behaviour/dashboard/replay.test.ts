import { expect, test } from "vitest";
import { openAddress, phone } from "../../support/dashboard/dashboard-page.ts";
import { isIn, teamWorkplace } from "../../support/cli/team-workplace.ts";

const script = `
export default (ask) => {
  const done = ask.results.length > 0;
  if (ask.agent === "lead") {
    if (ask.turn === 1) return { calls: [{ tool: "TaskCreate", input: { subject: "Look around", description: "all of it" } }] };
    if (ask.turn === 2) return { calls: [{ tool: "Agent", input: { description: "works", prompt: "be there", name: "ann" } }] };
    return { text: "Ann is there." };
  }
  return { text: "I am here." };
};`;

/** A finished team, and the page that shows it. */
async function replayOf(options: Parameters<typeof openAddress>[1] = {}) {
  const place = teamWorkplace(script, { teams: { backend: "in-process" } });
  const lead = place.lead();
  lead.send({ type: "prompt", content: "go" });
  await lead.until(isIn("ann", "idle"));
  const id = await lead.session();
  lead.end();
  await lead.done;
  const web = place.start(["web", "--no-open", "--port", "0", "--json"]);
  const url = /http:[^"\s]+/.exec(await web.saw(/http:\S+/))?.[0] ?? "";
  const shown = await openAddress(url, options);
  await shown.page.goto(`${new URL(url).origin}/#/s/${id}/replay`);
  return shown;
}

test("finished session is replayed by time and by event; every view shows that moment", async () => {
  const { page, problems, violations } = await replayOf();
  const slider = page.getByRole("slider", { name: "Moment" });
  await slider.waitFor();
  const agents = page.getByRole("complementary", { name: "Agents" }).getByRole("listitem");
  await expect.poll(() => agents.count()).toBe(2);

  // At the beginning there is only the lead.
  await slider.focus();
  await page.keyboard.press("Home");
  await expect.poll(() => agents.count()).toBe(1);
  const time = page.getByTestId("replay-time");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Transcript" }).click();
  const log = page.getByRole("log", { name: "Transcript" });
  await log.waitFor();
  expect(await log.getByText("Ann is there.").count()).toBe(0);
  expect(await violations()).toEqual([]);

  // Steps event by event, until the prompt appears.
  const counted = async () => Number(/event (\d+) of/.exec(await time.innerText())?.[1]);
  const before = await counted();
  await page.keyboard.press(".");
  await expect.poll(counted).toBeGreaterThan(before);
  await page.keyboard.press(",");
  await expect.poll(counted).toBe(before);
  while ((await log.getByText("go", { exact: true }).count()) === 0)
    await page.getByRole("button", { name: "Next event" }).click();
  expect(await agents.count()).toBe(1);

  await page.keyboard.press("End");
  await slider.focus();
  await page.keyboard.press("End");
  await log.getByText("Ann is there.").last().waitFor();
  expect(await page.getByRole("textbox").count()).toBe(0);

  // A link in a replay leads to another view of the same moment.
  await agents.nth(1).getByRole("link").click();
  await log.getByText("I am here.").last().waitFor();
  expect(page.url()).toMatch(/\/transcript\/agt_\w+\?replay$/);

  // The same tabs show now again.
  await page.getByRole("link", { name: "Leave the replay" }).click();
  await slider.waitFor({ state: "detached" });
  expect(page.url()).toMatch(/\/transcript\/agt_\w+$/);
  expect(problems).toEqual([]);
});

test("replay plays at any speed to the end, then restarts from the beginning; on a phone too", async () => {
  const { page, problems, overflow, violations } = await replayOf({ ...phone, colorScheme: "dark" });
  const play = page.getByRole("button", { name: "Play" });
  await play.waitFor();
  expect(await overflow()).toBe(0);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Transcript" }).click();
  await page.getByRole("log", { name: "Transcript" }).waitFor();
  expect([await overflow(), await violations()]).toEqual([0, []]);
  await page.getByRole("group", { name: "Speed" }).getByRole("button", { name: "50×" }).click();
  const time = page.getByTestId("replay-time");
  const end = await time.innerText();
  // The replay may end before the test looks, so the page records what it shows.
  await page.evaluate(`globalThis.seen = [];
    new MutationObserver(() => seen.push(document.querySelector("[data-testid=replay-time]").innerText))
      .observe(document.querySelector("[data-testid=replay-time]"), { subtree: true, childList: true, characterData: true });`);
  await play.click();
  const counts = async () => (await page.evaluate<string[]>("seen")).map((words) => /event (\d+) of/.exec(words)?.[1]);
  const last = /event (\d+) of/.exec(end)?.[1];
  await expect.poll(async () => (await counts()).at(-1)).toBe(last);
  expect(Number((await counts())[0])).toBeLessThan(Number(last));
  await play.waitFor();
  expect(problems).toEqual([]);
});
