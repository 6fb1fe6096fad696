// One call with a result of `bytes` bytes, from the call to the next request. Arguments: library, how, folder, bytes.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const [library, how, folder, bytes] = process.argv.slice(2);
const size = Number(bytes);
const line = "one of very many lines that a command prints while it works away\n";
const command = `yes '${line.trim()}' | head -c ${size}`;
const text = () => line.repeat(Math.ceil(size / line.length)).slice(0, size);

const cases = { tool: () => inSession("Flood", {}), bash: () => inSession("Bash", { command }), write, shell };
const timeMs = await cases[how]();
console.log(JSON.stringify({ timeMs, peak: peakOfMemory() }));

/** Uses the system's counter if there is one: `maxRSS` starts with the parent's value. */
function peakOfMemory() {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
  return Number(kilobytes) * 1024;
}

async function write() {
  const started = performance.now();
  writeFileSync(join(folder, "bare.txt"), text());
  return performance.now() - started;
}

async function shell() {
  const started = performance.now();
  const { status } = spawnSync("bash", ["-c", `${command} > bare.txt`], { cwd: folder });
  if (status !== 0) throw new Error(`bash exited with code ${status}`);
  return performance.now() - started;
}

async function inSession(name, input) {
  const { createSession, defineTool, textResult } = await import(library);
  const usage = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const call = { type: "tool_call", callId: "call_1", name, input };
  let started = 0;
  let ended = 0;
  const model = {
    ref: "bench/at-once",
    contextWindow: 1_000_000,
    maxOutputTokens: 1000,
    async *stream({ messages }) {
      if (messages.length > 1) {
        ended = performance.now();
        const shown = JSON.stringify(messages.at(-1)).length;
        if (size > 1e6 && (shown < 10_000 || shown > 100_000)) throw new Error(`${shown} characters were shown`);
        yield { type: "finished", answer: { parts: [{ type: "text", text: "done" }], stopReason: "end_turn", usage } };
        return;
      }
      started = performance.now();
      yield { type: "finished", answer: { parts: [call], stopReason: "tool_use", usage } };
    },
  };
  const flood = defineTool({
    name: "Flood",
    description: "Gives a very long text.",
    input: z.object({}),
    access: "read",
    subject: () => ({ kind: "own" }),
    title: () => "Flood",
    execute: async () => textResult(text()),
  });
  const session = await createSession({
    cwd: folder,
    model,
    tools: [flood],
    permissionMode: "bypassPermissions",
    env: { PATH: process.env.PATH, HOME: folder, TROUPE_HOME: join(folder, "troupe") },
  });
  const { reason, detail } = await session.ask("go");
  await session.close();
  if (reason !== "completed") throw new Error(`the run ended early: ${reason} ${detail ?? ""}`);
  return ended - started;
}
