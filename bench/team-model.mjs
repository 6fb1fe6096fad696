import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";

/** A model in the same process, so that only Troupe's own work is measured. */
export function benchModel({ answer, delayMs = () => 0, contextWindow = 1_000_000, inputTokens = () => 100 }) {
  let count = 0;
  return {
    ref: "bench/at-once",
    contextWindow,
    maxOutputTokens: 1000,
    async *stream(request, signal) {
      const ms = delayMs(request);
      if (ms > 0) await sleep(ms, undefined, { signal });
      const { parts } = await answer(request);
      const isCall = parts.some(({ type }) => type === "tool_call");
      const withIds = parts.map((part) => (part.type === "tool_call" ? { ...part, callId: `call_${++count}` } : part));
      const usage = { inputTokens: inputTokens(request), outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };
      yield { type: "finished", answer: { parts: withIds, stopReason: isCall ? "tool_use" : "end_turn", usage } };
    },
  };
}

export const words = (text) => ({ parts: [{ type: "text", text }] });
export const call = (name, input) => ({ parts: [{ type: "tool_call", name, input }] });

/** One answer that starts this number of agents. */
export const spawning = (count, more = () => ({})) => ({
  parts: Array.from({ length: count }, (_, index) => ({
    type: "tool_call",
    name: "Agent",
    input: {
      description: "a part of the work",
      prompt: "Do your part.",
      subagent_type: "general-purpose",
      ...more(index),
    },
  })),
});

export async function openTeam(bench, { settings = {}, ...options }) {
  const { createSession, defineTool, textResult } = await import(bench.library);
  const tick = defineTool({
    name: "Tick",
    description: "Does nothing, and says so.",
    input: z.object({}),
    access: "read",
    subject: () => ({ kind: "own" }),
    title: () => "Tick",
    execute: async () => textResult("tock"),
  });
  const home = bench.emptyFolder();
  mkdirSync(join(home, "troupe"));
  writeFileSync(join(home, "troupe", "settings.json"), JSON.stringify(settings));
  return createSession({
    cwd: bench.emptyFolder(),
    tools: [tick],
    permissionMode: "bypassPermissions",
    env: { PATH: process.env.PATH, HOME: home, TROUPE_HOME: join(home, "troupe") },
    ...options,
  });
}
