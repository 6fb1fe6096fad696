// Two plain Node programs that communicate: no model, no agent, nothing shared except a team's files. Either could be
// any program, or a person with `troupe team send` and `troupe team inbox`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTeam } from "troupe";

const home = await mkdtemp(join(tmpdir(), "troupe-two-scripts-"));
try {
  const team = await createTeam("kitchen", { home, members: ["cook", "waiter"] });

  // They start in any order: mail waits for its receiver.
  const start = (name) => {
    const script = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
    return spawn(process.execPath, [script, home], { stdio: ["ignore", "inherit", "inherit"] });
  };
  const ended = [start("waiter"), start("cook")].map((child) => once(child, "exit"));
  assert.deepEqual(await Promise.all(ended), [
    [0, null],
    [0, null],
  ]);

  // The result: every mail was read once, in order, with a valid signature; the cook completed every task.
  const mail = await team.mailbox.readAll("waiter");
  assert.deepEqual(
    mail.map(({ from, body, state, sender }) => [from, body.text, state, sender]),
    ["soup", "bread", "pie"].map((dish) => ["cook", `${dish} is ready`, "read", "verified"]),
  );
  assert.deepEqual(await team.mailbox.readUnread("cook"), []);
  assert.deepEqual(
    (await team.tasks.list()).map(({ subject, status, owner }) => [subject, status, owner]),
    ["soup", "bread", "pie"].map((dish) => [dish, "completed", "cook"]),
  );
  await assert.rejects(team.mailbox.send({ from: "cook", to: "waitor", text: "hello?" }), /Did you mean waiter\?/);
  await team.close();
} finally {
  await rm(home, { recursive: true, force: true });
}
