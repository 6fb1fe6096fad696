import { expect, test } from "vitest";
import { openAddress, phone, serveDashboard } from "../../support/dashboard/dashboard-page.ts";
import { parserTeam } from "../../support/dashboard/parser-team.ts";

test("every view shows the prompt, agents, tasks, cost and branches, each with a link to its view", async () => {
  const { place, lead } = await parserTeam();
  const session = await lead.session();
  const { url } = await serveDashboard(place);
  const { page, violations, overflow } = await openAddress(`${url}#/s/${session}/team`);
  const strip = page.getByRole("region", { name: "Status" });
  await strip.getByRole("link", { name: "1 asking" }).waitFor();
  await strip.getByRole("link", { name: /^Dates come out a month off/ }).waitFor();
  await strip.getByRole("link", { name: "1 branch" }).waitFor();
  await strip.getByRole("link", { name: /^\$\d/ }).waitFor();
  await strip.getByRole("link", { name: "tasks 2/4" }).click();
  await page.getByRole("heading", { name: "Tasks" }).first().waitFor();
  await strip.getByRole("link", { name: "1 asking" }).click();
  await page.getByRole("article").getByText("node --test").waitFor();
  expect(await violations()).toEqual([]);
  await page.setViewportSize(phone.viewport);
  expect(await overflow()).toBe(0);
});
