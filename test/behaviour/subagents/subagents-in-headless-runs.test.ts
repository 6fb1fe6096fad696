import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Envelope } from "../../../src/protocol/index.ts";
import { bypass, type Workplace, workplace } from "../../support/cli/workplace.ts";

/** A lead with two agents: it waits for one and gets a notice for the other. */
const team = `
const agent = (name, more) => ({ tool: "Agent", input: { description: "look at " + name, prompt: "look at " + name, subagent_type: "general-purpose", name, ...more } });
export default (ask) => {
  if (ask.agent === "lead/front") return { text: "front is fine" };
  if (ask.agent === "lead/back")
    return ask.results.length === 0 ? { text: "", calls: [{ tool: "Bash", input: { command: "cat notes.txt" } }] } : { text: "back says " + ask.result.text };
  if (ask.said.includes("<task-notification>")) return { text: "front is fine, and " + /back says \\w+/.exec(ask.said)[0] };
  if (ask.results.length === 0) return { text: "", calls: [agent("back", { run_in_background: true }), agent("front", {})] };
  return { text: "waiting for the other" };
};`;

const flags = ["--model", "scripted/team.mjs", ...bypass];

function withTeam(): Workplace {
  const place = workplace();
  place.write("team.mjs", team);
  place.write("notes.txt", "yes\n");
  return place;
}

test("text: the last answer contains the results of both agents", async () => {
  const { run } = withTeam();
  const { code, stdout, stderr } = await run(["-p", "go", ...flags]);
  expect({ code, stderr: stderr.replace(/^troupe: waiting for background jobs.*\n/, "") }).toEqual({
    code: 0,
    stderr: "",
  });
  expect(stdout).toBe("front is fine, and back says yes\n");
});

test("stream-json: events carry their agent's id and starting call; one completion notice each", async () => {
  const { run } = withTeam();
  const { code, stdout } = await run(["-p", "go", "--output-format", "stream-json", ...flags]);
  expect(code).toBe(0);
  const envelopes = stdout
    .trim()
    .split("\n")
    // The last line is the result.
    .slice(0, -1)
    .map((line) => Envelope.parse(JSON.parse(line)));
  const events = envelopes.map(({ event }) => event);
  const calls = events.flatMap((event) =>
    event.type === "tool.called" && event.name === "Agent" ? [event.callId] : [],
  );
  const spawned = envelopes.flatMap(({ agent, event }) =>
    event.type === "agent.spawned" && event.parent !== undefined ? [{ ...event, id: agent }] : [],
  );
  expect(spawned.map(({ path }) => path).toSorted()).toEqual(["lead/back", "lead/front"]);
  expect(new Set(spawned.map(({ callId }) => callId))).toEqual(new Set(calls));
  for (const { id } of spawned) {
    const own = envelopes.filter(({ agent }) => agent === id);
    const stored = own.map(({ seq }) => seq);
    expect(stored).toEqual(stored.toSorted((a, b) => a - b));
    expect(own.map(({ event }) => event.type)).toContain("agent.idle");
  }
  const back = spawned.find(({ path }) => path === "lead/back")?.id;
  expect(events.filter(({ type }) => type === "background.started")).toMatchObject([{ kind: "agent", agent: back }]);
  expect(events.filter(({ type }) => type === "background.ended")).toMatchObject([{ status: "completed" }]);
  const told = events.filter((event) => event.type === "prompt.admitted" && event.source === "background");
  expect(told).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: "session.closed", reason: "completed" });
});

const writer = `
const commit = "git -c user.name=A -c user.email=a@example.com commit -qam";
export default (ask) => {
  if (ask.agent === "lead")
    return ask.results.length === 0
      ? { text: "", calls: [{ tool: "Agent", input: { description: "be polite", prompt: "make a.txt polite", subagent_type: "general-purpose", name: "writer", isolation: "worktree" } }] }
      : { text: "done" };
  const path = /Work in (\\S+):/.exec(ask.said)?.[1];
  if (!path)
    return ask.results.length === 0 ? { text: "", calls: [{ tool: "Bash", input: { command: "echo one, please > a.txt && " + commit + " polite" } }] } : { text: "polite now" };
  const file_path = path + "/a.txt";
  if (ask.results.length === 0) return { text: "", calls: [{ tool: "Read", input: { file_path } }] };
  if (ask.result.tool === "Read") return { text: "", calls: [{ tool: "Write", input: { file_path, content: "ONE, PLEASE\\n" } }] };
  return { text: "loud and polite" };
};`;

test("troupe land --agent: the branch's author resolves the conflict, then the check runs", async () => {
  const place = workplace();
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", place.cwd, "-c", "user.name=T", "-c", "user.email=t@example.com", ...args], {
      encoding: "utf8",
    }).trim();
  git("init", "-q", "-b", "main");
  place.write(".gitignore", "team.mjs\n");
  place.write("team.mjs", writer);
  place.write("a.txt", "one\n");
  git("add", ".");
  git("commit", "-qm", "first");
  expect((await place.run(["-p", "go", ...flags])).stdout).toBe("done\n");
  place.write("a.txt", "ONE\n");
  git("commit", "-qam", "loud");
  const branch = git("for-each-ref", "--format=%(refname:short)", "refs/heads/troupe");
  const alone = await place.run(["land", branch]);
  expect(alone.code).toBe(1);
  expect(alone.stdout).toMatch(/not landed, conflict in a\.txt/);
  const landed = await place.run(["land", "--agent", branch, "--check", "grep -qx 'ONE, PLEASE' a.txt"]);
  expect({ code: landed.code, stderr: landed.stderr }).toEqual({ code: 0, stderr: "" });
  expect(landed.stdout).toMatch(/conflict goes to author agt_\w+/);
  expect(landed.stdout).toMatch(/✓ .*landed on main \(1 commit, conflict resolved\)/);
  expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("ONE, PLEASE\n");
  expect(git("log", "--format=%s")).toBe("polite\nloud\nfirst");
  expect(git("status", "--porcelain")).toBe("");
});
