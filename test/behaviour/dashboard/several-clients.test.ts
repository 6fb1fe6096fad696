import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { projectName } from "../../../src/platform/index.ts";
import type { StoredEnvelope } from "../../../src/protocol/index.ts";
import { closedPortUrl } from "../../../src/testing.ts";
import { launchChromium } from "../../support/dashboard/launch-chromium.ts";
import { openAddress, phone, serveDashboard } from "../../support/dashboard/dashboard-page.ts";
import { openTerminal } from "../../support/terminal/open-terminal.ts";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";

const steps = 40;
const script = `
let counted = 0;
export default (ask) => {
  if (ask.said.includes("count")) {
    if (counted === ${steps}) return { text: "All is counted." };
    return { text: "step " + ++counted + " of it", calls: [{ tool: "Glob", input: { pattern: "*." + counted } }], delayMs: 60, chunk: 4 };
  }
  if (ask.results.length > 0) return { text: "It is there: " + ask.said };
  if (ask.said.startsWith("make")) return { calls: [{ tool: "Bash", input: { command: "touch " + ask.said.slice(5) } }] };
  return { text: "You said: " + ask.said };
};`;

test("two browsers and a terminal agree on answers; a server killed twice leaves no gap or repeat", async () => {
  const place = workplace();
  place.write("s.mjs", script);
  const terminal = openTerminal(place, ["--model", "scripted/s.mjs"], { columns: 100, rows: 40 });
  const { see, lose, type, press } = terminal;
  await see(/❯ Describe a task/);
  const { port } = new URL(await closedPortUrl());
  let { web, url } = await serveDashboard(place, port);
  const browser = await launchChromium();
  const tall = { viewport: { width: 1000, height: 9_000 } };
  const pages = [await openAddress(url, tall, browser), await openAddress(url, phone, browser)] as const;
  const [first, second] = pages.map(({ page }) => page) as [Page, Page];
  for (const page of [first, second]) {
    await page.getByRole("link", { name: /project/ }).click();
    await page.getByRole("heading", { name: "transcript" }).waitFor();
  }
  const session = /ses_\w+/.exec(first.url())?.[0] ?? "";
  const open = (page: Page, view: string) => page.goto(new URL(`/#/s/${session}/${view}`, url).href);
  const nobody = (page: Page) => page.getByText("No open questions.").waitFor();
  const isMade = (name: string) => existsSync(join(place.cwd, name));

  // The terminal sends the prompt, a browser answers the question.
  for (const page of [first, second]) await open(page, "approvals");
  type("make by-page");
  press("Enter");
  await see("Esc to deny");
  await second.getByRole("article").getByText("touch by-page").waitFor();
  const yes = first.getByRole("article").getByRole("button", { name: "Yes, this once", exact: true });
  await yes.waitFor();
  // The page ignores a press that comes too soon after the question, so press again.
  await expect
    .poll(() => yes.evaluateAll((all) => all.map((each) => (each as unknown as { click(): void }).click()).length))
    .toBe(0);
  await nobody(second);
  await lose("Esc to deny");
  await see("It is there: make by-page");
  expect(isMade("by-page")).toBe(true);

  // A browser sends the prompt, the terminal answers the question.
  await open(second, "transcript");
  await second.getByRole("textbox", { name: "Message to lead" }).fill("make by-terminal");
  await second.getByRole("button", { name: "Send" }).click();
  await first.getByRole("article").getByText("touch by-terminal").waitFor();
  await see("Esc to deny");
  press("Enter");
  await nobody(first);
  await second.getByRole("log").getByText("It is there: make by-terminal").waitFor();
  await see("It is there: make by-terminal");
  expect(isMade("by-terminal")).toBe(true);

  // The server dies twice while the agent works.
  await open(first, "transcript");
  const log = first.getByRole("log", { name: "Transcript" });
  type("count");
  press("Enter");
  for (const step of ["step 5 of it", "step 20 of it"]) {
    await log.getByText(step).waitFor();
    web.child.kill("SIGKILL");
    await web.done;
    ({ web, url } = await serveDashboard(place, port));
  }
  await log.getByText("All is counted.").waitFor();
  await second.getByRole("log").getByText("All is counted.").waitFor();
  await see("All is counted.");
  const logged = inLog(place, session);
  expect(logged).toHaveLength(2 * 3 + 1 + 2 * steps + 1);
  await expect.poll(() => inPage(first)).toEqual(logged);
  const written = terminal.scrollback();
  for (const words of logged.filter((line) => /^(User|said)/.test(line)))
    expect(written).toContain(words.replace(/^\w+ /, ""));
  expect(pages.flatMap(({ problems }) => problems).filter((problem) => !/ERR_|Failed to load/.test(problem))).toEqual(
    [],
  );
});

/** Texts and calls in the order of the log. */
function inLog(place: Workplace, session: string): string[] {
  const file = join(place.home, ".troupe", "projects", projectName(place.cwd), `${session}.jsonl`);
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.flatMap((line): string[] => {
    const { event } = JSON.parse(line) as StoredEnvelope;
    if (event.type === "prompt.admitted")
      return event.parts.flatMap((part) => (part.type === "text" ? [`User ${part.text}`] : []));
    if (event.type !== "turn.ended") return [];
    return event.parts.flatMap((part) => {
      if (part.type === "text") return [`said ${part.text}`];
      return part.type === "tool_call" ? [`call ${part.name}`] : [];
    });
  });
}

/** The same, as the page shows it. */
async function inPage(page: Page): Promise<string[]> {
  const rows = page.locator(".transcript-row");
  const found = await rows.evaluateAll((all) =>
    (all as unknown as Row[]).map((row) => ({
      index: Number(row.dataset["index"]),
      user: row.querySelector(".prompt-words")?.innerText,
      said: row.querySelector(".said .md")?.innerText,
      call: row.querySelector(".call-name")?.innerText,
    })),
  );
  return found
    .sort((a, b) => a.index - b.index)
    .flatMap(({ user, said, call }) => {
      if (user !== undefined) return [`User ${user}`];
      return said === undefined ? (call === undefined ? [] : [`call ${call}`]) : [`said ${said.trim()}`];
    });
}

interface Row {
  readonly dataset: Readonly<Record<string, string>>;
  querySelector(selector: string): { readonly innerText: string } | null;
}
