import { expect, test } from "vitest";
import { openAddress, serveDashboard } from "../../support/dashboard/dashboard-page.ts";
import { workplace } from "../../support/cli/workplace.ts";

const script = `export default (ask) =>
  ask.results.length > 0 ? { text: "done" } : { calls: [{ tool: "Bash", input: { command: "touch " + ask.said } }] };`;

/** Records notifications instead of showing them, and hides the page. */
const recorder = `
  globalThis.shown = [];
  globalThis.Notification = class extends EventTarget {
    static permission = "default";
    static async requestPermission() { return (this.permission = "granted"); }
    constructor(title, { body }) { super(); shown.push(body); }
  };
  globalThis.hide = () => Object.defineProperty(document, "visibilityState", { value: "hidden" });`;

test("a hidden page notifies of a new question, but only after the user has turned it on", async () => {
  const place = workplace();
  place.write("s.mjs", script);
  const lines = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const running = place.start(["-p", "--model", "scripted/s.mjs", ...lines]);
  const id = /"sessionId":"(ses_\w+)"/.exec(await running.saw(/"sessionId":"ses_\w+"/))?.[1] ?? "";
  const { url } = await serveDashboard(place);
  const { page } = await openAddress(url);
  await page.addInitScript(recorder);
  await page.goto(`${new URL(url).origin}/#/s/${id}/approvals`);
  await page.reload();
  await page.getByText("No open questions.").waitFor();
  const shown = () => page.evaluate<string[]>("shown");
  await page.evaluate("hide()");
  running.write(JSON.stringify({ type: "prompt", content: "one" }));
  await page.getByRole("article").getByText("touch one").waitFor();
  expect(await shown()).toEqual([]);
  await page.keyboard.press("j");
  await page.keyboard.press("n");
  await page.getByText("No open questions.").waitFor();

  await page.getByRole("button", { name: "Notify me of new questions" }).click();
  await page.getByRole("button", { name: "Notify me of new questions", pressed: true }).waitFor();
  running.write(JSON.stringify({ type: "prompt", content: "two" }));
  await page.getByRole("article").getByText("touch two").waitFor();
  await expect.poll(shown).toEqual(["lead asks for permission to use Bash"]);
  running.end();
  await running.done;
});
