import { describe, expect, test } from "vitest";
import { createLedger } from "../../../src/agent/index.ts";
import { createAskSideQuestion } from "../../../src/agent/ask-side-question.ts";
import type { CallId, PromptId, StoredEvent } from "../../../src/protocol/index.ts";
import { createActivityLog } from "../../../src/team/subagents/activity-log.ts";
import { summarizeProgress, progressEveryMs } from "../../../src/team/subagents/summarize-activity.ts";
import { systemHost } from "../../../src/session/session-host.ts";
import { itemsOf } from "../../../src/view/index.ts";
import { type Answer, type Clock, createScriptedModel, createTestClock, systemClock } from "../../../src/testing.ts";
import { agent, gate, lead, resultOf, teamSession } from "../../support/team/team-session.ts";

const did = (title: string): StoredEvent => ({
  type: "tool.called",
  turn: 1,
  callId: title as CallId,
  name: "Bash",
  input: {},
  title,
});

/** The questions asked about a scripted agent, with a real request to a scripted model. */
function watched(answers: readonly (Answer | "broken")[], { maxBudgetUsd }: { maxBudgetUsd?: number } = {}) {
  const clock = createTestClock();
  const doings = createActivityLog();
  const recorded: StoredEvent[] = [];
  let next = 0;
  const model = createScriptedModel(
    () => {
      const answer = answers[next++] ?? "broken";
      return answer === "broken" ? { fault: { kind: "server", message: "down", times: "turn" } } : answer;
    },
    { clock: systemClock },
  );
  const record = async (event: StoredEvent) => {
    recorded.push(event);
    doings.observe(event);
  };
  const ledger = createLedger({ maxBudgetUsd });
  const ask = createAskSideQuestion({
    client: async () => model,
    agent: { path: "lead/scout", type: "general-purpose" },
    turn: () => 1,
    record,
    ledger,
    costOf: (_ref, usage) => usage.outputTokens,
  });
  const over = new AbortController();
  const watching = summarizeProgress({ activity: doings, ask, record, clock }, over.signal);
  return {
    doings,
    recorded,
    model,
    ledger,
    async later() {
      await clock.advance(progressEveryMs);
      // The small model has answered when there is a sleep again, or no more questions.
      for (let round = 0; round < 200 && clock.sleeping === 0; round++) await new Promise((done) => setImmediate(done));
    },
    async end() {
      over.abort();
      await watching;
    },
    ended: watching,
  };
}

describe("activity line by a small model", () => {
  test("one in 30 s, none while nothing has happened; the agent pays", async () => {
    const run = watched([{ text: "Runs the tests\n" }, { text: "Fixes the parser" }]);
    run.doings.observe({
      type: "prompt.admitted",
      promptId: "p" as PromptId,
      source: "agent",
      parts: [text("fix it")],
    });
    run.doings.observe({ type: "prompt.promoted", promptId: "p" as PromptId });
    await run.later();
    expect(run.model.calls).toHaveLength(0);
    run.doings.observe(did("$ npm test"));
    await run.later();
    await run.later();
    await run.later();
    expect(run.model.calls).toHaveLength(1);
    run.doings.observe(did("Edit parser.ts"));
    await run.later();
    await run.end();
    expect(run.recorded.map((event) => (event.type === "agent.summarized" ? event.text : event.type))).toEqual([
      "cost.recorded",
      "Runs the tests",
      "cost.recorded",
      "Fixes the parser",
    ]);
    expect(run.recorded[0]).toMatchObject({ purpose: "summary" });
    expect(run.ledger.spent.usd).toBeGreaterThan(0);
    const [first, second] = run.model.calls;
    expect(first?.ask).toMatchObject({ agent: "lead/scout", purpose: "summary" });
    expect(first?.ask.said).toMatch(/Its task:\nfix it[\s\S]*called: \$ npm test$/);
    expect(first?.ask.request.tools).toEqual([]);
    expect(second?.ask.said).toMatch(/Your previous line: Runs the tests/);
  });

  test("a model that fails three times is not asked again, nor is one without a budget", async () => {
    for (const run of [watched([]), watched([{ text: "" }, { text: " " }, { text: "" }])]) {
      for (let turn = 0; turn < 5; turn++) {
        run.doings.observe(did(`call ${turn}`));
        await run.later();
      }
      await run.ended;
      expect(run.model.calls).toHaveLength(3);
      expect(run.recorded.filter(({ type }) => type === "agent.summarized")).toEqual([]);
    }
    const poor = watched([{ text: "never" }], { maxBudgetUsd: 0 });
    poor.doings.observe(did("x"));
    await poor.later();
    await poor.end();
    expect(poor.model.calls).toHaveLength(0);
  });
});

const withSmall = (subagents: object = {}) => ({ smallModel: "scripted/script", subagents });
const bash = (command: string) => ({ tool: "Bash", input: { command } });
const taskIn = (said: string) => /task id: (bg_\w+)/.exec(said)?.[1] ?? "";

describe("in a session", () => {
  const inBackground = async (settings: object) => {
    const tick = gate();
    const over = gate();
    let slept = 0;
    const clock: Clock = {
      ...systemClock,
      sleep(ms, signal) {
        if (ms !== progressEveryMs) return systemClock.sleep(ms, signal);
        slept += 1;
        return slept === 1 ? tick.opened : systemClock.sleep(ms, signal);
      },
    };
    const team = await teamSession({
      settings,
      more: { host: { ...systemHost(), clock } },
      answer: lead(
        [
          { calls: [agent("count them", { name: "scout", run_in_background: true })] },
          async (ask) => {
            await team.childTurn(2);
            tick.open();
            if (slept > 0) await team.until((event) => event.type === "agent.summarized");
            return {
              calls: [{ tool: "TaskOutput", input: { task_id: taskIn(ask.result?.text ?? ""), block: false } }],
            };
          },
          () => {
            over.open();
            return { text: "over" };
          },
          { text: "heard" },
        ],
        async (ask) => {
          if (ask.purpose === "summary") return { text: "Counts the files" };
          if (ask.turn === 1) return { text: "at it", calls: [bash("ls")] };
          await over.opened;
          return { text: "twelve" };
        },
      ),
    });
    await team.session.ask("go");
    await team.quiet();
    return { team, asked: slept };
  };

  test("the line is in the agent's log, the view, TaskOutput and its cost", async () => {
    const { team } = await inBackground(withSmall());
    expect(team.all("agent.summarized", "lead/scout")).toMatchObject([{ scope: "progress", text: "Counts the files" }]);
    expect(resultOf(team, 1, 2).text).toMatch(/1 turn, 1 tool call, \d+ tokens so far; summary: Counts the files/);
    const view = [...itemsOf(team.session.view().agents)].find(({ path }) => path === "lead/scout");
    expect(view?.progress?.text).toBe("Counts the files");
    expect(team.all("cost.recorded", "lead/scout").map(({ purpose }) => purpose)).toEqual([
      "answer",
      "summary",
      "answer",
    ]);
    // Questions about the agent are not in its conversation.
    const answers = team.asked("lead/scout").filter(({ purpose }) => purpose === "answer");
    expect(answers.at(-1)?.request.messages).toHaveLength(3);
  });

  test("never without a small model, nor when disabled", async () => {
    for (const settings of [{}, withSmall({ progressSummaries: false })]) {
      const { team, asked } = await inBackground(settings);
      expect(asked).toBe(0);
      expect(team.all("agent.summarized")).toEqual([]);
    }
    const { team } = await inBackground({ subagents: { progressSummaries: true } });
    expect(team.all("notice.raised").map(({ message }) => message)).toContainEqual(
      expect.stringMatching(
        /subagents\.progressSummaries: no small model is known for scripted\/script\. Set smallModel in the settings\./,
      ),
    );
  });

  const long = async (settings: object, turns: number) => {
    const team = await teamSession({
      settings,
      answer: lead([{ calls: [agent("count slowly", { name: "scout" })] }, { text: "over" }], (ask) => {
        if (ask.purpose === "summary") return { text: "It was asked to count, and counted." };
        return ask.turn < turns ? { text: `at ${ask.turn}`, calls: [bash(`echo ${ask.turn}`)] } : { text: "counted" };
      }),
    });
    await team.ask("go");
    return team;
  };

  test("the account of a long-running agent is in its log; a short one has none, nor when disabled", async () => {
    const team = await long(withSmall(), 14);
    await team.until((event) => event.type === "agent.summarized");
    expect(team.all("agent.summarized", "lead/scout")).toMatchObject([
      { scope: "history", text: "It was asked to count, and counted." },
    ]);
    const question = team.model.calls.find(({ ask }) => ask.purpose === "summary")?.ask.said ?? "";
    expect(question).toMatch(/Its task:\ncount slowly[\s\S]*wrote: at 1\ncalled: \$ echo 1[\s\S]*wrote: counted$/);
    const view = [...itemsOf(team.session.view().agents)].find(({ path }) => path === "lead/scout");
    expect(view?.summary?.text).toMatch(/counted/);
    for (const [settings, turns] of [
      [withSmall(), 5],
      [{}, 14],
      [withSmall({ historySummaries: false }), 14],
    ] as const) {
      const other = await long(settings, turns);
      await other.close();
      expect(other.model.calls.filter(({ ask }) => ask.purpose === "summary")).toEqual([]);
    }
  });

  test("a compaction of an agent also leaves such an account", async () => {
    const team = await teamSession({
      settings: { ...withSmall(), compaction: { atTokens: 3000 } },
      answer: lead([{ calls: [agent("read much", { name: "scout" })] }, { text: "over" }], (ask) => {
        if (ask.purpose === "summary") return { text: "It has read much." };
        if (ask.purpose === "compact") return { text: "I was reading." };
        return ask.turn < 3 ? { text: "x".repeat(6000), calls: [bash("true")] } : { text: "read" };
      }),
    });
    await team.ask("go");
    await team.until((event) => event.type === "agent.summarized");
    expect(team.all("context.compacted", "lead/scout").length).toBeGreaterThan(0);
    expect(team.all("agent.summarized", "lead/scout")[0]).toMatchObject({
      scope: "history",
      text: "It has read much.",
    });
  });

  test("a failing small model disturbs no agent", async () => {
    const team = await teamSession({
      settings: withSmall(),
      answer: lead([{ calls: [agent("count slowly", { name: "scout" })] }, { text: "over" }], (ask) => {
        if (ask.purpose === "summary") return { fault: { kind: "bad_request", message: "no", times: "turn" } };
        return ask.turn < 14 ? { text: "", calls: [bash(`echo ${ask.turn}`)] } : { text: "counted" };
      }),
    });
    expect(await team.ask("go")).toMatchObject({ reason: "completed", text: "over" });
    expect(resultOf(team)).toMatchObject({ outcome: "ok" });
    await team.close();
    expect(team.all("agent.stopped")).toEqual([]);
  });
});

const text = (words: string) => ({ type: "text" as const, text: words });
