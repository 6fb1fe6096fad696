import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Event } from "../../../src/protocol/index.ts";
import type { Answer } from "../../../src/testing.ts";
import { agent, gate, lead, resultOf, type TeamSession, teamSession, textOf } from "../../support/team/team-session.ts";
import { testRepository } from "../../support/git/test-repository.ts";

const inBackground = (prompt: string, more: object = {}) => agent(prompt, { run_in_background: true, ...more });
const bash = (command: string) => ({ tool: "Bash", input: { command } });
const isNews = (event: Event) => event.type === "prompt.admitted" && event.source === "background";
const news = (team: TeamSession) =>
  team
    .all("prompt.admitted", "lead")
    .filter(({ source }) => source === "background")
    .map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
const taskIn = (text: string) => /task id: (bg_\w+)/.exec(text)?.[1] ?? "";

describe("2.7 background", () => {
  test("events of a background agent come in order", async () => {
    const { repo } = testRepository();
    const order: string[] = [];
    const team = await teamSession({
      cwd: repo,
      answer: lead(
        [
          { calls: [inBackground("work", { isolation: "worktree", name: "scout" })] },
          { text: "waiting" },
          { text: "heard" },
        ],
        (ask) => (ask.turn === 1 ? { text: "at it", calls: [bash("echo hi > new.txt")] } : { text: "the result" }),
      ),
    });
    await team.ask("go");
    await team.until((event) => event.type === "background.ended");
    await team.session.settled();
    await team.seen();
    for (const { event, agent: id } of team.envelopes) {
      const own = team.envelopes.some(({ event: each, agent: by }) => each.type === "session.opened" && by === id);
      if (event.type === "agent.spawned" && event.parent) order.push("spawned");
      if (event.type === "background.started") order.push("registered");
      if (event.type === "background.output") order.push("progress");
      if (event.type === "agent.idle" && !own) order.push("finished");
      if (isNews(event)) order.push("notified");
      if (event.type === "background.ended") order.push("ended");
    }
    expect(order.filter((each, index) => each !== order[index - 1] && each !== "progress")).toEqual([
      "spawned",
      "registered",
      "finished",
      "notified",
      "ended",
    ]);
    const [told = ""] = news(team);
    expect(told).toMatch(
      /^<task-notification>\n<name>scout<\/name>\n<task-id>bg_\w+<\/task-id>\n<agent-id>agt_\w+<\/agent-id>\n<status>completed/,
    );
    expect(told).toContain("<prompt>work</prompt>");
    expect(told).toContain("the result");
    expect(told).toMatch(/<worktree>Its work is on the branch troupe\/[\w-]+, in /);
    expect(told).toMatch(/<agent-id>agt_\w+<\/agent-id>[\s\S]+tool call/);
    expect(textOf(team.asked("lead").at(-1)?.request.messages ?? [])).toContain("task-notification");
  });

  test("TaskOutput that waits returns when the result is there", async () => {
    const over = gate();
    const team = await teamSession({
      answer: lead(
        [
          { calls: [inBackground("work")] },
          (ask) => {
            over.open();
            return { calls: [{ tool: "TaskOutput", input: { task_id: taskIn(ask.result?.text ?? "") } }] };
          },
          { text: "over" },
        ],
        async () => {
          await over.opened;
          return { text: "the words of the agent" };
        },
      ),
    });
    await team.ask("go");
    expect(resultOf(team, 1, 2).text).toMatch(/^bg_\w+ has ended: do a thing\n\nthe words of the agent$/);
    await team.until((event) => event.type === "background.ended");
    await team.session.settled();
    await team.seen();
    expect(news(team)).toHaveLength(1);
  });

  test("TaskOutput without waiting, and TaskStop, which keeps the partial result", async () => {
    const team = await teamSession({
      answer: lead(
        [
          { calls: [inBackground("work")] },
          async (ask) => {
            await team.childTurn(2);
            const id = taskIn(ask.result?.text ?? "");
            return {
              calls: [
                { tool: "TaskOutput", input: { task_id: id, block: false } },
                { tool: "TaskStop", input: { task_id: id } },
              ],
            };
          },
          { text: "over" },
        ],
        (ask) => (ask.turn === 1 ? { text: "half", calls: [bash("true")] } : { text: "x", fault: { kind: "hang" } }),
      ),
    });
    await team.ask("go");
    expect(resultOf(team, 1, 2).text).toMatch(
      /is running: do a thing\n1 turn, 1 tool call, \d+ tokens so far\n\nhalf\n {2}\$ true/,
    );
    expect(resultOf(team, 2, 2).text).toMatch(/was stopped: do a thing/);
    await team.session.settled();
    await team.seen();
    const [told = "", ...more] = news(team);
    expect(more).toEqual([]);
    expect(told).toMatch(
      /^<task-notification><task-id>bg_\w+<\/task-id><agent-id>agt_\w+<\/agent-id><status>stopped<\/status><reason>you stopped it; a message to it resumes it<\/reason><evidence>What was really done, by the log: - 1 turn, 1 tool call.*<\/evidence><\/task-notification>$/,
    );
    expect(team.all("background.ended")).toMatchObject([{ status: "killed" }]);
  });

  test("notice of a command that the agent stopped itself is one line", async () => {
    const team = await teamSession({
      answer: lead(
        [
          { calls: [{ tool: "Bash", input: { command: "sleep 600", description: "wait", run_in_background: true } }] },
          (ask) => ({
            calls: [{ tool: "TaskStop", input: { task_id: /bg_\w+/.exec(ask.result?.text ?? "")?.[0] ?? "" } }],
          }),
          { text: "over" },
        ],
        () => ({ text: "never" }),
      ),
    });
    await team.ask("go");
    expect(news(team)).toEqual([
      expect.stringMatching(
        /^<task-notification><task-id>bg_\w+<\/task-id><status>killed<\/status><summary>wait<\/summary><reason>you stopped it<\/reason><\/task-notification>$/,
      ),
    ]);
  });

  test("failed agent is reported as failed", async () => {
    const team = await teamSession({
      answer: lead([{ calls: [inBackground("work")] }, { text: "waiting" }, { text: "heard" }], () => ({
        fault: { kind: "authentication", message: "no key", times: "turn" },
      })),
    });
    await team.ask("go");
    await team.until((event) => event.type === "background.ended");
    await team.seen();
    expect(news(team)[0]).toMatch(/<status>failed<\/status>[\s\S]*<reason>[^<]*no key/);
    expect(team.all("background.ended")).toMatchObject([{ status: "failed" }]);
  });

  test("background agent has its own abort signal: an interrupt of the lead does not stop it", async () => {
    const [over, hanging] = [gate(), gate()];
    const hang = (): Answer => {
      hanging.open();
      return { text: "x", fault: { kind: "hang" } };
    };
    const team = await teamSession({
      answer: lead([{ calls: [inBackground("work")] }, hang, { text: "heard" }], async () => {
        await over.opened;
        return { text: "unharmed" };
      }),
    });
    const asking = team.ask("go");
    await hanging.opened;
    await team.session.abort();
    expect(await asking).toMatchObject({ reason: "interrupted" });
    expect(team.session.backgroundRunning()).toMatchObject([{ kind: "agent", description: "do a thing" }]);
    over.open();
    await team.until((event) => event.type === "background.ended");
    await team.session.settled();
    await team.seen();
    expect(news(team)[0]).toMatch(/<status>completed<\/status>[\s\S]*unharmed/);
    expect(team.asked("lead")).toHaveLength(3);
  });

  test("background: true in the definition is enough", async () => {
    const team = await teamSession({
      files: { "home/.troupe/agents/bg.md": "---\nname: bg\ndescription: b\nbackground: true\n---\nYou are bg." },
      answer: lead([{ calls: [agent("work", { subagent_type: "bg" })] }, { text: "over" }], () => ({ text: "done" })),
    });
    await team.ask("go");
    expect(resultOf(team).text).toMatch(/works in the background/);
  });
});

describe("2.7 move to the background", () => {
  const handed = async (how: "by itself" | "by command") => {
    const over = gate();
    const team = await teamSession({
      settings: how === "by itself" ? { subagents: { handOverMs: 50 } } : {},
      answer: lead([{ calls: [agent("work")] }, { text: "has continued" }, { text: "heard" }], async (ask) => {
        if (ask.turn === 1) return { text: "before it", calls: [bash("echo ran >> effects")] };
        await over.opened;
        return { text: "after it" };
      }),
    });
    const asking = team.ask("go");
    await team.childTurn(2);
    if (how === "by command") expect(await team.command({ type: "background" })).toEqual({ ok: true });
    await asking;
    await team.seen();
    expect(resultOf(team).text).toMatch(/now continues in the background\. Nothing is run again/);
    expect(team.all("background.ended")).toEqual([]);
    over.open();
    await team.until((event) => event.type === "background.ended");
    await team.session.settled();
    await team.seen();
    return team;
  };

  test.each(["by itself", "by command"] as const)(
    "%s: nothing is run twice, and its output file continues",
    async (how) => {
      const team = await handed(how);
      expect(readFileSync(`${team.cwd}/effects`, "utf8")).toBe("ran\n");
      expect(team.asked(/^lead\//)).toHaveLength(2);
      expect(team.all("agent.spawned")).toHaveLength(2);
      expect(news(team)).toHaveLength(1);
      expect(news(team)[0]).toContain("after it");
      const file = team.all("background.started")[0]?.outputFile ?? "";
      expect(existsSync(file)).toBe(true);
      expect(readFileSync(file, "utf8")).toMatch(/^before it\n {2}\$ echo[^\n]*\nafter it\n$/);
    },
  );
});

describe("2.7 SendMessage", () => {
  const send = (to: string, message: string) => ({ tool: "SendMessage", input: { to, message } });

  test("message to a running agent is read between two turns", async () => {
    const told = gate();
    const team = await teamSession({
      answer: lead(
        [
          { calls: [inBackground("work", { name: "scout" })] },
          async () => {
            await team.childTurn(1);
            return { calls: [send("scout", "look left as well")] };
          },
          () => {
            told.open();
            return { text: "over" };
          },
        ],
        async (ask) => {
          if (ask.turn > 1) return { text: `heard: ${ask.said}` };
          await told.opened;
          return { text: "first", calls: [bash("true")] };
        },
      ),
    });
    await team.ask("go");
    await team.until((event) => event.type === "background.ended");
    await team.seen();
    expect(resultOf(team, 1, 2).text).toMatch(/is working and reads it after its current turn\./);
    expect(team.asked("lead/scout")).toHaveLength(2);
    expect(news(team)).toHaveLength(1);
    expect(news(team)[0]).toContain("heard: look left as well");
  });

  test("message to a finished agent resumes it in the background with its conversation", async () => {
    const team = await teamSession({
      answer: lead(
        [{ calls: [agent("work", { name: "scout" })] }, { calls: [send("scout", "and now this")] }, { text: "over" }],
        (ask) => ({ text: `answer to ${ask.said}` }),
      ),
    });
    await team.ask("go");
    await team.until((event) => event.type === "background.ended");
    await team.seen();
    expect(resultOf(team, 1, 2).text).toMatch(/scout was not working\. It now continues with all it knows/);
    const second = team.asked("lead/scout")[1];
    expect(textOf(second?.request.messages ?? [])).toContain("answer to work");
    expect(news(team)[0]).toContain("answer to and now this");
    expect(team.all("agent.spawned")).toHaveLength(2);
  });

  test("message to an unknown agent fails, and the error names the known agents", async () => {
    const team = await teamSession({
      answer: lead(
        [{ calls: [agent("work", { name: "scout" })] }, { calls: [send("scuot", "hello")] }, { text: "over" }],
        () => ({ text: "done" }),
      ),
    });
    await team.ask("go");
    expect(resultOf(team, 1, 2)).toMatchObject({ outcome: "failed" });
    expect(resultOf(team, 1, 2).text).toMatch(/no agent "scuot"\. Did you mean scout\? You have started: scout\./);
  });

  test("every message to a finishing agent is read, in that run or in the next", async () => {
    const words = Array.from({ length: 12 }, (_, index) => `word-${index}`);
    const team = await teamSession({
      answer: lead(
        [
          { calls: [inBackground("work", { name: "scout" })] },
          ...words.map((word) => ({ calls: [send("scout", word)] })),
          { text: "over" },
        ],
        () => ({ text: "instantly done" }),
      ),
    });
    await team.ask("go");
    await team.quiet();
    const heard = textOf(team.asked("lead/scout").at(-1)?.request.messages ?? []);
    for (const word of words) expect(heard).toContain(`"${word}"`);
  });
});

describe("2.7 limits", () => {
  test("agents over maxConcurrentAgents wait for a slot", async () => {
    let atWork = 0;
    let most = 0;
    const team = await teamSession({
      settings: { limits: { maxConcurrentAgents: 2 } },
      answer: lead(
        [{ calls: Array.from({ length: 7 }, (_, index) => agent("work", { name: `a${index}` })) }, { text: "over" }],
        async () => {
          most = Math.max(most, ++atWork);
          await new Promise((resolve) => setImmediate(resolve));
          atWork -= 1;
          return { text: "done" };
        },
      ),
    });
    await team.ask("go");
    expect(most).toBe(2);
    expect(team.all("agent.spawned")).toHaveLength(8);
    expect(team.all("tool.settled", "lead").every(({ outcome }) => outcome === "ok")).toBe(true);
  });

  test("agent cannot start agents deeper than maxDepth", async () => {
    const deep = { calls: [agent("deeper")] };
    const child = (ask: { turn: number; result?: { text: string } | undefined }) =>
      ask.turn === 1 ? deep : { text: ask.result?.text ?? "" };
    const one = await teamSession({ answer: lead([deep, { text: "over" }], child) });
    await one.ask("go");
    expect(resultOf(one).text).toMatch(/you are at depth 1 and may not start agents \(limits.maxDepth is 1\)/);
    const two = await teamSession({
      settings: { limits: { maxDepth: 2 } },
      answer: lead([deep, { text: "over" }], child),
    });
    await two.ask("go");
    expect(two.all("agent.spawned").map(({ path }) => path.split("/").length)).toEqual([1, 2, 3]);
    expect(resultOf(two).text).toMatch(/you are at depth 2 and may not start agents/);
  });
});
