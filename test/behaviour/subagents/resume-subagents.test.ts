import { describe, expect, test } from "vitest";
import { agent, gate, lead, resultOf, teamSession, textOf } from "../../support/team/team-session.ts";

const send = (to: string, message: string) => ({ tool: "SendMessage", input: { to, message } });

describe("subagents after the session resumes", () => {
  test("finished agent resumes from its transcript, by name and by id", async () => {
    const first = await teamSession({
      stored: true,
      answer: lead([{ calls: [agent("work", { name: "scout" })] }, { text: "over" }], () => ({ text: "found xyzzy" })),
    });
    await first.ask("go");
    const id = first.envelopes.find(({ event }) => event.type === "agent.spawned" && event.parent)?.agent ?? "";
    await first.close();
    for (const to of ["scout", id]) {
      const next = await teamSession({
        stored: true,
        tree: first.tree,
        resume: first.session.id,
        answer: lead([{ calls: [send(to, "and now?")] }, { text: "over" }], (ask) => ({
          text: `has continued: ${ask.said}`,
        })),
      });
      await next.ask("again");
      await next.quiet();
      const messages = next.asked("lead/scout")[0]?.request.messages ?? [];
      expect(textOf(messages)).toContain("found xyzzy");
      expect(messages[0]).toMatchObject({ role: "user", parts: [{ type: "text", text: "work" }] });
      expect(next.all("agent.spawned")).toHaveLength(2);
      await next.close();
    }
  });

  test("agent running when the session closed is reported once and can be resumed", async () => {
    const first = await teamSession({
      stored: true,
      answer: lead(
        [{ calls: [agent("work", { name: "scout", run_in_background: true })] }, { text: "over" }],
        (ask) => ({
          text: `half ${ask.turn}`,
          ...(ask.turn > 1 && { fault: { kind: "hang" as const } }),
          calls: [{ tool: "Bash", input: { command: "true" } }],
        }),
      ),
    });
    await first.ask("go");
    await first.childTurn(2);
    await first.close();
    for (const life of [2, 3]) {
      const next = await teamSession({
        stored: true,
        tree: first.tree,
        resume: first.session.id,
        answer: lead([{ text: `life ${life}` }], () => undefined),
      });
      await next.ask("again");
      const told = next.all("prompt.admitted", "lead").filter(({ source }) => source === "background");
      expect(told).toHaveLength(1);
      expect(textOf(next.asked("lead")[0]?.request.messages ?? []).split("<task-notification>")).toHaveLength(2);
      expect(JSON.stringify(told)).toMatch(/half 1/);
      expect(next.all("background.ended")).toHaveLength(1);
      await next.close();
    }
  });

  test("ledger and agent count continue from their stored values", async () => {
    const child = () => ({ text: "done" });
    const first = await teamSession({
      stored: true,
      settings: { limits: { maxAgents: 2 } },
      answer: lead([{ calls: [agent("a"), agent("b")] }, { text: "over" }], child),
    });
    await first.ask("go");
    await first.close();
    const next = await teamSession({
      stored: true,
      tree: first.tree,
      resume: first.session.id,
      answer: lead([{ calls: [agent("c")] }, { text: "over" }], child),
    });
    await next.ask("again");
    expect(resultOf(next, 1, 3).text).toMatch(/has started 2 of at most 2 agents/);
  });
});

test("closing stops running agents, wakes none, and completes the log", async () => {
  const never = gate();
  const team = await teamSession({
    answer: lead(
      [
        { calls: [1, 2, 3].map((n) => agent(`work ${n}`, { run_in_background: true })) },
        { text: "over" },
        { text: "woken" },
      ],
      async () => {
        await never.opened;
        return { text: "never" };
      },
    ),
  });
  await team.ask("go");
  await team.close();
  never.open();
  expect(team.asked("lead")).toHaveLength(2);
  expect(team.all("background.ended")).toHaveLength(3);
  expect(team.all("prompt.admitted", "lead").filter(({ source }) => source === "background")).toHaveLength(3);
  expect(team.envelopes.at(-1)?.event.type).toBe("session.closed");
});
