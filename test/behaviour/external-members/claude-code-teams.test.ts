import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bypass, workplace, type Workplace } from "../../support/cli/workplace.ts";

const double = join(import.meta.dirname, "../../support/programs/claude-code-double.mjs");
const claude = ["--team-store", "claude"] as const;

/** A stand-in for Claude Code beside the program, and its output so far. */
function startDouble(place: Workplace, args: readonly string[], wishes: object = {}) {
  const [role = "", team = "", name = ""] = args;
  const words = [double, role, join(place.home, ".claude"), team, name, JSON.stringify(wishes)];
  const child: ChildProcess = spawn(process.execPath, words, { cwd: place.cwd, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  const lookers = new Set<() => void>();
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    for (const look of lookers) look();
  });
  const done = new Promise<number | null>((resolve) => child.on("close", resolve));
  const saw = (pattern: RegExp) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!pattern.test(text)) return;
        lookers.delete(look);
        resolve();
      };
      lookers.add(look);
      look();
    });
  return { done, saw, said: () => text };
}

const configOf = (place: Workplace, team: string) =>
  JSON.parse(readFileSync(join(place.home, ".claude", "teams", team, "config.json"), "utf8")) as {
    members: { name: string }[];
    theirs?: unknown;
  };

test("Troupe leads, Claude Code works: prompt, report, idle, shutdown", async () => {
  const place = workplace();
  place.write(
    "s.mjs",
    `export default (ask) => {
      const said = ask.said ?? "";
      if (ask.turn === 1) return { calls: [{ tool: "SendMessage", input: { to: "w1", message: "count the files" } }] };
      if (/done: count the files/.test(said))
        return ask.results.length > 0
          ? { text: "asked it to end" }
          : { calls: [{ tool: "SendMessage", input: { to: "w1", message: { type: "shutdown_request", reason: "enough" } } }] };
      // The notice of its end may come before or after the end of its session.
      return { text: /has agreed/.test(said) ? "asked it to end" : "I wait." };
    };`,
  );
  const made = await place.run(["team", "create", "crew", "--member", "w1", ...claude]);
  expect(made.stdout).toMatch(
    /\nclaude --agent-id w1@crew --agent-name w1 --team-name crew --agent-color \w+ --parent-session-id [0-9a-f-]{36}\n/,
  );
  const worker = startDouble(place, ["teammate", "crew", "w1"]);
  const flags = ["--team", "crew", "--model", "scripted/s.mjs", ...bypass];
  const lead = await place.run(["-p", "let w1 count", ...claude, ...flags]);
  expect({ code: lead.code, out: lead.stdout }).toEqual({ code: 0, out: expect.stringContaining("asked it to end") });
  expect(await worker.done).toBe(0);
  expect(worker.said()).toContain("count the files");
  expect(configOf(place, "crew").members.map(({ name }) => name)).toEqual(["team-lead"]);
  const shown = await place.run(["team", "list", ...claude, "--json"]);
  expect(JSON.parse(shown.stdout)).toMatchObject([{ name: "crew" }]);
  expect((await place.run(["team", "list", "--json"])).stdout.trim()).toBe("[]");
});

test("headless lead stops waiting for a member whose program never starts, and its last answer says so", async () => {
  const place = workplace();
  place.write(
    "s.mjs",
    `export default (ask) =>
      ask.turn === 1
        ? { calls: [{ tool: "SendMessage", input: { to: "w1", message: "count the files" } }] }
        : { text: /w1 has shown no sign/.test(ask.said ?? "") ? "w1 never came." : "I wait." };`,
  );
  await place.run(["team", "create", "crew", "--member", "w1", ...claude]);
  const settings = JSON.stringify({ watchdog: { startMs: 1_000 } });
  const flags = ["--team", "crew", "--model", "scripted/s.mjs", "--settings", settings, ...bypass];
  const lead = await place.run(["-p", "let w1 count", ...claude, ...flags, "--output-format", "json"]);
  const result = JSON.parse(lead.stdout) as { result: string };
  expect({ code: lead.code, result: result.result }).toEqual({ code: 0, result: "w1 never came." });
});

describe("member that Claude Code runs asks for a permission", () => {
  const cases = [
    ["gets it", { behavior: "allow" }, "got success"],
    ["is refused at once", { behavior: "deny", message: "Not today." }, "refused: Not today."],
  ] as const;
  test.each(cases)("and %s", async (_, answer, outcome) => {
    const place = workplace();
    place.write(
      "s.mjs",
      `export default (ask) =>
      ask.turn === 1
        ? { calls: [{ tool: "SendMessage", input: { to: "w1", message: "touch it" } }] }
        : { text: (ask.said ?? "").includes("${outcome}") ? "it heard" : "I wait." };`,
    );
    await place.run(["team", "create", "crew", "--member", "w1", ...claude]);
    startDouble(place, ["teammate", "crew", "w1"], { asks: true });
    const flags = ["--team", "crew", "--model", "scripted/s.mjs", ...bypass];
    const streams = ["--input-format", "stream-json", "--output-format", "stream-json"];
    const lead = place.start(["-p", ...claude, ...flags, ...streams]);
    lead.write(JSON.stringify({ type: "prompt", content: "go" }));
    const asked = await lead.saw(/"type":"permission\.asked"/);
    const requestId = /"permission\.asked"[^\n]*?"requestId":"(ask_\w+)"/.exec(asked)?.[1];
    lead.write(JSON.stringify({ type: "permission.reply", requestId, answer }));
    await lead.saw(/it heard/);
    lead.end();
    expect((await lead.done).code).toBe(0);
  });
});

test("headless lead refuses what a member of Claude Code asks, and the member continues", async () => {
  const place = workplace();
  place.write(
    "s.mjs",
    `export default (ask) =>
      ask.turn === 1
        ? { calls: [{ tool: "SendMessage", input: { to: "w1", message: "touch it" } }] }
        : { text: /refused: /.test(ask.said ?? "") ? "it was refused" : "I wait." };`,
  );
  await place.run(["team", "create", "crew", "--member", "w1", ...claude]);
  startDouble(place, ["teammate", "crew", "w1"], { asks: true });
  const lead = await place.run(["-p", ...claude, "--team", "crew", "--model", "scripted/s.mjs", ...bypass, "go"]);
  expect({ code: lead.code, out: lead.stdout }).toEqual({ code: 0, out: expect.stringContaining("it was refused") });
});

test("member that Claude Code runs presents a plan, and the lead's model approves it", async () => {
  const place = workplace();
  place.write(
    "s.mjs",
    `export default (ask) => {
      if (ask.turn === 1) return { calls: [{ tool: "SendMessage", input: { to: "w1", message: "plan it" } }] };
      const id = /"request_id":"(ask_[0-9a-z]+)"/.exec(ask.said ?? "")?.[1];
      if (id && /1\\. look/.test(ask.said))
        return { calls: [{ tool: "SendMessage", input: { to: "w1", message: { type: "plan_approval_response", request_id: id, approve: true } } }] };
      return { text: /plan approved: default/.test(ask.said ?? "") ? "it begins" : "I wait." };
    };`,
  );
  await place.run(["team", "create", "crew", "--member", "w1", ...claude]);
  startDouble(place, ["teammate", "crew", "w1"], { plans: true });
  const lead = await place.run(["-p", ...claude, "--team", "crew", "--model", "scripted/s.mjs", ...bypass, "go"]);
  expect({ code: lead.code, out: lead.stdout }).toEqual({ code: 0, out: expect.stringContaining("it begins") });
});

test("Claude Code leads, Troupe joins, works, asks, reports, ends, and leaves nothing behind", async () => {
  const place = workplace();
  place.write(
    "m.mjs",
    `export default (ask) => {
      const said = ask.said ?? "";
      const id = /ask_[0-9a-z]+/.exec(said)?.[0];
      if (id) return { calls: [{ tool: "SendMessage", input: { to: "team-lead", message: { type: "shutdown_response", request_id: id, approve: true } } }] };
      return ask.results.length > 0 ? { text: "made it" } : { calls: [{ tool: "Bash", input: { command: "touch made-by-member" } }] };
    };`,
  );
  const lead = startDouble(place, ["lead", "session-1a2b3c4d", "team-lead"], { job: "make the file" });
  await lead.saw(/"made"/);
  const args = ["-p", ...claude, "--team", "session-1a2b3c4d", "--as", "scout", "--model", "scripted/m.mjs"];
  const member = await place.run([...args, "You are here to help."], {});
  expect({ code: member.code, err: member.stderr }).toEqual({ code: 0, err: "" });
  expect(await lead.done).toBe(0);
  expect(existsSync(join(place.cwd, "made-by-member"))).toBe(true);
  for (const part of ['"joined"', "permission_request", "idle_notification", "made it", "shutdown_approved"])
    expect(lead.said()).toContain(part);
  const team = configOf(place, "session-1a2b3c4d");
  expect(team).toMatchObject({ futureField: "kept", members: [{ name: "team-lead", futureField: 1 }] });
  expect(team.members).toHaveLength(1);
  const left = readdirSync(join(place.home, ".claude", "teams", "session-1a2b3c4d"), { recursive: true });
  expect(left.filter((name) => /\.(lock|tmp|bad)/.test(String(name)))).toEqual([]);
});

test("Claude Code's lead approves the plan of a member of ours; a deleted team ends the member", async () => {
  const place = workplace();
  place.write(
    "m.mjs",
    `export default (ask) =>
      ask.results.length > 0
        ? { text: "came to: " + ask.results[0].text }
        : { calls: [{ tool: "ExitPlanMode", input: { plan: "1. do it" } }] };`,
  );
  const lead = startDouble(place, ["lead", "session-1", "team-lead"], { job: "plan it" });
  await lead.saw(/"made"/);
  const flags = ["--permission-mode", "plan", "--model", "scripted/m.mjs"];
  const member = place.start(["-p", ...claude, "--team", "session-1", ...flags], { input: "" });
  await lead.saw(/came to: .*approved/);
  await member.saw(/shutdown request/);
  // The member may add a file while the folder is deleted. Then the deletion continues, as that of Claude Code does.
  rmSync(join(place.home, ".claude", "teams", "session-1"), { recursive: true, maxRetries: 10 });
  expect(await member.done).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(join(place.home, ".claude", "teams", "session-1"))).toBe(false);
});

test("tasks of a Claude Code team from the shell; an unknown team store is refused", async () => {
  const place = workplace();
  await place.run(["team", "create", "crew", ...claude]);
  expect((await place.run(["tasks", "add", "fix", "it", "--team", "crew", ...claude])).stdout).toContain("#1 fix it");
  const file = join(place.home, ".claude", "tasks", "crew", "1.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ id: "1", subject: "fix it", status: "pending" });
  expect((await place.run(["tasks", "done", "1", "--team", "crew", ...claude])).code).toBe(0);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ status: "completed", owner: "user" });
  const elsewhere = { env: { CLAUDE_CONFIG_DIR: join(place.home, "other") } };
  expect((await place.run(["team", "list", ...claude], elsewhere)).stdout).toContain("no teams");
  const wrong = await place.run(["team", "list", "--team-store", "unknown"]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("Use troupe or claude.") });
});
