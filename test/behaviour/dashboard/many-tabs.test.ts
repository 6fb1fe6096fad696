import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAddress, serveDashboard } from "../../support/dashboard/dashboard-page.ts";
import { workplace } from "../../support/cli/workplace.ts";

const script = `export default (ask) =>
  ask.results.length > 0
    ? { text: "It is there." }
    : { calls: [{ tool: "Bash", input: { command: "touch made" } }] };`;

test("ten tabs of one browser work: the last one shows the question and answers it", async () => {
  const place = workplace();
  place.write("s.mjs", script);
  const lines = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const running = place.start(["-p", "--model", "scripted/s.mjs", ...lines]);
  running.write(JSON.stringify({ type: "prompt", content: "make it" }));
  const id = /"sessionId":"(ses_\w+)"/.exec(await running.saw(/permission\.asked/))?.[1] ?? "";
  const { url } = await serveDashboard(place);
  const { page: first, problems } = await openAddress(url);
  const approvals = `${new URL(url).origin}/#/s/${id}/approvals`;
  await first.goto(approvals);
  const pages = [first];
  while (pages.length < 10) {
    const page = await first.context().newPage();
    await page.goto(approvals);
    await page.getByRole("article").getByText("touch made").waitFor();
    pages.push(page);
  }
  const last = pages.at(-1) ?? first;
  const yes = last.getByRole("article").getByRole("button", { name: "Yes, this once", exact: true });
  // The page ignores a press that comes too soon after the question, so press again.
  await expect
    .poll(() => yes.evaluateAll((all) => all.map((each) => (each as unknown as { click(): void }).click()).length))
    .toBe(0);
  for (const page of pages) await page.getByText("No open questions.").waitFor();
  expect(existsSync(join(place.cwd, "made"))).toBe(true);

  // A closed tab is followed no longer; the others go on.
  for (const page of pages.splice(0, 9)) await page.close();
  running.write(JSON.stringify({ type: "prompt", content: "make it again" }));
  await last.getByRole("article").getByText("touch made").waitFor();
  expect(problems).toEqual([]);
  running.end();
  await running.done;
});
