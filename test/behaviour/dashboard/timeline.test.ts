import { expect, test } from "vitest";
import { openDashboard, phone } from "../../support/dashboard/dashboard-page.ts";
import { type Running, workplace } from "../../support/cli/workplace.ts";

/** Each answer takes a moment, because a span without length is not shown. */
const delayMs = 30;
const script = {
  version: 1,
  rules: [
    {
      when: { agent: "lead/*" },
      answer: { text: "Looked.", delayMs },
    },
  ],
  steps: [
    {
      text: "Two at once.",
      delayMs,
      calls: [
        { tool: "Bash", input: { command: "echo one" } },
        { tool: "Agent", input: { description: "look", prompt: "look around", subagent_type: "general-purpose" } },
      ],
    },
    { text: "Now it takes a while.", delayMs, calls: [{ tool: "Bash", input: { command: "tail -f /dev/null" } }] },
    { text: "Over." },
  ],
};

function startRun(): Running {
  const place = workplace();
  place.write("s.json", script);
  const flags = ["--model", "scripted/s.json", "--permission-mode", "bypassPermissions"];
  return place.start(["-p", "--web", "do it", ...flags], { input: "" });
}

/** Presses a key until the announced text matches, then the next key. */
const walkTo = (page: Awaited<ReturnType<typeof openDashboard>>["page"]) => async (keys: string, wanted: RegExp) => {
  const words = page.locator(".timeline-scroll > [aria-live]");
  const heard: string[] = [];
  for (const key of keys.split(" ")) {
    for (let steps = 0; steps < 60; steps++) {
      const said = (await words.textContent()) ?? "";
      if (wanted.test(said)) return said;
      heard.push(said);
      await page.keyboard.press(key);
    }
  }
  throw new Error(`nothing like ${wanted} in ${[...new Set(heard)].join("\n")}`);
};

test("each agent has a lane; the keyboard walks it and opens the event in the transcript", async () => {
  const running = startRun();
  const { page, problems, go, violations } = await openDashboard(running);
  await go("timeline");
  await page.locator(".timeline-labels li").nth(1).waitFor();
  await page.locator(".agents", { hasText: "$ tail -f /dev/null" }).waitFor();
  const lanes = page.getByRole("application");
  await lanes.focus();
  await page.keyboard.press("0");
  await page.keyboard.press("ArrowRight");
  const walk = walkTo(page);
  await walk("ArrowRight", /^lead, tool: Bash, \$ tail -f \/dev\/null, /);
  await walk("ArrowLeft", /^lead, thinking, /);
  await walk("ArrowLeft", /^lead, tool: Agent, /);
  // The two calls begin at once, in any order.
  const both = "ArrowLeft ArrowRight";
  expect(await walk(both, /^lead, tool: Bash, \$ echo one, /)).toMatch(/for \d/);
  await walk("ArrowDown", /^(?!lead, ).+, (thinking|idle|waits for the model)/);
  await walk("ArrowUp", /^lead, /);
  await walk(both, /^lead, tool: Bash, \$ echo one, /);
  expect(await violations()).toEqual([]);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toMatch(/\/transcript\/agt_\w+\?at=evt_\w+$/);
  await page.getByText("echo one").first().waitFor();
  expect(problems).toEqual([]);
});

test("timeline zooms by wheel, buttons and keys, is dragged, and shows a tooltip", async () => {
  const running = startRun();
  const { page, problems, go } = await openDashboard(running);
  await go("timeline");
  await page.locator(".agents", { hasText: "$ tail -f /dev/null" }).waitFor();
  const follow = page.getByRole("button", { name: "Follow" });
  expect(await follow.getAttribute("aria-pressed")).toBe("true");
  const lanes = page.getByRole("application");
  const box = await lanes.boundingBox();
  if (!box) throw new Error("the lanes are not there");

  // Running work ends at the line that marks the present.
  await page.mouse.move(box.x + box.width * 0.96, box.y + 44);
  const card = page.getByRole("tooltip");
  await card.getByText("$ tail -f /dev/null").waitFor();
  await page.mouse.wheel(0, -300);
  await page.getByRole("button", { name: "Zoom out" }).click();
  await page.getByRole("button", { name: "Zoom in" }).click();
  expect(await follow.getAttribute("aria-pressed")).toBe("true");

  await page.mouse.move(box.x + 300, box.y + 44);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 44, { steps: 4 });
  await page.mouse.up();
  expect(await follow.getAttribute("aria-pressed")).toBe("false");
  expect(page.url()).toMatch(/timeline$/);
  await lanes.focus();
  await page.keyboard.press("End");
  expect(await follow.getAttribute("aria-pressed")).toBe("true");

  await page.mouse.move(box.x + box.width * 0.96, box.y + 44);
  await card.getByText("$ tail -f /dev/null").waitFor();
  await page.mouse.click(box.x + box.width * 0.96, box.y + 44);
  await expect.poll(() => page.url()).toMatch(/\/transcript\/agt_\w+\?at=evt_\w+$/);
  expect(problems).toEqual([]);
});

test("timeline fits on a phone, and its numbers are available as a table", async () => {
  const running = startRun();
  const { page, problems, go, violations, overflow } = await openDashboard(running, { ...phone, colorScheme: "dark" });
  await go("timeline");
  await page.locator(".agents", { hasText: "$ tail -f /dev/null" }).waitFor();
  await page.getByText("Time by activity").click();
  const lead = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "lead" }) });
  expect(await lead.getByRole("cell").last().textContent()).toBe("3");
  expect([await overflow(), await violations()]).toEqual([0, []]);
  expect(problems).toEqual([]);
});
