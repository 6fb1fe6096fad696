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

describe("first request of a fork", () => {
  test.each([2, 8, 32])("%i forks of one answer share the same bytes up to their own instructions", async (count) => {
    const { session, server } = await forkSession((ask) => {
      if (isForks(ask)) return report;
      return ask.results.length > 0 ? { text: "All done." } : spawning(count);
    });
    expect(await session.ask("Divide it.")).toMatchObject({ reason: "completed", text: "All done." });

    const forks = firstOfForks(server.requests).map(({ rawBody }) => rawBody.toString("utf8"));
    expect(forks).toHaveLength(count);
    // Byte for byte, including cache marks.
    expect(new Set(forks.map((body) => body.slice(0, ownWordsAt(body)))).size).toBe(1);
    // After the one text block there are only closing brackets.
    const tails = forks.map((body) => body.slice(body.indexOf(` of ${count}.`, ownWordsAt(body))));
    expect(new Set(tails)).toEqual(new Set([` of ${count}.","cache_control":{"type":"ephemeral"}}]}]}`]));
    expect(new Set(forks).size).toBe(count);
  });

  test("fork's request starts with the parent's bytes, then the parent's whole answer", async () => {
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
    // Model, limits, tools, system and messages in this order. Everything after the parent's last message is new.
    expect(unmarked(first).startsWith(began.slice(0, -2))).toBe(true);
    const { messages } = first.body as { messages: { role: string; content: Record<string, unknown>[] }[] };
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    const calls = messages[1]?.content.filter(({ type }) => type === "tool_use") ?? [];
    expect(calls).toHaveLength(2);
    const results = messages[2]?.content.slice(0, -1) ?? [];
    expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(calls.map(({ id }) => id));
    expect(new Set(results.map(({ content }) => JSON.stringify(content))).size).toBe(1);
  });

  test("four cache breakpoints: system prompt, parent's end, sibling split, end", async () => {
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

test("sixteen agents of one answer all work before the first has reported", async () => {
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

describe("prompt cache", () => {
  const long = "All work and no play makes a dull conversation. ".repeat(4_200);

  test.each([8, 32])(
    "%i forks of a parent with 50,000 tokens read at least 95% of their input from the cache",
    async (count) => {
      const { session, server, end } = await forkSession((ask) => {
        if (isForks(ask))
          return ask.results.some(({ tool }) => tool === "Glob")
            ? report
            : // All requests are under way before the first answer, so no fork reads another one's cache entry.
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

  test("fork started after its sibling's first answer reads all but its own instructions", async () => {
    const { session, end } = await forkSession(
      (ask) => {
        if (isForks(ask)) return report;
        if (ask.said === long) return { text: "Understood." };
        return ask.results.length > 0 ? { text: "All done." } : spawning(2);
      },
      // One slot: the second fork waits until the first has reported.
      { settings: { limits: { maxConcurrentAgents: 1 } } },
    );
    await session.ask(long);
    await session.ask("Divide it.");
    const envelopes = await end();
    const [first, second] = usageOfChildren(envelopes);
    if (!first || !second) throw new Error("no two requests");
    expect(first.inputTokens + second.inputTokens).toBe(0);
    expect(second.cacheReadTokens).toBeGreaterThan(first.cacheReadTokens);
    // Instructions of a few hundred tokens.
    expect(second.cacheWriteTokens).toBeLessThan(300);
  });
});
