import { describe, expect, test } from "vitest";
import { gate, teamSession } from "../support/team/team-session.ts";

describe("closing session", () => {
  test("a prompt being expanded is not run, and nothing follows the close in the log", async () => {
    const files = { "project/a.txt": "hello" };
    const first = await teamSession({ stored: true, files, answer: () => ({ text: "too late" }) });
    const saying = first.command({ type: "prompt", content: "look at @a.txt" });
    const closing = first.close();
    expect(await saying).toMatchObject({ ok: false, code: "session_closed" });
    await closing;
    await first.session.settled();
    expect(first.model.calls).toHaveLength(0);
    expect(first.envelopes.at(-1)?.event.type).toBe("session.closed");

    const second = await teamSession({
      stored: true,
      tree: first.tree,
      resume: first.session.id,
      answer: () => ({ text: "hello again" }),
    });
    await second.ask("go on");
    const stored = second.envelopes.map(({ event }) => event.type);
    expect(stored.slice(stored.indexOf("session.closed")).slice(0, 2)).toEqual(["session.closed", "session.opened"]);
  });

  test("a prompt that waits during a compaction is kept for the next run", async () => {
    const summing = gate();
    const closes = gate();
    const team = await teamSession({
      answer: async ({ request }) => {
        if (request.caller.purpose !== "compact") return { text: "an answer" };
        summing.open();
        await closes.opened;
        return { text: "a summary" };
      },
    });
    for (const text of ["one", "two", "three"]) await team.ask(text);
    const compacting = team.command({ type: "compact" });
    await summing.opened;
    expect(await team.command({ type: "prompt", content: "four" })).toEqual({ ok: true });
    const closing = team.close();
    closes.open();
    await closing;
    expect(await compacting).toMatchObject({ ok: false });
    await team.session.settled();
    expect(team.asked("lead").filter(({ request }) => request.caller.purpose === "answer")).toHaveLength(3);
    expect(team.envelopes.at(-1)?.event.type).toBe("session.closed");
  });
});

describe("interrupt in progress", () => {
  test("a prompt sent during the interrupt is answered", async () => {
    const team = await teamSession({
      answer: ({ turn }) =>
        turn === 1
          ? { calls: [{ tool: "Bash", input: { command: "tail -f /dev/null" } }] }
          : { text: "two is answered" },
    });
    await team.command({ type: "prompt", content: "one" });
    await team.until(({ type }) => type === "tool.called");
    const stopping = team.command({ type: "interrupt" });
    expect(await team.command({ type: "prompt", content: "two" })).toEqual({ ok: true });
    await stopping;
    expect(await team.session.settled()).toMatchObject({ reason: "completed" });
    expect(JSON.stringify(team.model.calls.at(-1)?.ask.request.messages)).toContain("two");
  });
});
