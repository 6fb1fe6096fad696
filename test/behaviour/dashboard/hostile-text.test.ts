import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeLine, createIdFactory, projectName, systemClock } from "../../../src/platform/index.ts";
import type { AgentId, SessionId, StoredEvent } from "../../../src/protocol/index.ts";
import { launchChromium } from "../../support/dashboard/launch-chromium.ts";
import { hostileTexts, vectors } from "../../support/security/hostile-texts.ts";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";

const createId = createIdFactory(systemClock);

/** A stored session in which every text that an agent, a tool or a member can choose is hostile. */
function writeSession(place: Workplace): SessionId {
  const session = createId<SessionId>("ses");
  const agent = createId<AgentId>("agt");
  const lines: string[] = [];
  let taken = 0;
  const text = () => hostileTexts[taken++ % hostileTexts.length] ?? "";
  const put = (event: StoredEvent) => {
    const seq = lines.length + 1;
    const at = new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString();
    lines.push(encodeLine({ v: 1, id: createId("evt"), session, agent, seq, at, event }));
  };
  const model = "<img src=x onerror=owned()>";
  put({ type: "session.opened", sessionId: session, version: "0.1.0", cwd: place.cwd, resumed: false });
  put({
    type: "agent.spawned",
    path: "lead" as never,
    agentType: model,
    model,
    permissionMode: "default",
    cwd: place.cwd,
  });
  for (let turn = 1; taken < hostileTexts.length * 2; turn++) {
    const [promptId, callId] = [createId<never>("prm"), `call_${turn}` as never];
    put({ type: "prompt.admitted", promptId, source: "user", parts: [{ type: "text", text: text() }] });
    put({ type: "prompt.promoted", promptId });
    put({ type: "turn.started", turn, model });
    const input = { [text()]: text(), command: text() };
    const call = { type: "tool_call", callId, name: text().slice(0, 60), input } as const;
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    put({ type: "cost.recorded", purpose: "answer", model, usage, costUsd: 0.01 });
    const parts = [{ type: "text" as const, text: text() }, call];
    put({ type: "turn.ended", turn, parts, stopReason: "tool_use", contextTokens: 1, durationMs: 1 });
    put({ type: "tool.called", turn, callId, name: call.name, input, title: text() });
    put({ type: "tool.settled", callId, durationMs: 1, outcome: "ok", content: [{ type: "text", text: text() }] });
    put({ type: "notice.raised", level: "warning", code: "x", message: text() });
    const mail = { team: "t<b>", mailId: createId<never>("mail"), kind: "text", summary: text() };
    put({ type: "mail.sent", ...mail, to: text().slice(0, 40) });
    put({ type: "mail.received", ...mail, from: text().slice(0, 40) });
  }
  put({ type: "agent.idle", reason: "completed" });
  const folder = join(place.home, ".troupe", "projects", projectName(place.cwd));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, `${session}.jsonl`), lines.join(""), { mode: 0o600 });
  return session;
}

test("250 hostile texts in every place: nothing runs, nothing is fetched, no policy violation", async () => {
  expect(hostileTexts.length).toBeGreaterThanOrEqual(200);
  const place = workplace();
  const session = writeSession(place);
  const web = place.start(["web", "--no-open", "--json", "--port", "0"]);
  const { url } = JSON.parse(await web.saw(/\n/)) as { url: string };
  const { origin } = new URL(url);
  const context = await (await launchChromium()).newContext({ viewport: { width: 1280, height: 1600 } });
  const page = await context.newPage();
  const wrong: string[] = [];
  await page.exposeFunction("owned", () => void wrong.push("a script ran"));
  await page.exposeFunction("refused", (what: string) => void wrong.push(`the policy refused ${what}`));
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => refused(violatedDirective + " " + blockedURI))`,
  );
  page.on("dialog", (dialog) => void wrong.push(`a dialog: ${dialog.message()}`));
  page.on("pageerror", (error) => void wrong.push(`an error: ${error.message}`));
  page.on("popup", () => void wrong.push("a window"));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) wrong.push(`fetched ${request.url()}`);
  });

  await page.goto(url);
  await page.getByRole("link").first().waitFor();
  for (const view of ["team", "timeline", "tasks", "mail", "approvals", "cost", "worktrees", "replay", "transcript"]) {
    await page.goto(`${origin}/#/s/${session}/${view}`);
    await page.getByRole("heading").first().waitFor();
    await frames(3);
  }
  // Scrolls from the end to the beginning, so that each text was on the screen once.
  const log = page.getByRole("log", { name: "Transcript" });
  await log.waitFor();
  await log.getByText("owned").first().waitFor();
  const shown = new Set<string>();
  for (let last = -1; ; ) {
    const text = (await log.allInnerTexts()).join("\n");
    for (const vector of vectors) if (text.includes(vector)) shown.add(vector);
    const { before, after } = await log.evaluate((element) => {
      const it = element as unknown as { scrollTop: number; clientHeight: number };
      const before = it.scrollTop;
      it.scrollTop -= it.clientHeight * 0.9;
      return { before, after: it.scrollTop };
    });
    await frames(2);
    if (before === 0 && after === 0 && last === 0) break;
    last = after;
  }
  expect(shown.size).toBeGreaterThan(vectors.length * 0.8);
  expect(
    await page.locator("main img, main iframe, main object, main embed, main svg script, main style").count(),
  ).toBe(0);
  expect(await page.locator('a[href^="javascript" i], a[href^="data" i]').count()).toBe(0);
  expect(wrong).toEqual([]);
  web.child.kill("SIGINT");
  expect((await web.done).code).toBe(0);

  async function frames(count: number): Promise<void> {
    for (let n = 0; n < count; n++) await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
  }
});
