import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { launchChromium } from "../../support/dashboard/launch-chromium.ts";
import { isIn, teamWorkplace } from "../../support/cli/team-workplace.ts";

const script = `
export default (ask) => {
  if (ask.agent !== "lead") return { text: "I am <b>here</b>." };
  if (ask.turn === 1) return { calls: [{ tool: "Agent", input: { description: "works", prompt: "be there", name: "ann" } }] };
  return { text: "Look: </script><script>alert(1)</script> [here](javascript:alert(2)) <img src=x onerror=alert(3)>" };
};`;

test("exported session with its team opens without a server, replays, and cannot act", async () => {
  const place = teamWorkplace(script, { teams: { backend: "in-process" } });
  const lead = place.lead();
  lead.send({ type: "prompt", content: "go <!-- </script>" });
  await lead.until(isIn("ann", "idle"));
  const id = await lead.session();
  lead.end();
  await lead.done;
  const file = join(place.home, "session.html");
  expect(await place.run(["sessions", "export", id, "--html", "-o", file])).toMatchObject({ code: 0, stderr: "" });
  // Only the page itself closes the script element, nothing inside the data does.
  const html = readFileSync(file, "utf8");
  expect(html.match(/<\/script/gi)).toHaveLength(2);

  const browser = await launchChromium();
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("dialog", (dialog) => problems.push(`a dialog: ${dialog.message()}`));
  page.on("request", (request) => request.url().startsWith("file:") || problems.push(`asked for ${request.url()}`));
  await page.goto(pathToFileURL(file).href);
  // It begins with a page for a reader who was not there: times are dates, and nothing asks for a command.
  await page.getByRole("heading", { name: "go <!-- </script>" }).waitFor();
  await page.getByRole("region", { name: "Result" }).getByText("Look: </script>").first().waitFor();
  const words = await page.locator("body").innerText();
  expect(words).toMatch(/\d+ \w+ 20\d\d, \d\d:\d\d/);
  expect(words).not.toMatch(/troupe --resume| ago\b|just now|Approvals/);
  const agents = page.getByRole("complementary", { name: "Agents" }).getByRole("listitem");
  await expect.poll(() => agents.count()).toBe(2);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Transcript" }).click();
  const log = page.getByRole("log", { name: "Transcript" });
  await log.getByText("Look: </script>").first().waitFor();
  await log.getByText("go <!-- </script>").first().waitFor();

  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Replay" }).click();
  const slider = page.getByRole("slider", { name: "Moment" });
  await slider.waitFor();
  await slider.focus();
  await page.keyboard.press("Home");
  await expect.poll(() => agents.count()).toBe(1);
  expect(problems).toEqual([]);

  expect(await place.run(["sessions", "export", "ses_none", "--html"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("ses_none"),
  });
});
