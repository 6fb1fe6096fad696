import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { launchChromium } from "../../support/dashboard/launch-chromium.ts";
import {
  type DashboardPage,
  openAddress,
  phone,
  pressPair,
  serveDashboard,
} from "../../support/dashboard/dashboard-page.ts";
import { parserTeam } from "../../support/dashboard/parser-team.ts";

/** Waits until a view is drawn. */
const views: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  summary: (page) => page.getByRole("heading", { name: "Who did it" }).waitFor(),
  team: (page) => page.locator(".team-node, .team-list li").nth(3).waitFor(),
  timeline: (page) => page.locator(".timeline-labels li").nth(3).waitFor(),
  transcript: (page) => page.getByRole("log").getByText("The team is at work.").last().waitFor(),
  tasks: (page) => page.getByRole("main").getByText("Find out why dates are a month off").waitFor(),
  mail: (page) => page.getByRole("log", { name: "Messages" }).getByText("The fixed parser is on my branch.").waitFor(),
  approvals: (page) =>
    page.getByRole("main").getByText("node --test").or(page.getByText("No open questions.")).first().waitFor(),
  cost: (page) => page.getByRole("region", { name: "By agent", exact: true }).waitFor(),
  worktrees: (page) => page.getByRole("main").getByRole("rowheader", { name: "src/parse-date.js" }).waitFor(),
  replay: (page) => page.getByRole("slider", { name: "Moment" }).waitFor(),
};

const wide = { width: 1280, height: 800 };
const light = { name: "light", size: wide, colorScheme: "light" } as const;
const dark = { name: "dark", size: wide, colorScheme: "dark" } as const;
const onPhone = { name: "dark, on a phone", size: phone.viewport, colorScheme: "dark" } as const;
type Look = typeof light | typeof dark | typeof onPhone;

/**
 * Largest horizontal overflow of the page, its main part and its sections. Only strips and tables may scroll sideways.
 */
const maxOver = `Math.max(0, ...[document.documentElement, ...document.querySelectorAll("main, main section")]
  .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))`;

/** Problems in every view: axe violations and horizontal overflow. */
async function faults({ page, violations }: DashboardPage, session: string, looks: readonly Look[]) {
  const found: string[] = [];
  for (const { name, size, colorScheme } of looks) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.evaluate("location.hash = '#/'");
    await page
      .getByRole("link", { name: /Dates come out/ })
      .last()
      .waitFor();
    await look("sessions", name);
    for (const [view, isDrawn] of Object.entries(views)) {
      await page.evaluate(`location.hash = "#/s/${session}/${view}"`);
      await isDrawn(page);
      await look(view, name);
    }
  }
  return found;

  async function look(view: string, name: string): Promise<void> {
    for (const violation of await violations()) found.push(`${view}, ${name}: ${violation}`);
    const over = await page.evaluate<number>(maxOver);
    if (over !== 0) found.push(`${view}, ${name}: sticks out by ${over} px`);
  }
}

test("every view passes axe in both themes, fits in 375 px and works by keyboard", async () => {
  const { place, lead } = await parserTeam();
  const session = await lead.session();
  const { url } = await serveDashboard(place);
  const browser = await launchChromium();
  const shown = await openAddress(url, {}, browser);
  expect(await faults(shown, session, [light, onPhone])).toEqual([]);

  // From the list to the session, to an agent, and to its question.
  const { page } = shown;
  await page.setViewportSize(wide);
  await page.evaluate("location.hash = '#/'");
  await page.getByRole("link", { name: /Dates come out.*waits for you/ }).waitFor();
  const tabTo = async (wanted: RegExp) => {
    const passed: string[] = [];
    for (let tries = 0; tries < 60; tries++) {
      await page.keyboard.press("Tab");
      const { name, isSeen } = await focused(page);
      if (name !== "" && !isSeen) throw new Error(`one cannot see that the focus is at ${name}`);
      if (wanted.test(name)) return;
      passed.push(name);
    }
    throw new Error(`Tab leads to ${passed.join(" · ")}, not to ${wanted}`);
  };
  await tabTo(/Dates come out[\s\S]*waits for you/);
  await page.keyboard.press("Enter");
  await views["team"]?.(page);
  await tabTo(/^tester\b/);
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("I run every month through it.").waitFor();
  await tabTo(/^Answer$/);
  await page.keyboard.press("Enter");
  await page.getByRole("article").getByText("node --test").waitFor();
  await tabTo(/^Yes, this once$/);
  const waiting = page.getByRole("article");
  await expect
    .poll(async () => {
      await page.keyboard.press("Enter");
      return waiting.count();
    })
    .toBe(0);
  await pressPair(page, "gs", page.getByRole("heading", { name: "lead transcript" }));
  await page.keyboard.press("]");
  await page.getByRole("heading", { name: /^(?!lead).* transcript$/ }).waitFor();
  await tabTo(/^tester\b/);
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("All twelve months pass.").waitFor();
  await page.keyboard.press("/");
  expect(await focused(page)).toMatchObject({ name: "Message to tester" });

  lead.end();
  await lead.done;
  await page.getByText("No process has this session open:").waitFor();
  expect(await faults(shown, session, [dark])).toEqual([]);
  expect(shown.problems).toEqual([]);
});

/** The focused element, and whether it is visible. */
function focused(page: Page): Promise<{ name: string; isSeen: boolean }> {
  return page.evaluate(`(() => {
    const at = document.activeElement;
    if (!at || at === document.body) return { name: "", isSeen: true };
    const name = (at.getAttribute("aria-label") ?? at.innerText ?? "").trim();
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at);
    return { name, isSeen: (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none" };
  })()`);
}
