import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { openAddress, openDashboard, phone } from "../../support/dashboard/dashboard-page.ts";
import { teamWorkplace } from "../../support/cli/team-workplace.ts";
import { workplace } from "../../support/cli/workplace.ts";

const script = `
export default (ask) => {
  const [last] = ask.results.slice(-1);
  if (last) return { text: "It came to: " + last.text };
  if (ask.said.includes("plain")) return { calls: [{ tool: "Bash", input: { command: "touch " + ask.said } }] };
  if (ask.said.includes("edit")) return { calls: [{ tool: "Write", input: { file_path: "new.txt", content: "one\\n" } }] };
  return { calls: [{ tool: "Bash", input: { command: "touch made\\u200B-here && echo \\u202Eok", description: "make it" } }] };
};`;

function startSession() {
  const place = workplace();
  place.write("s.mjs", script);
  const lines = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const running = place.start(["-p", "--model", "scripted/s.mjs", ...lines, "--web"]);
  return { ...running, place, say: (content: string) => running.write(JSON.stringify({ type: "prompt", content })) };
}

/** Presses until the answer counts: the page ignores a press that comes too soon after the question. */
async function answer(card: Locator, name: string): Promise<void> {
  const button = card.getByRole("button", { name });
  await button.waitFor();
  // Not `click`: it would wait for a button that disappears with its question.
  const press = () =>
    button.evaluateAll((all) => {
      const buttons = all as unknown as { readonly disabled: boolean; click(): void }[];
      const open = buttons.filter(({ disabled }) => !disabled);
      for (const each of open) each.click();
      return open.length;
    });
  await expect.poll(press).toBe(0);
}

test("question shows hidden characters, is announced and counted; the agent reads the denial", async () => {
  const session = startSession();
  const { page, problems, go, violations } = await openDashboard(session);
  await go("approvals");
  await page.getByText("No open questions.").waitFor();
  session.say("go");
  const card = page.getByRole("article");
  await card.getByRole("heading", { name: "lead wants to run a command" }).waitFor();
  const command = card.getByRole("group", { name: "Command" });
  expect(await command.innerText()).toContain("touch made[U+200B]-here && echo [U+202E]ok");
  await card.getByText("This contains invisible characters. They are marked.").waitFor();
  await card.getByText("make it").waitFor();
  expect(await page.getByTestId("new-approvals").innerText()).toBe("lead asks for permission to use Bash");
  await expect.poll(() => page.title()).toMatch(/^\(1\) /);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Approvals 1" }).waitFor();
  expect(await violations()).toEqual([]);

  await card.getByRole("textbox", { name: "What to do instead" }).fill("use the other folder");
  await answer(card, "Deny with comment");
  await session.saw(/It came to: [^"]*use the other folder/);
  await page.getByText("No open questions.").waitFor();
  expect(existsSync(join(session.place.cwd, "made\u200B-here"))).toBe(false);
  await expect.poll(() => page.title()).not.toMatch(/^\(/);
  expect(problems).toEqual([]);
  session.end();
  await session.done;
});

test("allow once, allow for the session, and the first answer of two browsers counts", async () => {
  const session = startSession();
  const first = await openDashboard(session, phone);
  const second = await openDashboard(session);
  await first.go("approvals");
  await second.go("approvals");
  session.say("please edit");
  const card = first.page.getByRole("article");
  await card.getByRole("heading", { name: "lead wants to write a file" }).waitFor();
  await second.page.getByRole("article").waitFor();
  await card.locator('.diff-row[data-kind="added"]', { hasText: "one" }).waitFor();
  expect([await first.overflow(), await first.violations()]).toEqual([0, []]);
  await answer(card, "Yes, this once");
  await session.saw(/"type":"agent.idle"/);
  expect(readFileSync(join(session.place.cwd, "new.txt"), "utf8")).toBe("one\n");
  await first.page.getByText("No open questions.").waitFor();
  await second.page.getByText("No open questions.").waitFor();

  session.say("plain-one");
  await card
    .getByRole("list", { name: "Allowed without asking from then on" })
    .first()
    .getByText("Bash(touch")
    .waitFor();
  // One press of a lasting answer only asks.
  await card.getByRole("button", { name: "Yes, and always in this folder" }).click();
  await card.getByRole("button", { name: "Press again to allow this from now on" }).waitFor();
  await answer(card, "Yes, and in this session without asking");
  await session.saw(/"command":"touch plain-one"[\s\S]*"agent.idle"/);
  session.say("plain-two");
  await session.saw(/"command":"touch plain-two"[\s\S]*"agent.idle"/);
  expect(existsSync(join(session.place.cwd, "plain-two"))).toBe(true);
  expect([...first.problems, ...second.problems]).toEqual([]);
  session.end();
  await session.done;
});

test("member's question is answered in its lead's session and has the member's colour", async () => {
  const place = teamWorkplace(
    `export default (ask) => {
      if (ask.agent === "lead") return ask.turn > 1 ? { text: "Started." } : { calls: [{ tool: "Agent", input: { description: "works", prompt: "touch it", name: "ann" } }] };
      return ask.results.length > 0 ? { text: "Result: " + ask.results[0].text } : { calls: [{ tool: "Bash", input: { command: "touch by-ann" } }] };
    };`,
    { teams: { backend: "in-process" } },
  );
  const lead = place.lead({ mode: "default", more: ["--web"] });
  lead.send({ type: "prompt", content: "go" });
  const { page, problems, go } = await openDashboard(lead);
  await go("approvals");
  const card = page.getByRole("article");
  await card.getByRole("heading", { name: "ann wants to run a command" }).waitFor();
  expect(await card.getAttribute("data-color")).toMatch(/^[a-z]+$/);
  await card.getByText("team alpha").waitFor();
  await answer(card, "Yes, this once");
  await lead.until((event) => event.type === "tool.settled" && event.outcome === "ok");
  await expect.poll(() => existsSync(join(place.cwd, "by-ann"))).toBe(true);
  await page.getByText("No open questions.").waitFor();
  expect(problems).toEqual([]);
  lead.end();
  await lead.done;
});

test("question of a process that has ended is not offered", async () => {
  const session = startSession();
  session.say("go");
  await session.saw(/"permission.asked"/);
  const { stdout } = await Promise.race([session.done, session.saw(/"sessionId":"/).then((stdout) => ({ stdout }))]);
  const id = /"sessionId":"(ses_\w+)"/.exec(stdout)?.[1] ?? "";
  session.child.kill("SIGKILL");
  await session.done;
  const web = session.place.start(["web", "--no-open", "--port", "0", "--json"]);
  const url = /http:[^"\s]+/.exec(await web.saw(/http:\S+/))?.[0] ?? "";
  const { page } = await openAddress(url);
  await page.goto(`${new URL(url).origin}/#/s/${id}/approvals`);
  await page.getByText("No open questions.").waitFor();
  await page.locator(".badge", { hasText: "closed" }).waitFor();
});
