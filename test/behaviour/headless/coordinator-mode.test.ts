import { readdirSync, readFileSync } from "node:fs";
import { streamEnvelopes } from "../../support/cli/stream-envelopes.ts";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Event } from "../../../src/protocol/index.ts";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";

/** A coordinator with two workers that share a file, and an answer that lists the tools of its request. */
const script = `
const start = (name, prompt) => ({ tool: "Agent", input: { description: "part " + name, prompt, name } });
const tools = (ask) => ask.request.tools.map(({ name }) => name).sort().join(",");
const pad = (ask) => /Scratchpad: (.+?) is a folder/.exec(ask.system)[1];
export default (ask) => {
  if (ask.agent === "lead/a")
    return ask.results.length === 0 ? { calls: [{ tool: "Write", input: { file_path: pad(ask) + "/found.txt", content: "forty-two" } }] } : { text: "a: " + ask.result.isError };
  if (ask.agent === "lead/b") {
    if (ask.said.includes("hang")) return { text: "never", delayMs: 600000 };
    return ask.results.length === 0 ? { calls: [{ tool: "Read", input: { file_path: pad(ask) + "/found.txt" } }] } : { text: "b read " + /forty-\\w+/.exec(ask.result.text)?.[0] };
  }
  const said = ask.said;
  if (said.includes("b read")) return { text: "both are back: " + /b read \\S+/.exec(said)[0] };
  if (ask.results.length > 0) return { text: "started" };
  if (said.includes("part a")) return { calls: [start("b", "read it")] };
  if (said.includes("<status>stopped")) return { text: "b was lost; " + tools(ask) };
  if (said === "go") return { calls: [start("a", "find it")] };
  if (said === "hang") return { calls: [start("b", "hang")] };
  return { text: tools(ask) };
};`;

const model = ["--model", "scripted/c.mjs"];
const own = "Agent,Land,SendMessage,TaskOutput,TaskStop\n";

function prepared(): Workplace {
  const place = workplace();
  place.write("c.mjs", script);
  return place;
}

test("-p --coordinator waits for its workers, which share the scratchpad without questions", async () => {
  const { run, home } = prepared();
  const { code, stdout, stderr } = await run(["-p", "go", "--coordinator", ...model]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "both are back: b read forty-two\n" });
  expect(stderr.replace(/^troupe: waiting for background jobs.*\n/gm, "")).toBe("");
  const projects = join(home, ".troupe/projects");
  const files = readdirSync(projects, { recursive: true, encoding: "utf8" });
  const found = files.find((name) => name.endsWith("scratchpad/found.txt")) ?? "";
  expect(readFileSync(join(projects, found), "utf8")).toBe("forty-two");
});

test("resumed session stays a coordinator without the flag, until another flag changes it", async () => {
  const { run } = prepared();
  const tools = async (...args: string[]) => (await run(["-p", "tools?", ...args, ...model])).stdout;
  expect(await tools("--coordinator")).toBe(own);
  expect(await tools("-c")).toBe(own);
  expect(await tools("-c", "--no-coordinator")).toMatch(/Bash,.*Read/);
  expect(await tools("-c")).toMatch(/Bash,.*Read/);
});

test("TROUPE_COORDINATOR_MODE applies to new sessions", async () => {
  const { run } = prepared();
  const env = { TROUPE_COORDINATOR_MODE: "1" };
  expect((await run(["-p", "tools?", ...model], { env })).stdout).toBe(own);
  expect((await run(["-p", "tools?", "--no-coordinator", ...model], { env })).stdout).toMatch(/Bash/);
  expect((await run(["-p", "tools?", "-c", ...model], { env })).stdout).toMatch(/Bash/);
});

test("coordinator killed during a worker's job reads about the unfinished job", async () => {
  const place = prepared();
  const running = place.start(["-p", "hang", "--coordinator", "--output-format", "stream-json", ...model], {
    input: "",
  });
  await running.saw(/"type":"background.started"/);
  await running.saw(/"type":"agent.idle"/);
  running.child.kill("SIGKILL");
  await running.done;
  const { code, stdout } = await place.run(["-p", "-c", "--output-format", "stream-json", ...model]);
  expect(code).toBe(0);
  const events: Event[] = streamEnvelopes(stdout).map(({ event }) => event);
  expect(events.find((event) => event.type === "session.opened")).toMatchObject({ resumed: true, coordinator: true });
  const answer = events.findLast((event) => event.type === "turn.ended");
  expect(JSON.stringify(answer)).toContain(`b was lost; ${own.trim()}`);
});
