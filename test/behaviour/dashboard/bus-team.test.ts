import { expect, onTestFinished, test } from "vitest";
import { startNats } from "../../support/bus/nats-server.ts";
import { openAddress } from "../../support/dashboard/dashboard-page.ts";
import { isIn, teamWorkplace } from "../../support/cli/team-workplace.ts";
import { workplace } from "../../support/cli/workplace.ts";

const script = `
const agent = (name, prompt) => ({ tool: "Agent", input: { description: "works as " + name, prompt, name } });
export default (ask) => {
  const done = ask.results.length > 0;
  if (ask.agent === "lead") return ask.turn > 1 ? { text: "The team is there." } : { calls: [agent("ann", "write to bob"), agent("bob", "stay"), { tool: "TaskCreate", input: { subject: "Dig the hole", description: "", needs: ["Spade"] } }] };
  if (ask.agent.startsWith("ann") && !done) return { calls: [{ tool: "SendMessage", input: { to: "bob", message: "Have a look.", summary: "a look is wanted" } }] };
  return { text: "Ready." };
};`;

test("team on a bus is viewed read-only from another machine: members, tasks and mail", async () => {
  const server = await startNats();
  onTestFinished(() => server.close());
  const there = teamWorkplace(script, { teams: { backend: "in-process", shutdownMs: 1_000 } });
  const lead = there.lead({ more: ["--bus", server.url] });
  lead.send({ type: "prompt", content: "go" });
  await lead.until(isIn("ann", "idle"));

  const here = workplace();
  const web = here.start(["web", "--no-open", "--port", "0", "--json", "--bus", server.url]);
  const { url } = JSON.parse(await web.saw(/\n/)) as { url: string };
  const { page, problems, violations } = await openAddress(url);
  await page.getByRole("link", { name: /on another machine.*team alpha/ }).click();
  const node = (name: string) => page.locator(".team-node", { hasText: name });
  await node("lead").waitFor();
  await node("bob").waitFor();
  await node("ann").and(page.locator('[data-state="idle"]')).waitFor();
  expect(await violations()).toEqual([]);

  const tab = (name: string) => page.getByRole("navigation", { name: "Views" }).getByRole("link", { name });
  await tab("Tasks").click();
  await page.getByRole("article", { name: "#1 Dig the hole" }).waitFor();
  await page.getByText("This session runs on another machine:").waitFor();
  await tab("Mail").click();
  await page.getByRole("log", { name: "Messages" }).getByText("Have a look.").waitFor();
  expect(await page.getByRole("form", { name: "Write a message" }).count()).toBe(0);
  await tab("Worktrees").click();
  await page.getByText("cannot show the worktrees: the session runs on another machine. Look at them there.").waitFor();
  expect(problems.filter((problem) => !/Failed to load resource/.test(problem))).toEqual([]);
  lead.end();
  await lead.done;
});
