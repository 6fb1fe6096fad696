import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { everything, everythingServer, filesystemServer, openHub, textOf } from "../../support/mcp/mcp-servers.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

test("everything server over stdio: tools, results of every kind, prompts, resources, instructions", async () => {
  const bench = openHub({ everything });
  await bench.hub.settled();
  expect(bench.statusOf("everything")).toMatchObject({ state: "connected", error: undefined });
  const names = bench.hub.tools().map((tool) => tool.name);
  expect(names).toContain("mcp__everything__echo");
  expect(names).toContain("ReadMcpResource");
  expect(bench.tool("mcp__everything__echo").inputSchema).toMatchObject({ type: "object" });

  expect(textOf(await bench.call("mcp__everything__echo", { message: "hello" }))).toBe("Echo: hello");
  expect(textOf(await bench.call("mcp__everything__get-sum", { a: 2, b: 40 }))).toContain("42");
  const image = await bench.call("mcp__everything__get-tiny-image");
  expect(image.content.map((part) => part.type)).toContain("image");
  const wrong = await bench.call("mcp__everything__get-sum", { a: "x" });
  expect(wrong.outcome).toBe("failed");
  expect(textOf(wrong)).toMatch(/invalid|expected/i);

  const seen: string[] = [];
  const long = await bench.call(
    "mcp__everything__trigger-long-running-operation",
    { duration: 0.5, steps: 2 },
    { progress: (text) => seen.push(text) },
  );
  expect(long.outcome).toBe("ok");
  expect(seen.join("")).toContain("1/2");

  const listed = await bench.call("ListMcpResources", {});
  const uri = /- (\S+:\S+)/.exec(textOf(listed))?.[1] ?? "";
  expect(uri).not.toBe("");
  expect((await bench.call("ReadMcpResource", { server: "everything", uri })).outcome).toBe("ok");
  expect(textOf(await bench.call("ReadMcpResource", { server: "missing", uri }))).toContain(
    "Servers that do: everything.",
  );

  const prompts = bench.hub.prompts();
  const simple = prompts.find((prompt) => prompt.name === "mcp__everything__simple-prompt");
  const context = { signal: new AbortController().signal, outputFile: async () => "" };
  expect(await simple?.get({}, context)).toMatchObject([{ type: "text" }]);
  expect(bench.hub.instructions()[0]?.text.length).toBeGreaterThan(10);
});

test.each([
  ["http", "streamableHttp", "/mcp"],
  ["sse", "sse", "/sse"],
])("everything server over %s", async (type, mode, path) => {
  const port = await freePort();
  await startHttpOn(port, mode);
  const bench = openHub({ remote: { type, url: `http://127.0.0.1:${port}${path}` } });
  await bench.hub.settled();
  expect(bench.statusOf("remote")).toMatchObject({ state: "connected" });
  expect(textOf(await bench.call("mcp__remote__echo", { message: "over http" }))).toBe("Echo: over http");
  const seen: string[] = [];
  const input = { duration: 0.4, steps: 2 };
  await bench.call("mcp__remote__trigger-long-running-operation", input, { progress: (text) => seen.push(text) });
  expect(seen.join("")).toContain("1/2");
});

test("an HTTP server that goes away fails its calls, and is used again when it returns", async () => {
  const port = await freePort();
  const stop = await startHttpOn(port);
  const bench = openHub({ remote: { type: "http", url: `http://127.0.0.1:${port}/mcp` } });
  await bench.hub.settled();
  await stop();
  const lost = await bench.call("mcp__remote__echo", { message: "anybody?" });
  expect(lost.outcome).toBe("failed");
  expect(textOf(lost)).toMatch(/was lost during the call|is not available|cannot reach/);
  await startHttpOn(port);
  // Reconnecting or already abandoned: a call brings it back.
  expect(textOf(await bench.call("mcp__remote__echo", { message: "back" }))).toBe("Echo: back");
});

test("filesystem server works in the folders that it gets as roots", async () => {
  const bench = openHub({ files: { command: process.execPath, args: [filesystemServer] } });
  await bench.hub.settled();
  writeFileSync(join(bench.folder, "note.txt"), "written by a test");
  // It asks for the roots after it has connected.
  const allowed = async () => textOf(await bench.call("mcp__files__list_allowed_directories"));
  while (!(await allowed()).includes(bench.folder)) await new Promise((resolve) => setTimeout(resolve, 10));
  const read = await bench.call("mcp__files__read_text_file", { path: join(bench.folder, "note.txt") });
  expect(textOf(read)).toContain("written by a test");
  expect(bench.tool("mcp__files__read_text_file").access).toBe("read");
  expect(bench.tool("mcp__files__write_file").access).toBe("run");
  const outside = await bench.call("mcp__files__read_text_file", { path: "/etc/hostname" });
  expect(outside.outcome).toBe("failed");
});

async function startHttpOn(port: number, mode = "streamableHttp"): Promise<() => Promise<void>> {
  const env = { PATH: process.env["PATH"] ?? "", PORT: String(port) };
  const child = spawn(process.execPath, [everythingServer, mode], { env, stdio: "pipe" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  stops.push(stop);
  await new Promise<void>((resolve, reject) => {
    const look = (chunk: Buffer) => /listening|running on port/i.test(chunk.toString()) && resolve();
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    void ended.then(() => reject(new Error("the server ended before it listened")));
  });
  return stop;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
