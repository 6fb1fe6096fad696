import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { allMessages } from "../../support/bus/all-messages.ts";
import { eventsOf, type FarTeam, farTeam, say, team } from "../../support/workers/team-on-workers.ts";
import { bypass, type Running } from "../../support/cli/workplace.ts";

/** The script of the members in all of these tests: `far` runs on a worker, `near` beside its lead. */
const words = `
const mate = (name, prompt, more = {}) => ({ tool: "Agent", input: { description: name, prompt, name, ...more } });
const tell = (to, message) => ({ tool: "SendMessage", input: { to, message } });
const bash = (command) => ({ tool: "Bash", input: { command, timeout: 90000 } });
const commit = (name) => bash("echo " + name + " > " + name + ".txt && git add -A && git commit -qm " + name);
const asked = (said) => /request_?id[^a-z]*(ask_\\w+)/i.exec(said)?.[1];
const agree = (id) => ({ calls: [tell("team-lead", { type: "shutdown_response", request_id: id, approve: true })] });
`;

const whole = `${words}
export default (ask) => {
  const { agent, said, results } = ask;
  const has = (tool) => results.some((each) => each.tool === tool);
  if (agent === "lead") {
    if (said.includes("please begin") && !has("Agent"))
      return { calls: [
        mate("near", "stay", { subagent_type: "Explore" }),
        mate("far", "write one", { isolation: "remote" }),
      ] };
    if (said.includes("please add") && !has("TaskCreate"))
      return { calls: [{ tool: "TaskCreate", input: { subject: "write two", description: "write two.txt", needs: ["Write"] } }] };
    if (said.includes("please end") && !has("SendMessage")) return { calls: [tell("far", { type: "shutdown_request", reason: "done" })] };
    return { text: "lead heard: " + said };
  }
  if (agent === "near@crew") return said.includes("hello from far") ? { text: "near was greeted" } : { text: "near is there" };
  const id = asked(said);
  if (id) return results.length === 0 ? agree(id) : { text: "bye" };
  if (said.includes("write two")) return results.length === 0 ? { calls: [commit("two"), { tool: "TaskUpdate", input: { taskId: "1", status: "completed" } }] } : { text: "two is written" };
  if (results.length === 0) return { calls: [tell("near", "hello from far"), tell("team-lead", "far has begun"), commit("one")] };
  return { text: "one is written" };
};`;

/** Allows this command of a member in the lead's session and returns the question. */
async function allow(running: Running, command: string) {
  const seen = await running.saw(new RegExp(`"type":"permission.asked"[^\\n]*${command}[^\\n]*"member"[^\\n]*\\n`));
  const question = eventsOf(seen)
    .flatMap(({ event }) => (event.type === "permission.asked" && event.member ? [event] : []))
    .at(-1);
  const answer = { behavior: "allow" };
  running.write(JSON.stringify({ type: "permission.reply", requestId: question?.requestId, answer }));
  return question;
}

test("teammate on a worker: mail, a task, a permission question, commits as a branch, shutdown", async () => {
  const place = await farTeam(whole);
  const worker = await place.worker("north", ["--permission-mode", "default"]);
  const running = place.start();
  say(running, "please begin");
  expect(await allow(running, "echo one")).toMatchObject({ tool: "Bash", member: { team, name: "far" } });
  await running.saw(/lead heard: [^\n]*one is written[^\n]*What was really done, by the log:[^\n]*echo one/);
  say(running, "please add");
  expect(await allow(running, "echo two")).toMatchObject({ tool: "Bash", member: { name: "far" } });
  await running.saw(/near was greeted/);
  await running.saw(/lead heard: [^\n]*two is written/);
  // The report to its lead names the branch, and the branch has its commits.
  const seen = await running.saw(/on the branch (troupe\/agent-\w+)/);
  const branch = /on the branch (troupe\/agent-\w+)/.exec(seen)?.[1] ?? "";
  expect(place.git("log", "--format=%an %s", `main..${branch}`)).toContain("Ada one");
  expect((await place.run("team", "show", team)).stdout).toContain(`on a worker; its commits are on ${branch}`);
  say(running, "please end");
  await running.saw(/far has agreed to end and has ended/);
  running.end();
  const { code, stdout, stderr } = await running.done;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(place.git("log", "--format=%s", `main..${branch}`).trim().split("\n")).toEqual(["two", "one"]);

  const envelopes = eventsOf(stdout);
  const far = envelopes.find(({ event }) => event.type === "agent.spawned" && event.path === "far@crew");
  const own = envelopes.filter(({ agent }) => agent === far?.agent);
  const types = own.map(({ event }) => event.type);
  for (const type of [
    "team.joined",
    "mail.received",
    "mail.sent",
    "task.claimed",
    "turn.ended",
    "agent.idle",
    "session.closed",
  ])
    expect(types).toContain(type);
  // Its complete session is on the lead's machine too.
  const transcript = await place.run("sessions", "show", String(far?.session));
  expect(transcript.stdout + transcript.stderr).toContain("one is written");
  // Its signing key is on the worker only.
  const stored = await allMessages(place.server.url);
  expect([stored.includes("MC4CAQAwBQYDK2Vw"), stored.includes("one is written")]).toEqual([false, true]);
  worker.child.kill("SIGTERM");
  expect((await worker.done).stdout).toMatch(/far@crew \(job_\w+\) completed/);
});

/** `far` commits, and then waits in the middle of a command as long as a file exists. */
const patient = `${words}
const wait = process.env.TROUPE_TEST_WAIT;
export default (ask) => {
  const { agent, said, results, request } = ask;
  const has = (tool) => results.some((each) => each.tool === tool);
  if (agent === "lead") {
    if (said.includes("please begin") && !has("Agent")) return { calls: [mate("far", "write one")] };
    if (said.includes("please tell") && !has("SendMessage")) return { calls: [tell("far", "now three")] };
    return { text: "lead heard: " + said };
  }
  if (said.includes("still there")) return { text: "I am, and have answered " + request.messages.filter(({ role }) => role === "assistant").length + " times" };
  if (said.includes("now three")) return results.some(({ text }) => text === "(no output)") ? { text: "three is written" } : { calls: [commit("three")] };
  if (results.length === 0) return { calls: [commit("one")] };
  if (ask.result.input.command.includes("echo one")) return { calls: [bash("echo begun; while test -e " + wait + "; do sleep 0.05; done")] };
  return { text: ask.system.includes("in another clone that is gone") ? "has adopted it" : "has waited" };
};`;

/** The command of `far` runs as long as this file exists. */
function holdUp(place: FarTeam): string {
  const file = join(place.lead.home, "wait");
  writeFileSync(file, "");
  onTestFinished(() => rmSync(file, { force: true }));
  return file;
}

const onWorkers = [
  "--settings",
  JSON.stringify({ bus: { leaseMs: 3000, workerWaitMs: 20_000 }, teams: { backend: "remote" } }),
];

test("killed worker: another one resumes the teammate with its transcript, commits and new mail", async () => {
  const place = await farTeam(patient);
  const env = { TROUPE_TEST_WAIT: holdUp(place) };
  const north = await place.worker("north", [], env);
  const running = place.start(onWorkers);
  say(running, "please begin");
  await running.saw(/"type":"tool.called"[^\n]*while test -e/);
  await north.saw(/: commit \w+ is on the bus/);
  north.child.kill("SIGKILL");
  say(running, "please tell");
  await running.saw(/"type":"mail.sent"[^\n]*"to":"far"[^]*"type":"mail.sent"[^\n]*"to":"far"/);
  const south = await place.worker("south", [], env);
  await running.saw(/far lost its worker north\. south adopts it and continues/);
  await running.saw(/lead heard: [^\n]*three is written/);
  // A worker that claims no more jobs releases its members when they are idle.
  const west = await place.worker("west");
  south.child.kill("SIGINT");
  await south.saw(/was released to other workers/);
  await west.saw(/far@crew [^\n]* starts \(attempt \d\)/);
  await place.run("team", "send", team, "far", "still there?");
  await running.saw(/I am, and have answered \d times/);
  running.end();
  const { code, stdout } = await running.done;
  expect(code).toBe(0);
  const envelopes = eventsOf(stdout);
  const far = envelopes.find(({ event }) => event.type === "agent.spawned" && event.path === "far@crew");
  const own = envelopes.filter(({ agent }) => agent === far?.agent).map(({ event }) => event);
  // One session over all runs, in which each mail was read once.
  const lives = own.flatMap((event) => (event.type === "session.opened" ? [event.resumed] : []));
  expect([lives[0], lives.length >= 3, new Set(lives.slice(1))]).toEqual([false, true, new Set([true])]);
  const heard = own.flatMap((event) => (event.type === "mail.received" && event.kind === "text" ? [event.mailId] : []));
  expect([heard.length, new Set(heard).size]).toEqual([3, 3]);
  const branch = place.git("for-each-ref", "--format=%(refname:short)", "refs/heads/troupe").trim();
  expect(place.git("log", "--format=%s", `main..${branch}`).trim().split("\n")).toEqual(["three", "one"]);
  west.child.kill("SIGTERM");
  for (const worker of [south, west]) await worker.done;
});

test("lead killed and resumed: the teammate worked all the time; the shell stops and respawns it", async () => {
  const place = await farTeam(patient);
  const wait = holdUp(place);
  const worker = await place.worker("north", [], { TROUPE_TEST_WAIT: wait });
  const first = place.start(onWorkers);
  say(first, "please begin");
  const seen = await first.saw(/"type":"tool.called"[^\n]*while test -e/);
  first.child.kill("SIGKILL");
  await first.done;
  const session = eventsOf(seen).find(({ event }) => event.type === "session.opened")?.session;
  const running = place.start([...onWorkers, "--resume", String(session)]);
  await running.saw(/"type":"session.opened"[^\n]*"resumed":true/);
  await running.saw(/"type":"member.changed"[^\n]*"name":"far","state":"working"/);
  rmSync(wait);
  await running.saw(/lead heard: [^\n]*has waited/);
  await running.saw(/"type":"member.changed"[^\n]*"name":"far","state":"idle"/);
  expect((await place.run("team", "show", team)).stdout).toMatch(/far[^\n]*idle/);

  expect(await place.run("team", "stop", team, "far", "--now")).toMatchObject({ code: 0 });
  await worker.saw(/far@crew \(job_\w+\) completed/);
  expect(await place.run("team", "respawn", team, "far")).toMatchObject({ code: 0 });
  await worker.saw(/\) starts[^]*\) starts/);
  await place.run("team", "send", team, "far", "still there?");
  // It knows its earlier work.
  await running.saw(/lead heard: [^\n]*I am, and have answered 3 times/);
  running.end();
  expect((await running.done).code).toBe(0);
  worker.child.kill("SIGTERM");
  expect((await worker.done).stdout.match(/\) starts/g)).toHaveLength(2);
});

test("lead gone too long: the teammate commits, is suspended, and resumes with its lead", async () => {
  const place = await farTeam(patient);
  const wait = holdUp(place);
  const worker = await place.worker("north", [], { TROUPE_TEST_WAIT: wait });
  const short = { bus: { leaseMs: 3000, workerWaitMs: 20_000, leadWaitMs: 3000 }, teams: { backend: "remote" } };
  const settings = ["--settings", JSON.stringify(short)];
  const first = place.start(settings);
  say(first, "please begin");
  const seen = await first.saw(/"type":"tool.called"[^\n]*while test -e/);
  await worker.saw(/: commit \w+ is on the bus/);
  first.child.kill("SIGKILL");
  await first.done;
  await worker.saw(/far@crew \(job_\w+\) interrupted/);
  const session = eventsOf(seen).find(({ event }) => event.type === "session.opened")?.session;
  const running = place.start([...settings, "--resume", String(session)]);
  await worker.saw(/\) starts[^]*\) starts/);
  await running.saw(/lead heard: [^\n]*has adopted it/);
  const branch = place.git("for-each-ref", "--format=%(refname:short)", "refs/heads/troupe").trim();
  expect(place.git("log", "--format=%s", `main..${branch}`)).toBe("one\n");
  running.end();
  expect((await running.done).code).toBe(0);
  worker.child.kill("SIGTERM");
  await worker.done;
});

test("team without a bus refuses remote teammates and says what to do", async () => {
  const place = await farTeam(whole);
  const model = `scripted/${place.lead.write("../script.mjs", whole)}`;
  const common = ["-p", "please begin", "--team", team, "--model", model, ...bypass, "--output-format", "stream-json"];
  const { stdout } = await place.lead.run(common);
  expect(stdout).toMatch(/"type":"tool.settled"[^\n]*remote needs a bus[^\n]*--bus nats:/);
});
