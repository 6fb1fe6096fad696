import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openAddress, openDashboard, phone } from "../../support/dashboard/dashboard-page.ts";
import { isIn, teamWorkplace } from "../../support/cli/team-workplace.ts";

const script = `
const agent = (name, prompt) => ({ tool: "Agent", input: { description: "works as " + name, prompt, name } });
const mail = (to, message, summary) => ({ tool: "SendMessage", input: { to, message, summary } });
export default (ask) => {
  const done = ask.results.length > 0;
  if (ask.agent === "lead") {
    if (!done && ask.said.includes("spawn bob")) return { calls: [agent("bob", "stay")] };
    if (!done && ask.said.includes("spawn ann")) return { calls: [agent("ann", "write to bob")] };
    return { text: "The team is there." };
  }
  if (ask.agent.startsWith("bob")) return ask.said.includes("stay") && !done ? { calls: [{ tool: "Bash", input: { command: "touch bob-works; tail -f /dev/null" } }] } : { text: "Bob has heard." };
  if (ask.said.includes("write to bob") && !done) return { calls: [mail("bob", "Have a **look** <img src=x onerror=alert(1)> [here](javascript:alert(2)) \\u202Eback", "a look is wanted")] };
  return { text: done ? "Bob is asked." : "Ann has heard." };
};`;

async function startTeam() {
  const place = teamWorkplace(script, { teams: { backend: "in-process", shutdownMs: 1_000 } });
  const lead = place.lead({ more: ["--web"] });
  // Bob is in his call before Ann writes to him. Otherwise he may read her mail in his first turn.
  lead.send({ type: "prompt", content: "spawn bob" });
  await expect.poll(() => existsSync(join(place.cwd, "bob-works"))).toBe(true);
  lead.send({ type: "prompt", content: "spawn ann" });
  await lead.until(isIn("ann", "idle"));
  return { place, lead };
}

test("mail between members is shown in full with its state; the user writes, also urgently", async () => {
  const { lead } = await startTeam();
  const { page, problems, go, violations } = await openDashboard(lead);
  await go("mail");
  const log = page.getByRole("log", { name: "Messages" });
  const threads = page.getByRole("navigation", { name: "Threads" });
  await threads.getByRole("button", { name: /ann .*bob/ }).click();
  const letter = log.getByRole("article").filter({ hasText: "Have a look" });
  await letter.getByText("<img src=x onerror=alert(1)>").waitFor();
  await letter.getByText("[U+202E]back").waitFor();
  expect(await letter.locator("img").count()).toBe(0);
  expect(await letter.locator("a").count()).toBe(0);
  // Bob is busy: the mail is delivered, and he has not read it yet.
  await letter.getByText("delivered", { exact: true }).waitFor();
  expect(await log.getByRole("article").count()).toBe(1);
  expect(await violations()).toEqual([]);

  const write = page.getByRole("form", { name: "Write a message" });
  await write.getByRole("combobox", { name: "To" }).selectOption("bob");
  await write.getByRole("textbox", { name: "Message" }).fill("Leave that, and listen.");
  await write.getByRole("checkbox", { name: "Urgent" }).check();
  await write.getByRole("button", { name: "Send" }).click();
  await letter.getByText("read", { exact: true }).waitFor();
  await lead.until(isIn("bob", "idle"));
  await threads.getByRole("button", { name: /bob .*user/ }).click();
  const mine = log.getByRole("article").filter({ hasText: "Leave that, and listen." });
  await mine.getByText("urgent", { exact: true }).waitFor();
  await mine.getByText("read", { exact: true }).waitFor();
  expect(await write.getByRole("textbox", { name: "Message" }).inputValue()).toBe("");

  // Messages of the runtime are shown in plain words and can be hidden.
  await page.getByRole("button", { name: "Everything" }).click();
  await threads.getByRole("button", { name: /bob .*lead/ }).click();
  await log.getByText("Is idle and waits for mail").first().waitFor();
  await log.getByText("Bob has heard.").first().waitFor();
  await page.getByRole("button", { name: "Only messages" }).click();
  await log.getByText("Is idle").first().waitFor({ state: "detached" });
  await log.getByText("stay", { exact: true }).waitFor();
  await page.getByRole("searchbox", { name: "Find in the mail" }).fill("no such words");
  await log.getByText("stay", { exact: true }).waitFor({ state: "detached" });
  expect(problems).toEqual([]);
  lead.end();
  await lead.done;
});

test("long text is shown in full on request; only visible rows of a long list are drawn", async () => {
  const { lead } = await startTeam();
  const { page, problems, go } = await openDashboard(lead);
  await go("mail");
  lead.send({ type: "mail.send", to: "ann", text: `${"long ".repeat(40_000)}and this is its end` });
  const log = page.getByRole("log", { name: "Messages" });
  await log.getByRole("button", { name: "Show all" }).click();
  await log.getByText("and this is its end").waitFor();
  for (let count = 1; count <= 120; count++) lead.send({ type: "mail.send", to: "bob", text: `number ${count}.` });
  await page
    .getByRole("navigation", { name: "Threads" })
    .getByRole("button", { name: /bob .*user 120/ })
    .click();
  await log.getByText("number 120.", { exact: true }).waitFor();
  expect(await log.getByRole("article").count()).toBeLessThan(60);
  await log.focus();
  await page.keyboard.press("Home");
  await log.getByText("number 1.", { exact: true }).waitFor();
  expect(problems).toEqual([]);
});

test("mail on a phone, by keyboard, in a replay and in an exported file", async () => {
  const { place, lead } = await startTeam();
  const { page, problems, go, violations, overflow } = await openDashboard(lead, { ...phone, colorScheme: "dark" });
  await go("mail");
  const log = page.getByRole("log", { name: "Messages" });
  await log.getByText("Have a look").waitFor();
  expect([await overflow(), await violations()]).toEqual([0, []]);
  const field = page.getByRole("textbox", { name: "Message" });
  await page.getByRole("combobox", { name: "To" }).selectOption("ann");
  await field.focus();
  await page.keyboard.type("By hand");
  await page.keyboard.press("Enter");
  await log.getByRole("article").filter({ hasText: "By hand" }).getByText("read", { exact: true }).waitFor();

  await go("replay");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Mail" }).click();
  await log.getByText("By hand").waitFor();
  await page.getByText("This is a replay").waitFor();
  expect([await overflow(), await violations()]).toEqual([0, []]);
  await page.getByRole("slider", { name: "Moment" }).focus();
  await page.keyboard.press("Home");
  await page.getByText("No mail yet.").waitFor();
  // Forward to the moment when it was sent and not yet delivered.
  const letter = log.getByRole("article").filter({ hasText: "Have a look" });
  const on = page.getByRole("button", { name: "Next event" });
  while ((await letter.count()) === 0) await on.click();
  await letter.getByText("sent", { exact: true }).waitFor();
  await on.click();
  expect(problems).toEqual([]);

  const id = await lead.session();
  const file = join(place.home, "session.html");
  expect(await place.run(["sessions", "export", id, "--html", "-o", file])).toMatchObject({ code: 0 });
  const shared = await openAddress(`${pathToFileURL(file).href}#/s/${id}/mail`);
  await shared.page.getByRole("log", { name: "Messages" }).getByText("Have a look").waitFor();
  await shared.page.getByText("This file shows a session as it was.").waitFor();
  expect(shared.problems).toEqual([]);
});
