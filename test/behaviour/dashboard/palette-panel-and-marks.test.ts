import { expect, test } from "vitest";
import { openAddress, serveDashboard } from "../../support/dashboard/dashboard-page.ts";
import { parserTeam } from "../../support/dashboard/parser-team.ts";

test("palette opens agents, tasks and views; graph shows tasks and waits; panel shows a call; timeline its marks", async () => {
  const { place, lead } = await parserTeam();
  const session = await lead.session();
  const { url } = await serveDashboard(place);
  const { page, problems, violations } = await openAddress(`${url}#/s/${session}/team`);
  const palette = page.getByRole("dialog", { name: "Go to" });
  const goTo = async (words: string) => {
    await page.keyboard.press("Control+k");
    await palette.getByRole("combobox").fill(words);
    await palette
      .getByRole("option", { name: new RegExp(words, "i") })
      .first()
      .waitFor();
  };

  // The tester has a task and waits for the user. The lead has one name and no colour of a member.
  const node = (name: string) =>
    page.locator(".team-node").filter({ has: page.locator(".agent-name-text", { hasText: name }) });
  await node("tester").getByText("#3 Try every month").waitFor();
  await node("tester").getByText("waits for you").waitFor();
  await node("tester")
    .getByText(/context$/)
    .waitFor();

  await goTo("writer");
  expect(await violations()).toEqual([]);
  await page.keyboard.press("Enter");
  await palette.waitFor({ state: "detached" });
  const log = page.getByRole("log", { name: "Transcript" });
  await log.getByRole("button", { name: "Details of Edit" }).click();
  const panel = page.getByRole("complementary", { name: "Call of Edit" });
  await panel.getByLabel("Input", { exact: true }).getByText("new Date(year, month - 1, day)").waitFor();
  await panel.getByText("Tokens in").waitFor();
  expect(await panel.locator("dd").last().innerText()).toMatch(/^\$0\.\d+$/);
  expect(await violations()).toEqual([]);
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });

  // A call that waits says for what, and leads to the question.
  await goTo("tester");
  await page.keyboard.press("Enter");
  const waiting = log.locator(".call", { hasText: "waits for your answer" });
  await waiting.getByText("node --test test/every-month.test.js").waitFor();
  await waiting.getByRole("link", { name: "Answer" }).waitFor();

  await goTo("#4 Say it");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate("document.activeElement?.id")).toBe("task-4");

  await goTo("timeline");
  await page.keyboard.press("Enter");
  await page.getByText(/^Events \(\d+\)$/).click();
  const events = page.getByRole("list", { name: "Events" });
  await events.getByRole("listitem").filter({ hasText: "tester" }).getByRole("link", { name: "question" }).waitFor();
  await events.getByRole("listitem").filter({ hasText: "writer" }).getByRole("link", { name: "commit" }).waitFor();
  await page.getByRole("button", { name: "Mail", exact: true }).click();
  await page.getByRole("button", { name: "Critical path" }).click();
  const path = page.getByRole("region", { name: "Critical path" });
  await path.getByText("to answer").waitFor();

  // The brush chooses the displayed part: it no longer follows.
  const follow = page.getByRole("button", { name: "Follow" });
  expect(await follow.getAttribute("aria-pressed")).toBe("true");
  const box = await page.locator(".brush").boundingBox();
  if (!box) throw new Error("there is no brush");
  await page.mouse.move(box.x + box.width * 0.3, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 10, { steps: 3 });
  await page.mouse.up();
  expect(await follow.getAttribute("aria-pressed")).toBe("false");
  expect(await violations()).toEqual([]);
  await events.getByRole("link", { name: "commit" }).click();
  await log.getByText("git commit").first().waitFor();
  expect(problems).toEqual([]);
});
