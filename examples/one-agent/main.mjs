// One agent, controlled from code: it writes a file, the program grants permission, and the session is resumed later.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession } from "troupe";
import { createScriptedModel, script, systemClock } from "troupe/testing";

// Everything happens in a temporary folder: the project, and TROUPE_HOME, which contains the sessions.
const root = await mkdtemp(join(tmpdir(), "troupe-one-agent-"));
const cwd = join(root, "project");
await mkdir(cwd);
const env = { PATH: process.env.PATH, HOME: root, TROUPE_HOME: join(root, ".troupe") };

// Omit `model`, or set "anthropic/…" or "openai/…", to use a real model.
const scripted = (steps) => createScriptedModel(script({ version: 1, steps }), { clock: systemClock, cwd });

try {
  const questions = [];
  const model = scripted([
    {
      text: "I write the greeting.",
      calls: [{ tool: "Write", input: { file_path: "hello.txt", content: "Hello!\n" } }],
    },
    { text: "hello.txt is written." },
  ]);
  const session = await createSession({
    cwd,
    env,
    model,
    async onPermission(question) {
      questions.push(question.question);
      return { behavior: "allow", scope: "once" };
    },
  });

  // Events arrive from this call on; the loop ends when the session is closed.
  const seen = [];
  const watching = (async () => {
    for await (const { event } of session.events()) {
      seen.push(event.type);
      if (event.type === "tool.called") console.log(`  ${event.title}`);
      if (event.type === "text.delta") process.stdout.write(event.text);
      if (event.type === "turn.ended") process.stdout.write("\n");
    }
  })();

  const reply = await session.ask("Write a greeting to hello.txt");
  await session.close();
  await watching;

  assert.equal(reply.text, "hello.txt is written.");
  assert.deepEqual([reply.reason, reply.turns, reply.denials], ["completed", 2, []]);
  assert.equal(await readFile(join(cwd, "hello.txt"), "utf8"), "Hello!\n");
  assert.equal(questions.length, 1);
  assert.match(questions[0], /Write hello\.txt/);
  // A question is stored before its answer, and a call before it runs.
  assert.ok(seen.indexOf("permission.asked") < seen.indexOf("permission.settled"));
  assert.ok(seen.indexOf("tool.called") < seen.indexOf("tool.settled"));
  assert.equal(seen.at(-1), "session.closed");
  model.assertAllUsed();

  // Later, perhaps in another process: the same session with its whole conversation.
  const later = scripted([(ask) => ({ text: `I remember ${ask.request.messages.length - 1} messages.` })]);
  const resumed = await createSession({ cwd, env, model: later, resume: session.id });
  const memory = await resumed.ask("What do you remember?");
  await resumed.close();
  assert.equal(memory.text, "I remember 4 messages.");
  console.log(memory.text);
} finally {
  await rm(root, { recursive: true, force: true });
}
