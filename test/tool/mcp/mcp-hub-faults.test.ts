import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../../support/processes/live-processes.ts";
import { fault, openHub, temporaryFolder, textOf } from "../../support/mcp/mcp-servers.ts";

const startsIn = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0);
const isThere = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

test("F1 a server that exits at start is retried three times, then abandoned; others keep working", async () => {
  const countFile = join(temporaryFolder(), "starts");
  const bench = openHub({ bad: fault({ exitAt: "start", countFile }), good: fault() });
  await bench.reached("good", "connected");
  expect(textOf(await bench.call("mcp__good__echo", { text: "fine" }))).toBe("fine");
  const { error } = await bench.reached("bad", "failed");
  expect(error).toContain("exited with code 3");
  expect(error).toContain("cannot find my config");
  expect(startsIn(countFile)).toBe(4);
  expect(bench.hub.tools().some((tool) => tool.name.startsWith("mcp__bad__"))).toBe(false);
});

test("F1 a server that exits after each handshake is abandoned too", async () => {
  const countFile = join(temporaryFolder(), "starts");
  const bench = openHub({ bad: fault({ exitAt: "initialized", countFile }) });
  const { error } = await bench.reached("bad", "failed");
  expect(error).toContain("exited with code 4");
  expect(startsIn(countFile)).toBe(4);
});

test("F1 an abandoned server is retried on request", async () => {
  const countFile = join(temporaryFolder(), "starts");
  const bench = openHub({ shy: fault({ exitAt: "start", exitTimes: 4, countFile }) });
  await bench.reached("shy", "failed");
  expect(bench.hub.reconnect("missing")).toBe(false);
  expect(bench.hub.reconnect("shy")).toBe(true);
  await bench.reached("shy", "connected");
  expect(textOf(await bench.call("mcp__shy__echo", { text: "at last" }))).toBe("at last");
});

test("F1 a server dies during a call: the call fails at once with the reason, the next one works", async () => {
  const bench = openHub({ frail: fault() });
  await bench.hub.settled();
  const before = bench.tool("mcp__frail__echo");
  const died = await bench.call("mcp__frail__exit");
  expect(died.outcome).toBe("failed");
  expect(textOf(died)).toContain("exited with code 7");
  expect(bench.tool("mcp__frail__echo")).toBe(before);
  expect(textOf(await bench.call("mcp__frail__echo", { text: "again" }))).toBe("again");
  expect(bench.changes.map(({ state }) => state)).toEqual(["connected", "reconnecting", "connected"]);
});

test("a missing program is not retried", async () => {
  const bench = openHub({ none: { command: "no-such-program-here" } });
  await bench.hub.settled();
  expect(bench.statusOf("none")).toMatchObject({
    state: "failed",
    error: expect.stringContaining("the program does not exist"),
  });
  expect(bench.changes).toHaveLength(1);
});

test("F2 a hanging call times out, a late answer is not delivered twice, and the server stays", async () => {
  const bench = openHub({ odd: { ...fault(), timeoutMs: 3_000 } });
  await bench.hub.settled();
  const hung = await bench.call("mcp__odd__hang");
  expect(textOf(hung)).toContain("did not answer within 3000 ms");
  expect(textOf(await bench.call("mcp__odd__late"))).toContain("did not answer");
  for (let round = 0; round < 5; round++) {
    const text = `round ${round}`;
    expect(textOf(await bench.call("mcp__odd__echo", { text }))).toBe(text);
    await bench.call("mcp__odd__slow", { ms: 150 });
  }
  expect(bench.statusOf("odd").state).toBe("connected");
  expect(bench.changes).toHaveLength(1);
});

test("F2 survives double answers, wrong ids, noise, a flood on stderr and a malformed answer", async () => {
  const bench = openHub({ odd: fault({ noise: true, stderrFlood: true }) });
  await bench.hub.settled();
  expect(bench.statusOf("odd").state).toBe("connected");
  expect(textOf(await bench.call("mcp__odd__twice"))).toBe("first");
  expect(textOf(await bench.call("mcp__odd__wrong-id"))).toBe("right");
  expect(textOf(await bench.call("mcp__odd__noise"))).toBe("through the noise");
  expect((await bench.call("mcp__odd__invalid")).outcome).toBe("failed");
  expect(textOf(await bench.call("mcp__odd__echo", { text: "still here" }))).toBe("still here");
  expect(bench.changes).toHaveLength(1);
});

test.each(["huge", "huge-last"])("F2 a reply of 100 MB (%s) is discarded as it arrives", async (which) => {
  const bench = openHub({ odd: fault() }, { messageLimit: 1_000_000 });
  await bench.hub.settled();
  const before = process.memoryUsage().rss;
  const reply = await bench.call(`mcp__odd__${which}`, { megabytes: 100 });
  expect(textOf(reply)).toContain("longer than 1000000 bytes");
  expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
  expect(textOf(await bench.call("mcp__odd__echo", { text: "unmoved" }))).toBe("unmoved");
});

test("a server that never answers is abandoned in bounded time", async () => {
  const bench = openHub({ mute: fault({ hangAt: "initialize" }) }, { startTimeoutMs: 200 });
  const { error } = await bench.reached("mute", "failed");
  expect(error).toMatch(/timed out|timeout/i);
});

test("F4 a stopped server is noticed and replaced; its call fails", async () => {
  const bench = openHub({ odd: fault() }, { pingEveryMs: 2_000 });
  await bench.hub.settled();
  const pid = Number(textOf(await bench.call("mcp__odd__pid")));
  const call = bench.call("mcp__odd__slow", { ms: 60_000 });
  process.kill(pid, "SIGSTOP");
  const lost = await call;
  expect(lost.outcome).toBe("failed");
  expect(textOf(lost)).toContain("stopped");
  await bench.reached("odd", "connected");
  expect(Number(textOf(await bench.call("mcp__odd__pid")))).not.toBe(pid);
  expect(isThere(pid)).toBe(false);
});

test("F4 a slow call, or one that keeps the server busy, is not ended early", async () => {
  const bench = openHub({ odd: fault() }, { pingEveryMs: 1_000 });
  await bench.hub.settled();
  expect(textOf(await bench.call("mcp__odd__slow", { ms: 4_000 }))).toBe("slow and sure");
  expect(textOf(await bench.call("mcp__odd__busy", { ms: 4_000 }))).toBe("busy but alive");
  expect(bench.changes).toHaveLength(1);
});

test("progress is shown and extends the timeout", async () => {
  const bench = openHub({ odd: { ...fault(), timeoutMs: 3_000 } });
  await bench.hub.settled();
  const seen: string[] = [];
  const progress = (text: string) => void seen.push(text);
  const done = await bench.call("mcp__odd__progress", { times: 4, everyMs: 1_000 }, { progress });
  expect(textOf(done)).toBe("all steps done");
  expect(seen[0]).toBe("1/4 step 1\n");
});

test("an abort ends the call at once and notifies the server", async () => {
  const logFile = join(temporaryFolder(), "log");
  const bench = openHub({ odd: fault({ logFile }) });
  await bench.hub.settled();
  const abort = new AbortController();
  const call = bench.call("mcp__odd__hang", {}, { signal: abort.signal });
  await until("the call has arrived", () => readFileSync(logFile, "utf8").includes('"hang"'));
  abort.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
  await until("the cancellation", () => readFileSync(logFile, "utf8").includes("notifications/cancelled"));
  expect(bench.statusOf("odd").state).toBe("connected");
});

test("servers get a small environment and their own variables, and the session's folders as roots", async () => {
  const bench = openHub({ odd: { ...fault(), env: { OWN: "mine" } } }, { env: { PATH: "/usr/bin:/bin", HOME: "/h" } });
  await bench.hub.settled();
  const env = JSON.parse(textOf(await bench.call("mcp__odd__env"))) as Record<string, string>;
  expect(Object.keys(env).toSorted()).toEqual(["HOME", "OWN", "PATH", "TROUPE_PROCESS_MARK"]);
  expect(textOf(await bench.call("mcp__odd__roots"))).toContain(bench.folder);
});

test("closing ends even a server that resists", async () => {
  const bench = openHub({ odd: fault({ stubborn: true }) });
  await bench.hub.settled();
  const pid = Number(textOf(await bench.call("mcp__odd__pid")));
  expect(isThere(pid)).toBe(true);
  await bench.hub.close();
  expect(isThere(pid)).toBe(false);
  expect(bench.statusOf("odd").state).toBe("closed");
  expect(textOf(await bench.call("mcp__odd__echo"))).toContain("session is ending");
});
