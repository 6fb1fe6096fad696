import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openDashboard, phone } from "../../support/dashboard/dashboard-page.ts";
import { isIn, teamWorkplace } from "../../support/cli/team-workplace.ts";

const script = `
const agent = (name, prompt) => ({ tool: "Agent", input: { description: "works as " + name, prompt, name } });
const mail = (to, message, summary) => ({ tool: "SendMessage", input: { to, message, summary } });
export default (ask) => {
  const done = ask.results.length > 0;
  if (ask.agent === "lead") return done || ask.turn > 1 ? { text: "The team is there." } : { calls: [agent("ann", "be ready"), agent("bob", "stay")] };
  if (ask.agent.startsWith("bob")) return ask.said.includes("stay") && !done ? { calls: [{ tool: "Bash", input: { command: "tail -f /dev/null" } }] } : { text: "Bob has heard." };
  if (ask.said.includes("ask bob") && !done) return { calls: [mail("bob", "Have a look.", "a look is wanted")] };
  return { text: done ? "Bob is asked." : "Ann is <b>ready</b>." };
};`;

function startTeam() {
  const place = teamWorkplace(script, { teams: { backend: "in-process", shutdownMs: 20_000 } });
  const lead = place.lead({ more: ["--web"] });
  lead.send({ type: "prompt", content: "go" });
  return { place, lead };
}

/** By its name alone: what others do may name it too. */
const nodeOf = (page: Page, name: string) =>
  page.locator(".team-node").filter({ has: page.locator(".team-name", { hasText: name }) });

test("graph shows members, states and moving messages; write, interrupt, stop and restart members", async () => {
  const { lead } = startTeam();
  const { page, problems, go, violations } = await openDashboard(lead);
  await go("team");
  const node = (name: string, state: string) => nodeOf(page, name).and(page.locator(`[data-state="${state}"]`));
  await node("ann", "idle").waitFor();
  await node("bob", "tool").getByText("$ tail -f /dev/null").waitFor();
  expect(await violations()).toEqual([]);

  // Text of an agent stays text, whatever it looks like.
  await node("ann", "idle").click();
  const panel = page.getByRole("complementary", { name: "Selected: ann" });
  await panel.getByText("Ann is <b>ready</b>.").waitFor();

  const flown = page.locator("circle.flight").first().waitFor({ state: "attached" });
  await panel.getByRole("textbox", { name: "Message to ann" }).fill("please ask bob");
  await panel.getByRole("button", { name: "Send" }).click();
  await flown;
  await panel.getByText("Bob is asked.").waitFor();
  await panel.getByText("a look is wanted").waitFor();

  // Bob is busy: the mail is delivered, and he reads it in his next turn.
  await node("bob", "tool").click();
  const bob = page.getByRole("complementary", { name: "Selected: bob" });
  await bob.locator("li", { hasText: "a look is wanted" }).getByText("received").waitFor();
  await bob.getByRole("button", { name: "Interrupt" }).click();
  await lead.until(isIn("bob", "idle"));
  await node("bob", "idle").waitFor();
  await bob.getByRole("textbox", { name: "Message to bob" }).fill("go on");
  await page.keyboard.press("Enter");
  await bob.getByText("Bob has heard.").waitFor();
  await bob.getByRole("button", { name: "Stop" }).click();
  await bob.getByRole("button", { name: "Really stop bob?" }).click();
  // It has time to answer. The page says so, and offers to stop it at once.
  await bob.getByText("bob is asked to end").waitFor();
  await bob.getByRole("button", { name: "Stop now" }).click();
  await bob.getByRole("button", { name: "Really stop bob now?" }).click();
  await node("bob", "ended").or(node("bob", "stopped")).waitFor();
  await bob.getByRole("button", { name: "Respawn" }).click();
  await node("bob", "idle").waitFor();

  expect(problems).toEqual([]);
  lead.end();
  await lead.done;
});

test("graph by keyboard, as a table, and as a list on a phone, without motion", async () => {
  const { lead } = startTeam();
  const { page, problems, go, violations, overflow } = await openDashboard(lead, {
    viewport: { width: 1024, height: 768 },
    colorScheme: "dark",
    reducedMotion: "reduce",
  });
  await go("team");
  const pressed = page.locator('.team-node[aria-pressed="true"]');
  const nameOf = () => pressed.locator(".agent-name-text").textContent();
  await nodeOf(page, "bob").waitFor();
  await pressed.focus();
  expect(await nameOf()).toMatch(/^lead$/);
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => nameOf()).toMatch(/^(ann|bob)$/);
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => nameOf()).toMatch(/^lead$/);
  await expect.poll(() => page.evaluate("document.activeElement?.getAttribute('aria-pressed')")).toBe("true");
  expect([await overflow(), await violations()]).toEqual([0, []]);

  // A narrow page has a list instead.
  await page.setViewportSize(phone.viewport);
  const list = page.getByRole("list", { name: "Agents" }).last();
  await list.getByText("$ tail -f /dev/null").waitFor();
  expect(await page.locator(".team-node").count()).toBe(0);
  await list.getByRole("button", { name: /bob/ }).click();
  await page.getByRole("complementary", { name: "Selected: bob" }).waitFor();
  expect([await overflow(), await violations()]).toEqual([0, []]);

  await page.getByRole("button", { name: "Table" }).click();
  const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "bob" }) });
  await row.getByText("$ tail -f /dev/null").waitFor();
  await page
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name: "lead" }) })
    .getByText("ann ×1, bob ×1")
    .waitFor();
  expect([await overflow(), await violations()]).toEqual([0, []]);
  await row.getByRole("link", { name: "Transcript" }).click();
  await expect.poll(() => page.url()).toMatch(/\/transcript\/agt_\w+$/);
  expect(problems).toEqual([]);
});
