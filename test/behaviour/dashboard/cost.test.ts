import { expect, test } from "vitest";
import { openDashboard, phone } from "../../support/dashboard/dashboard-page.ts";
import { type Running, workplace } from "../../support/cli/workplace.ts";

const script = {
  version: 1,
  rules: [{ when: { agent: "lead/*" }, answer: { text: "Looked." } }],
  steps: [
    {
      text: "I have it looked at.",
      calls: [
        { tool: "Agent", input: { description: "look", prompt: "look around", subagent_type: "general-purpose" } },
      ],
    },
    { text: "Now it takes a while.", calls: [{ tool: "Bash", input: { command: "tail -f /dev/null" } }] },
    { text: "Over." },
  ],
};

function startRun(settings: object, ...more: string[]): Running {
  const place = workplace();
  place.write("s.json", script);
  place.write("settings.json", settings);
  const flags = ["--model", "scripted/s.json", "--permission-mode", "bypassPermissions", "--settings", "settings.json"];
  return place.start(["-p", "--web", "do it", ...flags, ...more], { input: "" });
}

const priced = { models: { "scripted/s.json": { price: { input: 10, output: 50 } } } };

test("cost view shows the total, the budget, cost by agent, by model and over time, and tables", async () => {
  const running = startRun(priced, "--max-budget-usd", "5");
  const { page, problems, go, violations } = await openDashboard(running);
  await go("cost");
  await page.locator(".agents", { hasText: "$ tail -f /dev/null" }).waitFor();
  const totals = page.locator(".cost-totals");
  await totals.getByText(/% of \$5\.00$/).waitFor();
  const spent = Number(/\$([\d.]+)/.exec((await totals.locator("strong").first().textContent()) ?? "")?.[1]);
  expect(spent).toBeGreaterThan(0);

  const agents = page.getByRole("region", { name: "By agent", exact: true });
  const costs = await agents.locator("tbody tr td:last-child").allTextContents();
  expect(costs).toHaveLength(2);
  const sum = costs.reduce((all, words) => all + Number(words.slice(1)), 0);
  expect(Math.abs(sum - spent)).toBeLessThan(0.02);
  expect(await agents.locator("tfoot td:last-child").textContent()).toBe(
    await totals.locator("strong").first().textContent(),
  );
  const models = page.getByRole("region", { name: "By model", exact: true });
  expect(await models.getByRole("rowheader").allTextContents()).toEqual(["scripted/s.json"]);

  const chart = page.getByRole("slider");
  await chart.focus();
  await page.keyboard.press("End");
  await expect.poll(() => chart.getAttribute("aria-valuetext")).toMatch(/^until [\d:]+: \$/);
  await page.keyboard.press("Home");
  expect(await chart.getAttribute("aria-valuenow")).toBe("1");
  await page.getByRole("button", { name: "Tokens" }).click();
  await expect.poll(() => chart.getAttribute("aria-valuetext")).toMatch(/: [\d.]+k?$/);
  await page.getByRole("button", { name: "By model" }).click();
  expect(await page.locator(".cost-legend li").allTextContents()).toEqual(["scripted/s.json"]);
  await page.getByText("Over time, in numbers").click();
  expect(await page.getByRole("region", { name: "Over time, table" }).locator("tbody tr").count()).toBeGreaterThan(0);
  expect(await violations()).toEqual([]);
  expect(problems).toEqual([]);
});

test("budget line is drawn when the cost is near or over the budget", async () => {
  const running = startRun(priced, "--max-budget-usd", "0.2");
  const { page, go } = await openDashboard(running);
  await go("cost");
  await page.locator(".cost-budget").getByText("budget $0.20").waitFor();
});

test("models without a price show tokens; nothing overflows on a phone", async () => {
  const running = startRun({});
  const { page, problems, go, violations, overflow } = await openDashboard(running, { ...phone, colorScheme: "dark" });
  await go("cost");
  await page.locator(".cost-totals").getByText("no budget").waitFor();
  await page.getByRole("button", { name: "Tokens", pressed: true }).waitFor();
  expect([await overflow(), await violations()]).toEqual([0, []]);
  expect(problems).toEqual([]);
});
