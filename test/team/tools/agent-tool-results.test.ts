import { describe, expect, test } from "vitest";
import { agent, lead, resultOf, teamSession, type TeamOptions } from "../../support/team/team-session.ts";
import { testRepository } from "../../support/git/test-repository.ts";

async function resultFor(child: TeamOptions["answer"], more: object = {}, options: Partial<TeamOptions> = {}) {
  const team = await teamSession({
    answer: lead([{ calls: [agent("work", more)] }, { text: "over" }], child),
    ...options,
  });
  await team.ask("go");
  return { team, ...resultOf(team) };
}

const bash = (command: string) => ({ tool: "Bash", input: { command } });

describe("2.8 result for the parent's model", () => {
  test("completed: the last text, evidence, then usage with the agent's id", async () => {
    const { text, outcome, team } = await resultFor((ask) =>
      ask.turn === 1 ? { text: "opening words", calls: [bash("exit 3")] } : { text: "the last words" },
    );
    const id = team.envelopes.find(({ event }) => event.type === "agent.spawned" && event.parent)?.agent;
    expect(outcome).toBe("ok");
    expect(text).toMatch(/^the last words\n/);
    expect(text).not.toContain("opening words");
    expect(text).toMatch(/exit 3/);
    expect(text).toMatch(new RegExp(`1 tool call \\(Bash 1\\), [\\d.]+ s, \\d+ tokens[\\s\\S]*\\n\\nAgent: ${id}$`));
  });

  test("completed without text: a sentence says so, so that it does not look like a failure", async () => {
    const { text, outcome } = await resultFor((ask) => (ask.turn === 1 ? { calls: [bash("true")] } : { text: " " }));
    expect(outcome).toBe("ok");
    expect(text).toMatch(/^\(It ended without a closing message\. See below what it did\.\)/);
  });

  test("one-shot built-ins leave out usage and id, unless there is a worktree", async () => {
    const brief = await resultFor(() => ({ text: "found it" }), { subagent_type: "Explore" });
    expect(brief.text).toBe("found it");
    const { repo } = testRepository();
    const whole = await resultFor(
      () => ({ text: "found it" }),
      { subagent_type: "Explore", isolation: "worktree" },
      { cwd: repo },
    );
    expect(whole.text).toMatch(/found it[\s\S]*worktree[\s\S]*Agent: agt_/);
  });

  test("async_launched: agent id, task id, output file, how to check it", async () => {
    const { text, outcome, team } = await resultFor(() => ({ text: "done" }), { run_in_background: true });
    const started = team.all("background.started")[0];
    expect(outcome).toBe("ok");
    expect(text).toMatch(
      /^The agent works in the background\. You are notified when it ends\. If you have nothing else to do, end your turn/,
    );
    expect(text).toContain(`agent: ${started?.agent}`);
    expect(text).toContain(`task id: ${started?.backgroundId} (TaskOutput shows its output and TaskStop stops it)`);
    expect(text).toContain(`output file: ${started?.outputFile}`);
  });

  test("failed: the reason, and the work so far", async () => {
    const { text, outcome } = await resultFor((ask) =>
      ask.turn === 1
        ? { text: "half of it", calls: [bash("echo half")] }
        : { fault: { kind: "authentication", message: "no key", times: "turn" } },
    );
    expect(outcome).toBe("failed");
    expect(text).toMatch(/^The agent failed: .*no key[^\n]* Its last text:\n\nhalf of it/);
    expect(text).toMatch(/echo half[\s\S]*Agent: agt_/);
  });

  test("stopped at its turn limit: the limit is the reason", async () => {
    const files = {
      "home/.troupe/agents/short.md": "---\nname: short\ndescription: s\nmaxTurns: 2\n---\nYou are short.",
    };
    const { text, outcome } = await resultFor(
      (ask) => ({ text: `turn ${ask.turn}`, calls: [bash("true")] }),
      { subagent_type: "short" },
      { files },
    );
    expect(outcome).toBe("failed");
    expect(text).toMatch(/limit of 2 turns[\s\S]*turn 2/);
  });

  test("stopped with the lead: the reason and the work so far; SendMessage resumes it", async () => {
    const team = await teamSession({
      answer: lead(
        [
          { calls: [agent("work", { name: "scout" })] },
          { calls: [{ tool: "SendMessage", input: { to: "scout", message: "go on" } }] },
          { text: "over" },
        ],
        (ask) => {
          if (ask.said.includes("go on")) return { text: "has continued" };
          return ask.turn === 1 ? { text: "half", calls: [bash("true")] } : { text: "x", fault: { kind: "hang" } };
        },
      ),
    });
    const asking = team.session.ask("go");
    await team.childTurn(2);
    await team.session.abort();
    expect(await asking).toMatchObject({ reason: "interrupted" });
    await team.seen();
    expect(resultOf(team).outcome).toBe("interrupted");
    expect(resultOf(team).text).toMatch(/The agent stopped: the agent that started it was interrupted[\s\S]*half/);
    await team.ask("send it on");
    await team.until((event) => event.type === "background.ended");
    expect(team.asked("lead/scout").at(-1)?.request.messages.length).toBe(3);
  });
});
