import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectName } from "../../../src/platform/index.ts";
import type { AgentId, AgentPath, StoredEvent } from "../../../src/protocol/index.ts";
import { createFileSessionStore } from "../../../src/store/index.ts";
import { workplace } from "../../support/cli/workplace.ts";
import { createId, newSessionId, sampleEvents, storeOptions } from "../../support/store/sample-events.ts";

const costs = (model: string, costUsd: number, purpose: "answer" | "lost" = "answer"): StoredEvent => ({
  type: "cost.recorded",
  purpose,
  model,
  usage: { inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 8_000, cacheWriteTokens: 1_000 },
  costUsd,
});

/** A session with a lead and one agent and their costs, as the store writes it. */
async function sessionIn(place: ReturnType<typeof workplace>, paid: { lead: StoredEvent[]; agent?: StoredEvent[] }) {
  const store = createFileSessionStore({ ...storeOptions, home: join(place.home, ".troupe") });
  const sessionId = newSessionId();
  const opened = await store.create({ sessionId, cwd: place.cwd });
  for (const event of [...sampleEvents(sessionId, { cwd: place.cwd }), ...paid.lead])
    await opened.leadLog.record(event);
  if (paid.agent) {
    const log = await opened.agentLog(createId<AgentId>("agt"));
    const spawned = { path: "lead/explore" as AgentPath, agentType: "Explore", parent: opened.leadLog.agent };
    const start = { type: "agent.spawned", ...spawned, model: "m", permissionMode: "plan", cwd: place.cwd } as const;
    for (const event of [start, ...paid.agent]) await log.record(event);
  }
  await opened.close();
  return { sessionId, file: join(place.home, ".troupe/projects", projectName(place.cwd), `${sessionId}.jsonl`) };
}

const opus = "anthropic/claude-opus-4-5";

describe("troupe cost", () => {
  test("one session by agent and model, with lost attempts and the cached part", async () => {
    const place = workplace();
    const { sessionId } = await sessionIn(place, {
      lead: [costs(opus, 0.5), costs(opus, 0.25, "lost"), costs("scripted/a.json", 0)],
      agent: [costs(opus, 1), costs(opus, 1)],
    });
    const { code, stdout, stderr } = await place.run(["cost"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.replace(sessionId, "ses_…")).toMatchInlineSnapshot(`
      "ses_…

      agent         model                      requests  input  output  cache read  cache write  cached         lost     USD
      lead          anthropic/claude-opus-4-5         1   2000     400       16.0k         2000    80 %  1 ($0.2500)  0.7500
      lead          scripted/a.json                   1   1000     200        8000         1000    80 %            -  0.0000
      lead/explore  anthropic/claude-opus-4-5         2   2000     400       16.0k         2000    80 %            -  2.0000
      total                                           4   5000    1000       40.0k         5000    80 %  1 ($0.2500)  2.7500
      "
    `);
    expect((await place.run(["cost", sessionId])).stdout).toBe(stdout);
    expect(JSON.parse((await place.run(["cost", sessionId, "--json"])).stdout)).toMatchObject({
      sessionId,
      agents: [
        { agent: "lead", model: opus, requests: 1, lostAttempts: 1, lostUsd: 0.25, costUsd: 0.75, cachedShare: 0.8 },
        { agent: "lead", model: "scripted/a.json", costUsd: 0 },
        { agent: "lead/explore", agentType: "Explore", requests: 2, usage: { cacheReadTokens: 16_000 }, costUsd: 2 },
      ],
      total: { requests: 4, lostAttempts: 1, costUsd: 2.75 },
    });
  });

  test("sums several sessions; an unreadable one is named and makes it fail", async () => {
    const place = workplace();
    await sessionIn(place, { lead: [costs(opus, 0.5)] });
    await sessionIn(place, { lead: [costs("unheard/of", 0)], agent: [costs(opus, 1)] });
    const all = await place.run(["cost", "--all"]);
    expect(all.code).toBe(0);
    expect(all.stdout.replace(/ses_\w+ {2}[-\d]+ [:\d]+/g, "ses_… WHEN")).toMatchInlineSnapshot(`
      "session                                           requests  input  output  cache read  cache write  cached  lost     USD
      ses_… WHEN         2   2000     400       16.0k         2000    80 %     -  1.0000
      ses_… WHEN         1   1000     200        8000         1000    80 %     -  0.5000
      total                                                    3   3000     600       24.0k         3000    80 %     -  1.5000

      model                      requests  input  output  cache read  cache write  cached  lost     USD
      anthropic/claude-opus-4-5         2   2000     400       16.0k         2000    80 %     -  1.5000
      unheard/of                        1   1000     200        8000         1000    80 %     -  0.0000

      The price of unheard/of is unknown, so the totals do not include it. Set a price in the settings (models).
      "
    `);
    const damaged = await sessionIn(place, { lead: [costs(opus, 9), costs(opus, 9)] });
    appendFileSync(damaged.file, "\n{broken\n\n{}\n");
    const json = await place.run(["cost", "--days", "1", "--json"]);
    expect(json.code).toBe(1);
    expect(json.stderr).toContain(`${damaged.sessionId} is not counted`);
    expect(JSON.parse(json.stdout)).toMatchObject({
      sessions: [{ costUsd: 1 }, { costUsd: 0.5 }],
      models: [{ model: opus, requests: 2 }, { model: "unheard/of" }],
      total: { costUsd: 1.5, requests: 3 },
      problems: [{ sessionId: damaged.sessionId }],
    });
  });

  test("no sessions, and invalid arguments", async () => {
    const place = workplace();
    expect(await place.run(["cost"])).toMatchObject({ code: 0, stdout: expect.stringContaining("no sessions") });
    expect(await place.run(["cost", "--all"])).toMatchObject({ code: 0, stdout: "no model was called\n" });
    expect(await place.run(["cost", "ses_00000000"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("ses_"),
    });
    expect(await place.run(["cost", "ses_00000000", "--all"])).toMatchObject({ code: 2 });
    expect(await place.run(["cost", "--days", "0"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("argument '0' is invalid"),
    });
  });

  test("a resumed session continues from the cost of all its agents", async () => {
    const place = workplace();
    const { sessionId } = await sessionIn(place, { lead: [costs("scripted/a", 0)], agent: [costs("scripted/a", 0)] });
    const script = place.write("script.json", { version: 1, steps: [{ text: "hello" }] });
    const resume = (...limit: string[]) =>
      place.run([
        "-p",
        "go on",
        "--resume",
        sessionId,
        "--model",
        `scripted/${script}`,
        "--output-format",
        "json",
        ...limit,
      ]);
    const stopped = await resume("--max-tokens", "20400");
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      subtype: "error_max_budget",
      error: "the budget of 20400 tokens is used up (20400 used)",
      num_turns: 0,
    });
    expect(stopped.code).toBe(3);
    expect(JSON.parse((await resume("--max-tokens", "20401")).stdout)).toMatchObject({
      subtype: "success",
      num_turns: 1,
    });
  });
});
