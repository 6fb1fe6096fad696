import { afterEach, expect, test } from "vitest";
import { type Ask, type ModelServer, startModelServer } from "../../../src/testing.ts";
import { type Workplace, workplace } from "../../support/cli/workplace.ts";
import { environment, firstOfForks, isForks, spawning, unmarked } from "../../support/session/fork-session.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function open(answer: (ask: Ask) => object): Promise<{ server: ModelServer; place: Workplace }> {
  const server = await startModelServer({ script: answer });
  servers.push(server);
  return { server, place: workplace() };
}

const run = (place: Workplace, server: ModelServer, ...args: string[]) =>
  place.run(["-p", "--model", "anthropic/claude-sonnet-5-5", "--permission-mode", "bypassPermissions", ...args], {
    env: environment(place.home, server),
  });

test("fork left by another process resumes with the same bytes", async () => {
  const { server, place } = await open((ask) => {
    if (isForks(ask)) {
      if (ask.said.includes("Once more")) return { text: "Second report." };
      return ask.results.some(({ tool }) => tool === "Glob")
        ? { text: "First report." }
        : { thinking: "A look.", calls: [{ tool: "Glob", input: { pattern: "*.ts" } }] };
    }
    if (ask.said.includes("task-notification")) return { text: "Heard." };
    if (ask.said === "Wake it." && ask.results.length === 0)
      return { calls: [{ tool: "SendMessage", input: { to: "helper", message: "Once more." } }] };
    return ask.results.length > 0 ? { text: "Done." } : spawning(2, (index) => (index === 0 ? { name: "helper" } : {}));
  });
  expect(await run(place, server, "--forks", "Divide it.")).toMatchObject({ code: 0 });
  expect(firstOfForks(server.requests)).toHaveLength(2);
  const before = server.requests.length;
  expect(await run(place, server, "--forks", "--continue", "Wake it.")).toMatchObject({ code: 0 });

  const last = server.requests.slice(0, before).filter(({ rawBody }) => rawBody.includes("Look after part 0 of 2."));
  const longest = last
    .map(unmarked)
    .filter(
      (body) =>
        body.includes("<fork-instructions>") && body.lastIndexOf("part 0 of 2") > body.indexOf("<fork-instructions>"),
    )
    .reduce((a, b) => (a.length > b.length ? a : b));
  const woken = server.requests
    .slice(before)
    .map(unmarked)
    .find((body) => body.includes("<fork-instructions>") && body.includes("Once more."));
  expect(woken?.startsWith(longest.slice(0, -2))).toBe(true);
  expect(woken?.slice(longest.length - 2)).toBe(
    ',{"role":"assistant","content":[{"type":"text","text":"First report."}]},{"role":"user","content":[{"type":"text","text":"Once more."}]}]}',
  );
});

test.each([
  ["without --forks it is general-purpose, and knows its prompt alone", []],
  ["with --forks it is a fork", ["--forks"]],
])("headless: %s", async (_, flags) => {
  const { server, place } = await open((ask) => {
    if (ask.request.messages.length > 1 && !isForks(ask)) return { text: "Done." };
    return ask.said.includes("Look after part 0") ? { text: "Report." } : spawning(1);
  });
  const { code, stdout } = await run(place, server, ...flags, "--output-format", "stream-json", "Divide it.");
  expect(code).toBe(0);
  expect(firstOfForks(server.requests)).toHaveLength(flags.length);
  expect(stdout).toContain(`"agentType":"${flags.length > 0 ? "fork" : "general-purpose"}"`);
  const child = server.requests[1]?.body as { messages: unknown[]; system: unknown };
  const lead = server.requests[0]?.body as { system: unknown };
  expect(child.messages).toHaveLength(flags.length > 0 ? 3 : 1);
  expect(JSON.stringify(child.system) === JSON.stringify(lead.system)).toBe(flags.length > 0);
});
