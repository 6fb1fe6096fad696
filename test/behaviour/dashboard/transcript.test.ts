import { expect, test } from "vitest";
import { openDashboard, phone } from "../../support/dashboard/dashboard-page.ts";
import { bypass, type Workplace, workplace } from "../../support/cli/workplace.ts";

/** A session that reads commands as lines, with its dashboard. */
function startSession(place: Workplace, script: string) {
  place.write("s.mjs", script);
  const lines = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const running = place.start(["-p", "--model", "scripted/s.mjs", ...bypass, ...lines, "--web"]);
  const say = (content: string) => running.write(JSON.stringify({ type: "prompt", content }));
  return { ...running, say };
}

const hostile = `Look: <img src=x onerror="document.title='owned'"> [here](javascript:document.title='owned') \u202Edrow`;

const script = `
export default (ask) => {
  if (ask.said.includes("hang")) return { fault: { kind: "hang", after: 3 }, text: "This is never said to the end, whatever happens." };
  if (ask.said.includes("slowly")) return { text: "One ".repeat(40) + "**end**", chunk: 4, chunkDelayMs: 60 };
  if (ask.said.includes("many")) return { calls: Array.from({ length: 30 }, (_, at) => ({ tool: "Bash", input: { command: "seq 1 50; echo needle " + at } })).slice(0, ask.results.length === 0 ? 30 : 0), text: ask.results.length === 0 ? "Many." : "Much was **run** here." };
  if (ask.said.includes("again")) return { text: "You said: " + ask.said };
  if (ask.results.length === 0) return {
    thinking: "First I look.\\nThen I write.",
    text: "# The plan\\n\\n1. **look**\\n2. write\\n\\n\`\`\`ts\\nconst a = 1;\\n\`\`\`\\n\\n" + ${JSON.stringify(hostile)},
    calls: [
      { tool: "Write", input: { file_path: "a.txt", content: "one\\ntwo\\n" } },
      { tool: "Bash", input: { command: "echo out; echo wrong >&2; exit 3" } },
      { tool: "Agent", input: { description: "looks around", prompt: "look around", subagent_type: "general-purpose" } },
    ],
  };
  if (ask.agent === "lead") return { text: "All is done." };
  return { text: "I looked around." };
};`;

test("transcript shows texts, thinking, diffs and commands as text; subagents load on demand", async () => {
  const session = startSession(workplace(), script);
  session.say("go");
  const { page, problems, go, violations } = await openDashboard(session);
  await go("transcript");
  const log = page.getByRole("log", { name: "Transcript" });
  await log.getByText("All is done.").waitFor();
  await log.getByText("go", { exact: true }).waitFor();
  await log.locator(".md-heading", { hasText: "The plan" }).waitFor();
  await log.getByText(`<img src=x onerror="document.title='owned'">`).waitFor();
  await log.getByText("[U+202E]drow").waitFor();
  expect(await log.locator("img, a[href^=javascript]").count()).toBe(0);

  const thought = log.getByRole("button", { name: /Thought: First I look/ });
  expect(await thought.getAttribute("aria-expanded")).toBe("false");
  await thought.click();
  await log.getByText("Then I write.").waitFor();
  const written = log.locator(".call", { hasText: "Write" });
  await written.locator('.diff-row[data-kind="added"]', { hasText: "two" }).waitFor();
  const failed = log.locator('.call[data-state="failed"]');
  // The duration follows if it was long.
  await failed.getByText(/^exit 3( ·|$)/).waitFor();
  await failed.locator("pre", { hasText: "wrong" }).waitFor();
  expect(await violations()).toEqual([]);

  const others = page.getByRole("complementary", { name: "Agents" }).getByRole("link");
  await expect.poll(() => others.count()).toBe(2);
  const fetched = page.waitForResponse((response) => response.url().includes("/api/transcript?"));
  await others.last().click();
  expect((await fetched).ok()).toBe(true);
  await log.getByText("I looked around.").waitFor();
  await log.getByText("look around", { exact: true }).first().waitFor();

  expect(await page.title()).not.toContain("owned");
  expect(problems).toEqual([]);
  session.end();
  await session.done;
});

test("answer streams in; the page follows until the user scrolls; an event opens by number", async () => {
  const session = startSession(workplace(), script);
  const { page, problems, go } = await openDashboard(session);
  await go("transcript");
  const log = page.getByRole("log", { name: "Transcript" });
  for (const time of ["first", "second", "third"]) {
    session.say(`again ${time} ${"word\n".repeat(15)}`);
    await log.getByText(`You said: again ${time}`).waitFor();
  }
  session.say("slowly");
  await log.locator(".draft").getByText("One One").waitFor();
  await log.getByText("Writing…").waitFor();
  const place = () =>
    log.evaluate((element) => {
      const { scrollTop, scrollHeight, clientHeight } = element as unknown as Record<string, number>;
      return { top: scrollTop ?? 0, below: (scrollHeight ?? 0) - (scrollTop ?? 0) - (clientHeight ?? 0) };
    });
  const distance = async () => (await place()).below;
  await log.locator(".said strong", { hasText: "end" }).waitFor();
  await expect.poll(distance).toBeLessThan(5);

  await log.hover();
  await page.mouse.wheel(0, -300);
  const toEnd = page.getByRole("button", { name: "To the end" });
  await toEnd.waitFor();
  const { top, below } = await place();
  session.say("again last");
  await expect.poll(distance).toBeGreaterThan(below);
  expect((await place()).top).toBe(top);
  await toEnd.click();
  await log.getByText("You said: again last").waitFor();
  await expect.poll(distance).toBeLessThan(5);

  await go("transcript?at=4");
  await log
    .locator("[data-target]")
    .getByText(/again first/)
    .first()
    .waitFor();
  expect(problems).toEqual([]);
  session.end();
  await session.done;
});

test("search finds text everywhere, also in folded rows, by keyboard and on a phone", async () => {
  const session = startSession(workplace(), script);
  session.say("many");
  const { page, problems, go, violations, overflow } = await openDashboard(session, { ...phone, colorScheme: "dark" });
  await go("transcript");
  const log = page.getByRole("log", { name: "Transcript" });
  await log.getByText("Much was run here.").waitFor();
  await log.focus();
  await page.keyboard.press("f");
  const status = page.locator(".transcript-search [role=status]");
  await page.keyboard.type("NEEDLE 7");
  // The match is in the input and in the folded output: one row.
  await status.getByText("1 of 1").waitFor();
  const current = log.locator("[data-target]");
  await current.locator("pre", { hasText: "needle 7" }).waitFor();
  const isSeen = () =>
    page.evaluate<boolean>(`(() => {
      const [range] = CSS.highlights.get("found-current") ?? [];
      const box = document.querySelector(".transcript-scroll").getBoundingClientRect();
      const at = range?.getBoundingClientRect();
      return at !== undefined && at.top >= box.top && at.bottom <= box.bottom;
    })()`);
  await expect.poll(isSeen).toBe(true);
  expect([await overflow(), await violations()]).toEqual([0, []]);

  const field = page.getByRole("searchbox", { name: "Find in this transcript" });
  await field.fill("needle 1");
  await status.getByText(/^\d+ of 11$/).waitFor();
  const index = async () => Number(await current.getAttribute("data-index"));
  const first = await index();
  await page.keyboard.press("Enter");
  await expect.poll(index).not.toBe(first);
  await expect.poll(isSeen).toBe(true);
  await page.keyboard.press("Shift+Enter");
  await expect.poll(index).toBe(first);
  // Across Markdown markup.
  await field.fill("was run here");
  await status.getByText("1 of 1").waitFor();
  await field.fill("nowhere to be found");
  await status.getByText("not found").waitFor();
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  await expect
    .poll(() => page.evaluate("[CSS.highlights.size, document.activeElement?.getAttribute('role')]"))
    .toEqual([0, "log"]);
  expect(problems).toEqual([]);
  session.end();
  await session.done;
});

test("user writes to the agent, interrupts it and closes the session from the page", async () => {
  const session = startSession(workplace(), script);
  const { page, problems, go, violations, overflow } = await openDashboard(session, { ...phone, colorScheme: "dark" });
  await go("transcript");
  const log = page.getByRole("log", { name: "Transcript" });
  const field = page.getByRole("textbox", { name: "Message to lead" });
  await field.waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("hello again");
  await page.keyboard.press("Enter");
  await log.getByText("You said: hello again").waitFor();
  await session.saw(/You said: hello again/);
  expect(await field.inputValue()).toBe("");

  await field.fill("hang");
  await page.getByRole("button", { name: "Send" }).click();
  await log.locator(".draft").waitFor();
  expect([await overflow(), await violations()]).toEqual([0, []]);
  await page.getByRole("button", { name: "Interrupt" }).click();
  await log.getByText("Interrupted").waitFor();

  await page.getByRole("button", { name: "End session" }).click();
  await page.getByRole("button", { name: "Really end the session?" }).click();
  await session.saw(/"type":"session.closed"/);
  session.end();
  await session.done;
  expect(problems.filter((problem) => !/ERR_|Failed to load/.test(problem))).toEqual([]);
});
