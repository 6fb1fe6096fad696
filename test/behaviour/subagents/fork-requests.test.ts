import { describe, expect, test } from "vitest";
import {
  firstOfForks,
  forkSession,
  isForks,
  ownWordsAt,
  spawning,
  unmarked,
  usageOfChildren,
} from "../../support/session/fork-session.ts";

const report = { text: "Looked after." };

describe("what a fork asks first", () => {
  test.each([2, 8, 32])("%i forks of one answer: the same bytes up to each one's own words", async (count) => {
    const { session, server } = await forkSession((ask) => {
      if (isForks(ask)) return report;
      return ask.results.length > 0 ? { text: "All done." } : spawning(count);
    });
    expect(await session.ask("Divide it.")).toMatchObject({ reason: "completed", text: "All done." });

    const forks = firstOfForks(server.requests).map(({ rawBody }) => rawBody.toString("utf8"));
    expect(forks).toHaveLength(count);
    // Byte for byte, cache marks included.
    expect(new Set(forks.map((body) => body.slice(0, ownWordsAt(body)))).size).toBe(1);
    // Behind the one text block there is nothing but the ends of lists.
    const tails = forks.map((body) => body.slice(body.indexOf(` of ${count}.`, ownWordsAt(body))));
    expect(new Set(tails)).toEqual(new Set([` of ${count}.","cache_control":{"type":"ephemeral"}}]}]}`]));
    expect(new Set(forks).size).toBe(count);
  });

  test("it begins with the parent's bytes, and then the parent's whole answer", async () => {
    const { session, server } = await forkSession((ask) => {
      if (isForks(ask)) return report;
      if (ask.results.length > 0) return { text: "All done." };
      return { thinking: "Two parts.", ...spawning(2) };
    });
    await session.ask("Divide it.");
    const [first] = firstOfForks(server.requests);
    const parent = server.requests[0];
    if (!first || !parent) throw new Error("no requests");
    const began = unmarked(parent);
    expect(began.endsWith("]}]}")).toBe(true);
    // Model, limits, tools, system and messages in this order: all that follows the parent's last message is new.
    expect(unmarked(first).startsWith(began.slice(0, -2))).toBe(true);
    const { messages } = first.body as { messages: { role: string; content: Record<string, unknown>[] }[] };
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    const calls = messages[1]?.content.filter(({ type }) => type === "tool_use") ?? [];
    expect(calls).toHaveLength(2);
    const results = messages[2]?.content.slice(0, -1) ?? [];
    expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(calls.map(({ id }) => id));
    expect(new Set(results.map(({ content }) => JSON.stringify(content))).size).toBe(1);
  });

  test("four breakpoints: after the system prompt, where the parent's request ended, where siblings part, at the end", async () => {
    const { session, server } = await forkSession((ask) => {
      if (isForks(ask)) return report;
      return ask.results.length > 0 ? { text: "All done." } : spawning(3);
    });
    await session.ask("Divide it.");
    const [first] = firstOfForks(server.requests);
    if (!first) throw new Error("no fork");
    expect(first.rawBody.toString("utf8").match(/cache_control/g)).toHaveLength(4);
    const { messages } = first.body as { messages: { content: { type: string; cache_control?: object }[] }[] };
    const marked = messages.map(({ content }) =>
      content.flatMap(({ cache_control }, index) => (cache_control ? [index] : [])),
    );
    expect(marked).toEqual([[0], [], [2, 3]]);
  });
});

test("sixteen agents of one answer are all at work before the first has reported", async () => {
  const { session, server, end } = await forkSession(async (ask) => {
    if (isForks(ask)) {
      // The lead's request and one of each fork.
      await server.arrived(17);
      return report;
    }
    return ask.results.length > 0 ? { text: "All done." } : spawning(16);
  });
  expect(await session.ask("Divide it.")).toMatchObject({ text: "All done." });
  expect((await end()).filter(({ event }) => event.type === "agent.spawned")).toHaveLength(17);
});

describe("the cache", () => {
  const long = "All work and no play makes a dull conversation. ".repeat(4_200);

  test.each([8, 32])(
    "%i children of a parent with 50,000 tokens read at least 95 in 100 tokens of their input from the cache",
    async (count) => {
      const { session, server, end } = await forkSession((ask) => {
        if (isForks(ask))
          return ask.results.some(({ tool }) => tool === "Glob")
            ? report
            : // All are under way before the first is answered: none finds what another one leaves.
              { calls: [{ tool: "Glob", input: { pattern: "*.ts" } }], delayMs: 300 };
        if (ask.results.length > 0) return { text: "All done." };
        return ask.said === "Divide it." ? spawning(count) : { text: "Understood." };
      });
      await session.ask(long);
      await session.ask("Divide it.");
      const envelopes = await end();
      const usage = usageOfChildren(envelopes);
      const read = usage.reduce((sum, { cacheReadTokens }) => sum + cacheReadTokens, 0);
      const all = usage.reduce((sum, each) => sum + each.inputTokens + each.cacheReadTokens + each.cacheWriteTokens, 0);
      expect(usage).toHaveLength(2 * count);
      expect(all / usage.length).toBeGreaterThan(50_000);
      expect(read / all).toBeGreaterThanOrEqual(0.95);
      expect(firstOfForks(server.requests)).toHaveLength(count);
    },
  );

  test("a fork that starts after its sibling's answer has begun reads all but its own words", async () => {
    const { session, end } = await forkSession(
      (ask) => {
        if (isForks(ask)) return report;
        if (ask.said === long) return { text: "Understood." };
        return ask.results.length > 0 ? { text: "All done." } : spawning(2);
      },
      // One place: the second waits until the first has reported.
      { settings: { limits: { maxConcurrentAgents: 1 } } },
    );
    await session.ask(long);
    await session.ask("Divide it.");
    const envelopes = await end();
    const [first, second] = usageOfChildren(envelopes);
    if (!first || !second) throw new Error("no two requests");
    expect(first.inputTokens + second.inputTokens).toBe(0);
    expect(second.cacheReadTokens).toBeGreaterThan(first.cacheReadTokens);
    // Instructions of some hundred tokens.
    expect(second.cacheWriteTokens).toBeLessThan(300);
  });
});
