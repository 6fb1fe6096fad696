// A lead and two teammates: they share a task list, send mail to each other by name, ask before they change anything,
// and shut down on request.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession, openTeam } from "troupe";
import { createScriptedModel, systemClock } from "troupe/testing";

const root = await mkdtemp(join(tmpdir(), "troupe-team-"));
const cwd = join(root, "project");
const env = { PATH: process.env.PATH, HOME: root, TROUPE_HOME: join(root, ".troupe") };
const page = join(cwd, "page.txt");

// The models' answers. Omit `model` below, or set "anthropic/…" or "openai/…", to use real models.
const call = (tool, input) => ({ tool, input });
const send = (to, message, summary) => call("SendMessage", { to, message, summary });
const done = (taskId) => call("TaskUpdate", { taskId, status: "completed" });
const start = (name) =>
  call("Agent", { name, description: "writes and reads", prompt: "Your work is on the task list." });
const gone = new Set();

function lead({ said, result, turn }) {
  if (turn === 1) return { text: "I start a team.", calls: [start("ann"), start("bob")] };
  if (result?.tool === "Agent") {
    const write = { subject: "Write the page", description: "One line in page.txt.", needs: ["Write"] };
    // Troupe itself runs the check: the task is done, and the second one unblocked, only when it passes.
    const check = { acceptance: [{ command: "grep -q Troupe page.txt" }] };
    const read = { subject: "Read the page", description: "Tell the other what you think.", blockedBy: [1] };
    return { calls: [call("TaskCreate", { ...write, ...check }), call("TaskCreate", read)] };
  }
  // No polling: the lead is woken when all members are idle.
  const isDone = said.includes("No teammate is working now") && !said.includes("still open");
  if (isDone && result === undefined && gone.size === 0)
    return { calls: ["ann", "bob"].map((name) => send(name, { type: "shutdown_request" })) };
  for (const [, name] of said.matchAll(/(\w+) has agreed to end and has ended/g)) gone.add(name);
  return { text: gone.size === 2 ? "The paper is out." : "I wait." };
}

function member({ agent, said, result }) {
  const request = /"request_id":"([^"]+)"/.exec(said)?.[1];
  const agree = { type: "shutdown_response", request_id: request, approve: true };
  if (request !== undefined) return result ? { text: "Bye." } : { calls: [send("team-lead", agree)] };
  // An idle member claims the next task; of two members, only one gets it.
  const other = agent.startsWith("ann@") ? "bob" : "ann";
  const task = /<task id="(\d)"/.exec(said)?.[1];
  if (task === "1") {
    if (result?.tool === "Write") return { calls: [done(1)] };
    if (result?.tool === "TaskUpdate") return { text: "The page is written." };
    return { calls: [call("Write", { file_path: page, content: "Troupe: agents that work together.\n" })] };
  }
  if (task === "2") {
    if (result?.tool === "Read") return { calls: [send(other, "One line says it all.", "the page is good"), done(2)] };
    if (result?.tool === "TaskUpdate") return { text: "The page is read." };
    return { calls: [call("Read", { file_path: page })] };
  }
  return { text: "Ready." };
}

const model = createScriptedModel((ask) => (ask.agent === "lead" ? lead(ask) : member(ask)), {
  clock: systemClock,
  cwd,
});

try {
  await mkdir(cwd);
  // Members ask their lead; the answers to the lead's questions also answer theirs.
  const asked = [];
  const session = await createSession({
    cwd,
    env,
    model,
    team: "press",
    onPermission: async ({ member, tool }) => {
      asked.push(`${member?.name}: ${tool}`);
      return { behavior: "allow", scope: "once" };
    },
  });

  // The lead's own event stream contains the state of members and tasks, wherever the members run.
  const steps = [];
  const watching = (async () => {
    for await (const { event } of session.events()) {
      if (event.type === "task.changed") steps.push(`#${event.task.id} ${event.task.status} ${event.task.owner ?? ""}`);
      if (event.type === "member.changed" && event.role === "teammate") console.log(`  ${event.name}: ${event.state}`);
      if (event.type === "turn.ended" && event.parts.some((part) => part.text === "The paper is out.")) return;
    }
  })();
  await session.ask("Have a page written and read.");
  await watching;
  await session.close();

  assert.equal(await readFile(page, "utf8"), "Troupe: agents that work together.\n");

  // The team is stored in files: any program can read it afterwards, or take part while it works.
  const team = await openTeam("press", { home: env.TROUPE_HOME });
  const tasks = await team.tasks.list();
  const { members } = await team.record.read();
  const mail = [...(await team.mailbox.readAll("ann")), ...(await team.mailbox.readAll("bob"))];
  await team.close();
  assert.deepEqual(asked, [`${tasks[0].owner}: Write`]);
  assert.ok(steps.includes(`#1 in_progress ${tasks[0].owner}`));
  assert.deepEqual(
    tasks.map(({ status, proof }) => [status, proof]),
    [
      ["completed", "verified"],
      ["completed", "claimed"],
    ],
  );
  for (const { name, ended } of members) assert.equal(ended?.reason, name === "team-lead" ? undefined : "shutdown");
  assert.ok(mail.some(({ summary }) => summary === "the page is good"));
  assert.ok(mail.every(({ read }) => read));
  for (const task of tasks) console.log(`#${task.id} ${task.subject}: ${task.proof}, ${task.owner}`);
} finally {
  await rm(root, { recursive: true, force: true });
}
