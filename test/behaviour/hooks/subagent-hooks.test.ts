import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { maxIdleInMemory } from "../../../src/team/subagents/idle-cache.ts";
import { agent, lead, resultOf, teamSession, textOf } from "../../support/team/team-session.ts";

const hook = (command: string, more: object = {}) => ({ ...more, hooks: [{ type: "command", command }] });
const sayingOnce = "if [ -e sent ]; then exit 0; fi; touch sent; echo 'write a test first' >&2; exit 2";

describe("2.10 hooks of subagents", () => {
  test("SubagentStart adds context for the subagent only, by its type", async () => {
    const team = await teamSession({
      settings: {
        hooks: {
          SubagentStart: [
            hook("echo mind the gap", { matcher: "general-purpose" }),
            hook("echo no", { matcher: "Plan" }),
          ],
        },
      },
      answer: lead([{ calls: [agent("work")] }, { text: "over" }], () => ({ text: "done" })),
    });
    await team.ask("go");
    const child = textOf(team.asked(/^lead\//)[0]?.request.messages ?? []);
    expect(child).toMatch(/mind the gap[\s\S]*work/);
    expect(child).not.toContain("echo no");
    expect(textOf(team.asked("lead")[1]?.request.messages ?? [])).not.toContain("mind the gap");
  });

  test("SubagentStop sends the subagent back to work; Stop is for the lead only", async () => {
    const team = await teamSession({
      settings: { hooks: { SubagentStop: [hook(sayingOnce)], Stop: [hook("echo stop >> stops")] } },
      answer: lead([{ calls: [agent("work")] }, { text: "over" }], (ask) => ({ text: `turn ${ask.turn}` })),
    });
    await team.ask("go");
    expect(team.asked(/^lead\//)).toHaveLength(2);
    expect(team.asked(/^lead\//)[1]?.said).toContain("write a test first");
    expect(resultOf(team).text).toMatch(/^turn 2/);
    expect(team.all("hook.ran", "lead").map(({ hook: name }) => name)).toEqual(["Stop"]);
  });

  test("async hook outlives the end of its agent and is recorded in the agent's log", async () => {
    const late = hook("while [ ! -e go ]; do sleep 0.05; done; echo said > late", { matcher: "Bash" });
    Object.assign(late.hooks[0] ?? {}, { async: true });
    const team = await teamSession({
      settings: { hooks: { PostToolUse: [late] } },
      answer: lead(
        [
          { calls: [agent("work", { name: "first" })] },
          // Enough other agents that the first is evicted.
          { calls: Array.from({ length: maxIdleInMemory + 2 }, (_, index) => agent("rest", { name: `n${index}` })) },
          { calls: [{ tool: "Write", input: { file_path: "go", content: "" } }] },
          { text: "over" },
        ],
        (ask) =>
          ask.agent === "lead/first" && ask.turn === 1
            ? { text: "", calls: [{ tool: "Bash", input: { command: "true" } }] }
            : { text: "done" },
      ),
    });
    await team.session.ask("go");
    await team.until((event) => event.type === "hook.ran");
    expect(team.all("hook.ran", "lead/first")).toMatchObject([{ hook: "PostToolUse", outcome: "passed" }]);
    expect(readFileSync(join(team.cwd, "late"), "utf8")).toBe("said\n");
  });

  test("hook that still runs when the session closes is ended and recorded in the agent's log", async () => {
    const never = hook("sleep 600", { matcher: "Bash" });
    Object.assign(never.hooks[0] ?? {}, { async: true });
    const team = await teamSession({
      settings: { hooks: { PostToolUse: [never] } },
      answer: lead([{ calls: [agent("work", { name: "first" })] }, { text: "over" }], (ask) =>
        ask.turn === 1 ? { text: "", calls: [{ tool: "Bash", input: { command: "true" } }] } : { text: "done" },
      ),
    });
    await team.ask("go");
    await team.close();
    expect(team.all("hook.ran", "lead/first")).toMatchObject([{ hook: "PostToolUse", outcome: "interrupted" }]);
  });

  test("hook that always blocks stopping is obeyed ten times, then the agent stops", async () => {
    const team = await teamSession({
      settings: { hooks: { SubagentStop: [hook("echo again >&2; exit 2")] } },
      answer: lead([{ calls: [agent("work")] }, { text: "over" }], () => ({ text: "done" })),
    });
    await team.ask("go");
    expect(team.asked(/^lead\//)).toHaveLength(11);
    expect(resultOf(team).outcome).toBe("ok");
  });

  const guarded = [
    "---",
    "name: guarded",
    "description: g",
    "hooks:",
    "  PreToolUse:",
    "    - matcher: Bash",
    "      hooks:",
    "        - type: command",
    "          command: echo not here >&2; exit 2",
    "  Stop:",
    "    - hooks:",
    "        - type: command",
    `          command: ${JSON.stringify(sayingOnce)}`,
    "---",
    "You are guarded.",
  ].join("\n");

  test("definition's hooks live as long as the agent, and its Stop runs as SubagentStop", async () => {
    const bash = { calls: [{ tool: "Bash", input: { command: "echo hi" } }] };
    const team = await teamSession({
      files: { "home/.troupe/agents/guarded.md": guarded },
      answer: lead([{ calls: [agent("work", { subagent_type: "guarded" })] }, bash, { text: "over" }], (ask) =>
        ask.turn === 1 ? bash : { text: `turn ${ask.turn}: ${ask.result?.text ?? ask.said}` },
      ),
    });
    await team.ask("go");
    const ran = team.all("hook.ran").map(({ hook: name }) => name);
    expect(ran).toEqual(["PreToolUse", "SubagentStop", "SubagentStop"]);
    expect(resultOf(team).text).toMatch(/turn 3: .*write a test first/s);
    expect(resultOf(team, 1, 2).outcome).toBe("ok");
  });

  test("disableAllHooks switches off a definition's hooks too", async () => {
    const team = await teamSession({
      settings: { disableAllHooks: true },
      files: { "home/.troupe/agents/guarded.md": guarded },
      answer: lead([{ calls: [agent("work", { subagent_type: "guarded" })] }, { text: "over" }], () => ({
        text: "done",
      })),
    });
    await team.ask("go");
    expect(team.all("hook.ran")).toEqual([]);
  });
});

test("definition's initialPrompt comes before the task", async () => {
  const team = await teamSession({
    files: {
      "home/.troupe/agents/eager.md":
        "---\nname: eager\ndescription: e\ninitialPrompt: Read the plan first.\n---\nYou are eager.",
    },
    answer: lead([{ calls: [agent("work", { subagent_type: "eager" })] }, { text: "over" }], () => ({ text: "done" })),
  });
  await team.ask("go");
  expect(team.asked(/^lead\//)[0]?.said).toBe("Read the plan first.\n\nwork");
});
