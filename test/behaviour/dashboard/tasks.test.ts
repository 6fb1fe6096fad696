import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openAddress, openDashboard, phone } from "../../support/dashboard/dashboard-page.ts";
import { teamWorkplace } from "../../support/cli/team-workplace.ts";

/** Ann claims the first task by herself. No member has the tools for the others. */
const script = `
const task = (subject, more = {}) => ({ tool: "TaskCreate", input: { subject, description: "", ...more } });
const plan = [
  task("Lay the ground", { activeForm: "Laying the ground", description: "With **care**: <img src=x onerror=alert(1)>", acceptance: [{ command: "true" }] }),
  task("Build on it", { blockedBy: [1], needs: ["Crane"], acceptance: [{ command: "exit 3" }] }),
  task("Paint \\u202Eit", { blockedBy: [2], needs: ["Brush"] }),
];
export default (ask) => {
  const last = ask.results.at(-1)?.text ?? "";
  if (ask.agent === "lead") {
    if (ask.turn === 1) return { calls: plan };
    if (ask.turn === 2 && ask.said.includes("together")) return { calls: [{ tool: "Agent", input: { description: "works", prompt: "wait", name: "ann" } }] };
    return { text: "Planned." };
  }
  if (last.includes("has continued")) return { calls: [{ tool: "TaskUpdate", input: { taskId: 1, status: "completed" } }] };
  if (ask.said.includes("Lay the ground") && last === "") return { calls: [{ tool: "Bash", input: { command: "until [ -e go ]; do sleep 0.05; done; echo has continued" } }] };
  return { text: "Ready." };
};`;

async function startTeam(prompt: string) {
  const place = teamWorkplace(script, { teams: { backend: "in-process", shutdownMs: 1_000 } });
  const lead = place.lead({ more: ["--web"] });
  lead.send({ type: "prompt", content: prompt });
  await lead.until((event) => event.type === "task.changed" && event.task.id === 3);
  return { place, lead };
}

const column = (page: Page, name: string) => page.getByRole("region", { name: new RegExp(`^${name}`) });
const card = (page: Page, name: string, id: number) =>
  column(page, name).getByRole("article", { name: new RegExp(`^#${id} `) });

const details = (page: Page, id: number) =>
  page.getByRole("article", { name: new RegExp(`^#${id} `) }).locator("summary");

test("tasks view shows state, blockers, owner and verification; create, assign, move, delete", async () => {
  const { place, lead } = await startTeam("plan it, together");
  const { page, problems, go, violations } = await openDashboard(lead);
  await go("tasks");
  await card(page, "In progress", 1).getByText("Laying the ground").waitFor();
  expect(await card(page, "In progress", 1).getAttribute("data-color")).toMatch(/^[a-z]+$/);
  await card(page, "In progress", 1).getByText("1 check").waitFor();
  await card(page, "Pending", 2).getByRole("button", { name: "Task 1, Lay the ground, In progress" }).waitFor();
  await card(page, "Pending", 3).getByText("Paint [U+202E]it").waitFor();
  await card(page, "Pending", 3).locator(".task-owner", { hasText: "no owner" }).waitFor();
  await card(page, "In progress", 1).getByText("Details").click();
  await card(page, "In progress", 1).getByText("With care: <img src=x onerror=alert(1)>").waitFor();
  expect(await violations()).toEqual([]);

  // Its owner completes it, and its check runs.
  place.write("go", "");
  await card(page, "Completed", 1).getByText("verified").waitFor();
  await card(page, "Pending", 2).locator("[data-done]", { hasText: "#1" }).waitFor();

  // The user assigns the next task and marks it completed. Nothing has verified that.
  await details(page, 2).click();
  await page.getByRole("combobox", { name: "Owner of task 2" }).selectOption("ann");
  await card(page, "Pending", 2).locator(".task-owner", { hasText: "ann" }).waitFor();
  await page.getByRole("combobox", { name: "Status of task 2" }).selectOption("In progress");
  await card(page, "In progress", 2).waitFor();
  await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("task-2");
  // Or drags it to another column. A drop in its own column changes nothing.
  await card(page, "In progress", 2).dragTo(column(page, "In progress"));
  await card(page, "In progress", 2).dragTo(column(page, "Completed"));
  await card(page, "Completed", 2).getByText("unverified").waitFor();
  await details(page, 2).click();
  await card(page, "Completed", 2).getByText("its checks were not run").waitFor();
  await card(page, "Pending", 3).locator("[data-done]", { hasText: "#2" }).waitFor();

  // The graph shows what depends on what; a press leads to the card.
  await page.getByRole("button", { name: "Graph" }).click();
  const graph = page.getByRole("region", { name: "Dependencies" });
  await expect.poll(() => graph.locator(".task-line").count()).toBe(2);
  expect(await violations()).toEqual([]);
  await graph.getByRole("button", { name: "#3" }).click();
  await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("task-3");

  await page.getByRole("textbox", { name: "Subject of the new task" }).fill("Look at <b>it</b>");
  await page.getByRole("textbox", { name: "Description of the new task" }).fill("all of it");
  await page.getByRole("combobox", { name: "Waits for" }).selectOption({ label: "#3 Paint [U+202E]it" });
  await page.getByRole("button", { name: "Do not wait for #3" }).click();
  await page.getByRole("combobox", { name: "Waits for" }).selectOption({ label: "#3 Paint [U+202E]it" });
  expect(await violations()).toEqual([]);
  await page.getByRole("button", { name: "Create" }).click();
  const created = card(page, "Pending", 4);
  await created.getByText("Blocked by").waitFor();
  await created.getByRole("button", { name: /^Task 3, / }).waitFor();
  // A double click only asks.
  await details(page, 4).click();
  await created.getByRole("button", { name: "Delete" }).dblclick();
  await created.getByRole("button", { name: "Really delete?" }).click();
  await created.waitFor({ state: "detached" });
  await page.getByText("2 of 3 completed").waitFor();

  // The page shows a refusal of the task list.
  await page.getByRole("combobox", { name: "Status of task 2" }).selectOption("Pending");
  await card(page, "Pending", 3).getByRole("button", { name: "Task 2, Build on it, Pending" }).waitFor();
  await details(page, 3).click();
  await page.getByRole("combobox", { name: "Status of task 3" }).selectOption("In progress");
  await page
    .locator(".toast")
    .getByText(/blocked/i)
    .waitFor();
  expect(problems).toEqual([]);
  lead.end();
  await lead.done;
});

test("tasks on a phone, by keyboard, in a replay and in an exported file", async () => {
  const { place, lead } = await startTeam("plan it");
  const { page, problems, go, violations, overflow } = await openDashboard(lead, { ...phone, colorScheme: "dark" });
  await go("tasks");
  const first = card(page, "Pending", 1);
  await first.waitFor();
  expect([await overflow(), await violations()]).toEqual([0, []]);
  await page.getByRole("textbox", { name: "Subject of the new task" }).focus();
  await page.keyboard.type("By hand");
  await page.keyboard.press("Enter");
  await card(page, "Pending", 4).waitFor();
  await card(page, "Pending", 2)
    .getByRole("button", { name: /^Task 1,/ })
    .focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("task-1");
  await details(page, 1).click();
  await page.getByRole("combobox", { name: "Status of task 1" }).selectOption("Completed");
  await card(page, "Completed", 1).waitFor();

  await go("replay");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Tasks" }).click();
  await card(page, "Pending", 3).waitFor();
  await page.getByText("This is a replay").waitFor();
  expect(await page.getByRole("combobox").count()).toBe(0);
  await page.getByRole("slider", { name: "Moment" }).focus();
  await page.keyboard.press("Home");
  await page.getByText("no tasks").waitFor();
  expect([await overflow(), await violations()]).toEqual([0, []]);
  expect(problems).toEqual([]);

  const id = await lead.session();
  lead.end();
  await lead.done;
  const file = join(place.home, "session.html");
  expect(await place.run(["sessions", "export", id, "--html", "-o", file])).toMatchObject({ code: 0 });
  const shared = await openAddress(`${pathToFileURL(file).href}#/s/${id}/tasks`);
  await card(shared.page, "Completed", 1).getByText("Lay the ground").waitFor();
  await card(shared.page, "Pending", 2).waitFor();
  expect(await shared.page.getByRole("combobox").count()).toBe(0);
  expect(shared.problems).toEqual([]);
});
