// A lead and two agents of a custom type, each in its own worktree. They work in parallel, one is resumed, and their
// commits are landed.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createSession } from "troupe";
import { createScriptedModel, script, systemClock } from "troupe/testing";

const root = await mkdtemp(join(tmpdir(), "troupe-sub-agents-"));
const cwd = join(root, "project");
const env = { PATH: process.env.PATH, HOME: root, TROUPE_HOME: join(root, ".troupe") };
const run = async (command, ...args) => (await promisify(execFile)(command, args, { cwd, env })).stdout;
const git = (...args) => run("git", ...args);
const troupe = join(dirname(fileURLToPath(import.meta.resolve("troupe/package.json"))), "dist", "troupe.cjs");

// An agent type is a file. It has only the tools it needs.
const translator = `---
name: translator
description: Translates greeting.txt into one language and commits the translation.
tools: Read, Write, Bash(git add:*), Bash(git commit:*)
---
You translate greeting.txt into the language you are given. Write the translation to a separate file and commit it.
`;

// The models' answers. Omit `model` below, or set "anthropic/…" or "openai/…", to use real models.
const start = (name, language) => ({
  tool: "Agent",
  input: {
    name,
    subagent_type: "translator",
    isolation: "worktree",
    description: `translate to ${language}`,
    prompt: `Translate greeting.txt to ${language}, into ${name}.txt, and commit it.`,
  },
});
const write = (file, content) => ({ calls: [{ tool: "Write", input: { file_path: file, content } }] });
const commit = (file, message) => ({
  calls: [{ tool: "Bash", input: { command: `git add ${file} && git commit --message "${message}"` } }],
});
const reports = [];
const model = createScriptedModel(
  script({
    version: 1,
    agents: {
      lead: {
        steps: [
          // Two calls in one answer run in parallel.
          { text: "I have both translated at once.", calls: [start("french", "French"), start("spanish", "Spanish")] },
          ({ results }) => {
            reports.push(...results.map(({ text }) => text));
            // A finished agent can be resumed: it continues with its whole conversation.
            return { calls: [{ tool: "SendMessage", input: { to: "french", message: "Add: and to you, too." } }] };
          },
          { text: "I wait for the second line." },
          ({ said }) => {
            reports.push(said);
            return { text: "Both translations are done." };
          },
        ],
      },
      "lead/french": {
        steps: [
          write("french.txt", "Bonjour !\n"),
          commit("french.txt", "Greet in French"),
          { text: "french.txt is committed." },
          { calls: [{ tool: "Read", input: { file_path: "french.txt" } }] },
          write("french.txt", "Bonjour !\nEt à vous aussi.\n"),
          commit("french.txt", "Greet back in French"),
          { text: "The second line is committed." },
        ],
      },
      "lead/spanish": {
        steps: [
          write("spanish.txt", "¡Hola!\n"),
          commit("spanish.txt", "Greet in Spanish"),
          { text: "spanish.txt is committed." },
        ],
      },
    },
  }),
  { clock: systemClock, cwd },
);

try {
  await mkdir(join(cwd, ".troupe", "agents"), { recursive: true });
  await writeFile(join(cwd, ".troupe", "agents", "translator.md"), translator);
  await writeFile(join(cwd, "greeting.txt"), "Hello!\n");
  await git("init", "--quiet", "--initial-branch=main");
  await git("config", "user.name", "Example");
  await git("config", "user.email", "example@example.invalid");
  await git("add", ".");
  await git("commit", "--quiet", "--message", "Greet");

  const session = await createSession({
    cwd,
    env,
    model,
    permissionMode: "acceptEdits",
    allowedTools: ["Bash(git add:*)", "Bash(git commit:*)"],
    onPermission: "nobody",
  });

  // Every event names its agent. The start of an agent contains its worktree and branch.
  const names = new Map();
  const branches = new Map();
  const began = [];
  const watching = (async () => {
    for await (const { agent, event } of session.events()) {
      if (event.type === "agent.spawned") {
        names.set(agent, event.path);
        if (event.worktree) branches.set(event.path, event.worktree.branch);
      }
      if (event.type === "tool.called") console.log(`  ${names.get(agent) ?? "lead"}: ${event.title}`);
      if (event.type === "tool.called") began.push(event.name);
    }
  })();

  const reply = await session.ask("Have greeting.txt translated to French and Spanish.");
  // A resumed agent works in the background. The lead is notified of its end and continues, and `ask` waits for that.
  assert.equal(reply.text, "Both translations are done.");
  await session.close();
  await watching;

  assert.deepEqual(began.slice(0, 2), ["Agent", "Agent"]);
  assert.deepEqual(new Set(branches.keys()), new Set(["lead/french", "lead/spanish"]));
  // A result contains the agent's text, and then the evidence from the log.
  assert.match(reports[0], /^french\.txt is committed\./);
  assert.match(reports[0], /What was really done, by the log:/);
  assert.match(reports[0], /changed: `.*french\.txt`/);
  assert.match(reports[0], /git commit.*\(exit 0/);
  assert.match(reports[0], /^diff: 1 file, \+1 -0/m);
  assert.match(reports[2], /<task-notification>[^]*The second line is committed\./);
  model.assertAllUsed();

  // The project itself is unchanged: the work is on branches, and is landed on request.
  assert.equal((await git("log", "--format=%s")).trim(), "Greet");
  const check = "test -s french.txt && test -s spanish.txt";
  console.log(await run(process.execPath, troupe, "land", ...branches.values(), "--check", check));
  await run(process.execPath, troupe, "worktree", "prune");

  assert.equal(await readFile(join(cwd, "french.txt"), "utf8"), "Bonjour !\nEt à vous aussi.\n");
  assert.equal(await readFile(join(cwd, "spanish.txt"), "utf8"), "¡Hola!\n");
  assert.equal((await git("log", "--format=%s")).trim().split("\n").length, 4);
  assert.equal((await git("worktree", "list")).trim().split("\n").length, 1);
  assert.equal((await git("branch", "--format=%(refname:short)")).trim(), "main");
} finally {
  await rm(root, { recursive: true, force: true });
}
