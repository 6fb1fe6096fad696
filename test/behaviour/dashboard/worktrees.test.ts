import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openAddress, openDashboard, phone } from "../../support/dashboard/dashboard-page.ts";
import { teamWorkplace, type TeamWorkplace } from "../../support/cli/team-workplace.ts";

/** Two agents change the same line, each in its own worktree. */
const script = `
const agent = (name) => ({ tool: "Agent", input: { description: "works as " + name, prompt: "work", name, isolation: "worktree" } });
const git = "git -c user.name=t -c user.email=t@example.invalid";
export default (ask) => {
  if (ask.agent === "lead") return ask.turn > 1 ? { text: "Under way." } : { calls: [agent("ann"), agent("bob")] };
  const name = ask.agent.split("@")[0];
  if (ask.said.includes("tidy") && ask.results.length === 0) return { calls: [{ tool: "Bash", input: { command: "rm left.txt" } }] };
  if (ask.results.length === 0) return { calls: [{ tool: "Bash", input: { command: "echo " + name + " > a.txt; echo new > 'of <b>" + name + ".txt'; git add -A; " + git + " commit -qm " + name + "; echo more > left.txt" } }] };
  return { text: "Done." };
};`;

function git(place: TeamWorkplace, ...args: readonly string[]): string {
  const names = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
  return execFileSync("git", [...names, ...args], { cwd: place.cwd, encoding: "utf8" }).trim();
}

function startTeam() {
  const place = teamWorkplace(script, { teams: { backend: "in-process", shutdownMs: 1_000 } });
  git(place, "init", "-q", "-b", "main");
  place.write("a.txt", "one\n");
  git(place, "add", "a.txt");
  git(place, "commit", "-qm", "first");
  const lead = place.lead({ more: ["--web"] });
  lead.send({ type: "prompt", content: "go" });
  return { place, lead };
}

test("worktrees view updates live, shows diffs, lands branches and reports conflicts", async () => {
  const { place, lead } = startTeam();
  const { page, problems, go, violations } = await openDashboard(lead);
  await go("worktrees");
  const card = (name: string) => page.getByRole("article").filter({ has: page.getByRole("link", { name }) });
  await card("ann").getByText("1 commit").waitFor();
  await card("bob").getByText("1 commit").waitFor();
  const files = card("ann").getByRole("table");
  await files.getByRole("row", { name: "a.txt +1 −1" }).waitFor();
  await files.getByRole("row", { name: "of <b>ann.txt +1 −0" }).waitFor();
  await files.getByRole("row", { name: "left.txt +1 −0" }).waitFor();
  expect(await card("ann").getAttribute("data-color")).toMatch(/^[a-z]+$/);
  await card("ann").getByRole("button", { name: "Show the diff" }).click();
  const diff = card("ann").getByRole("group", { name: "Changes in a.txt" });
  await diff.locator('[data-kind="removed"]', { hasText: "one" }).waitFor();
  await diff.locator('[data-kind="added"]', { hasText: "ann" }).waitFor();
  expect(await violations()).toEqual([]);

  // Ann commits or removes all that she has: hers is ready, bob's is not.
  await card("bob").getByText("dirty", { exact: true }).waitFor();
  lead.send({ type: "mail.send", to: "ann", text: "tidy up" });
  await card("ann").getByText("ready", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Land all that is ready (1)" }).dblclick();
  await page.getByRole("button", { name: "Really land 1 branch?" }).click();
  await page.getByRole("region", { name: /Landed on main: 1 branch/ }).waitFor();
  await card("ann").getByText("landed", { exact: true }).waitFor();
  await card("bob").getByText("conflict", { exact: true }).waitFor();
  await card("bob").getByRole("checkbox").check();
  await page.getByRole("button", { name: "Land 1 branch" }).click();
  await page.getByRole("button", { name: "Really land on the current branch?" }).click();
  const report = page.getByRole("region", { name: /Nothing was landed on main/ });
  await report.getByText("conflict in a.txt").waitFor();
  await report.getByText("No check is configured:").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement?.className")).toBe("landing");
  expect(git(place, "log", "--format=%s", "main")).toBe("ann\nfirst");
  expect(await violations()).toEqual([]);
  await report.getByRole("button", { name: "Close" }).click();
  await report.waitFor({ state: "detached" });
  expect(problems).toEqual([]);
  lead.end();
  await lead.done;
});

test("worktrees on a phone, in a replay and in an exported file", async () => {
  const { place, lead } = startTeam();
  const { page, problems, go, violations, overflow } = await openDashboard(lead, { ...phone, colorScheme: "dark" });
  await go("worktrees");
  const card = (name: string) => page.getByRole("article").filter({ has: page.getByRole("link", { name }) });
  await card("ann").getByRole("rowheader", { name: "left.txt" }).waitFor();
  await card("bob").getByRole("rowheader", { name: "left.txt" }).waitFor();
  await card("ann").getByRole("button", { name: "Show the diff" }).click();
  await card("ann").getByRole("group", { name: "Changes in a.txt" }).waitFor();
  expect([await overflow(), await violations()]).toEqual([0, []]);

  await go("replay");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Worktrees" }).click();
  await card("ann").waitFor();
  await page.getByText("past states are not stored.").waitFor();
  expect(await page.getByRole("checkbox", { name: /^Land/ }).count()).toBe(0);
  await page.getByRole("slider", { name: "Moment" }).focus();
  await page.keyboard.press("Home");
  await card("ann").waitFor({ state: "detached" });
  expect([await overflow(), await violations()]).toEqual([0, []]);
  expect(problems).toEqual([]);

  const id = await lead.session();
  const file = join(place.home, "session.html");
  expect(await place.run(["sessions", "export", id, "--html", "-o", file])).toMatchObject({ code: 0 });
  const shared = await openAddress(`${pathToFileURL(file).href}#/s/${id}/worktrees`);
  const kept = shared.page.getByRole("article").filter({ has: shared.page.getByRole("link", { name: "ann" }) });
  await kept.getByRole("button", { name: "Show the diff" }).click();
  await kept.getByRole("group", { name: "Changes in a.txt" }).getByText("ann").first().waitFor();
  expect(shared.problems).toEqual([]);
});
