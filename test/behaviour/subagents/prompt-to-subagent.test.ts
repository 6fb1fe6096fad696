import { describe, expect, test } from "vitest";
import type { AgentPath } from "../../../src/protocol/index.ts";
import { agent, gate, lead, teamSession, textOf } from "../../support/team/team-session.ts";

const scout = "lead/scout" as AgentPath;
const say = (path: AgentPath, content: string) => ({ type: "prompt" as const, agent: path, content });

describe("prompt to an agent other than the lead", () => {
  test("working agent reads it between two turns as the user's; no other agent does", async () => {
    const over = gate();
    const team = await teamSession({
      answer: lead(
        [
          { calls: [agent("work", { name: "scout", run_in_background: true })] },
          { text: "waiting" },
          { text: "heard" },
        ],
        async (ask) => {
          if (ask.turn > 1) return { text: `you said ${ask.said}` };
          await over.opened;
          return { text: "at it", calls: [{ tool: "Bash", input: { command: "true" } }] };
        },
      ),
    });
    await team.ask("go");
    expect(await team.command(say(scout, "look left"))).toEqual({ ok: true });
    over.open();
    await team.quiet();
    expect(team.all("prompt.admitted", scout).map(({ source }) => source)).toEqual(["agent", "user"]);
    expect(textOf(team.asked(scout).at(-1)?.request.messages ?? [])).toContain("look left");
    expect(textOf(team.asked("lead").at(-1)?.request.messages ?? [])).toContain("you said look left");
    expect(team.asked(scout)).toHaveLength(2);
  });

  test("finished agent continues where it was, and the lead reads its result", async () => {
    const team = await teamSession({
      answer: lead([{ calls: [agent("work", { name: "scout" })] }, { text: "over" }, { text: "heard" }], (ask) => ({
        text: ask.turn === 1 ? "found xyzzy" : "has continued",
      })),
    });
    await team.ask("go");
    expect(await team.command(say(scout, "and now?"))).toEqual({ ok: true });
    await team.quiet();
    const messages = textOf(team.asked(scout).at(-1)?.request.messages ?? []);
    expect(messages).toMatch(/found xyzzy.*and now\?/);
    const news = team.all("prompt.admitted", "lead").filter(({ source }) => source === "background");
    expect(JSON.stringify(news)).toMatch(/<prompt>and now\?.*has continued/);
    expect(team.all("agent.spawned")).toHaveLength(2);
  });

  test("two prompts at once to an idle agent are both read", async () => {
    const team = await teamSession({
      answer: lead([{ calls: [agent("work", { name: "scout" })] }, { text: "over" }], (ask) => ({ text: ask.said })),
    });
    await team.ask("go");
    const acks = await Promise.all(["one", "two", "three"].map((word) => team.command(say(scout, `word ${word}`))));
    expect(acks).toEqual([{ ok: true }, { ok: true }, { ok: true }]);
    await team.quiet();
    const heard = textOf(team.asked(scout).at(-1)?.request.messages ?? []);
    for (const word of ["one", "two", "three"]) expect(heard).toContain(`word ${word}`);
  });

  test("prompt to an agent after the session resumes", async () => {
    const first = await teamSession({
      stored: true,
      answer: lead([{ calls: [agent("work", { name: "scout" })] }, { text: "over" }], () => ({ text: "found xyzzy" })),
    });
    await first.ask("go");
    await first.close();
    const next = await teamSession({
      stored: true,
      tree: first.tree,
      resume: first.session.id,
      answer: lead([{ text: "heard" }], () => ({ text: "has continued" })),
    });
    expect(await next.command({ type: "interrupt", agent: scout })).toEqual({ ok: true });
    expect(await next.command(say(scout, "and now?"))).toEqual({ ok: true });
    await next.quiet();
    expect(textOf(next.asked(scout)[0]?.request.messages ?? [])).toMatch(/found xyzzy.*and now\?/);
  });

  test("unknown paths and commands for the lead only are refused with a reason", async () => {
    const team = await teamSession({
      answer: lead([{ calls: [agent("work", { name: "scout" })] }, { text: "over" }], () => ({ text: "done" })),
    });
    await team.ask("go");
    const unknown = await team.command(say("lead/scuot" as AgentPath, "hello"));
    expect(unknown).toMatchObject({ ok: false, code: "no_such_agent" });
    expect(JSON.stringify(unknown)).toMatch(
      /no agent lead\/scuot. Did you mean lead\/scout\? Known agents: lead, lead\/scout/,
    );
    expect(await team.command({ type: "interrupt", agent: "lead/missing" as AgentPath })).toMatchObject({
      code: "no_such_agent",
    });
    expect(await team.command({ type: "compact", agent: scout })).toMatchObject({ ok: false, code: "only_lead" });
    expect(team.asked(/^lead\//)).toHaveLength(1);
  });
});
