import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createIdFactory } from "../../../src/platform/index.ts";
import type { SessionId } from "../../../src/protocol/index.ts";
import { createFileSessionStore } from "../../../src/store/index.ts";
import { systemClock } from "../../../src/testing.ts";
import type { TempTree } from "../../support/files/temp-tree.ts";
import { resultOf, teamSession, type TeamSession } from "../../support/team/team-session.ts";

const read = { tool: "Read", input: { file_path: "index.js" } };
const edit = { tool: "Edit", input: { file_path: "index.js", old_string: "one", new_string: "two" } };

/** A closed session in which the lead has read index.js. */
async function closedSession(): Promise<TeamSession & { readonly id: SessionId }> {
  const team = await teamSession({
    files: { "project/index.js": "one\n" },
    stored: true,
    answer: ({ turn }) => (turn === 1 ? { calls: [read] } : { text: "read" }),
  });
  await team.ask("read it");
  await team.close();
  return { ...team, id: team.session.id };
}

/** Resumes the session and lets the lead edit the file at once. */
async function editAfterRestart({ tree, id }: { tree: TempTree; id: string }): Promise<string> {
  const team = await teamSession({
    tree,
    stored: true,
    resume: id,
    answer: ({ turn }) => (turn === 3 ? { calls: [edit] } : { text: "edited" }),
  });
  await team.ask("edit it");
  return resultOf(team, 1, 3).text;
}

const content = (tree: TempTree) => readFileSync(tree.path("project/index.js"), "utf8");

test("file that was read before a restart can be edited after it", async () => {
  const team = await closedSession();
  expect(await editAfterRestart(team)).toContain("index.js at line 1.");
  expect(content(team.tree)).toBe("two\n");
});

test("file that changed between the read and the restart must be read again", async () => {
  const team = await closedSession();
  writeFileSync(team.tree.path("project/index.js"), "one, changed\n");
  expect(await editAfterRestart(team)).toContain("has changed on disk since it was read. Read it again");
  expect(content(team.tree)).toBe("one, changed\n");
});

test("file whose version an older log does not have must be read again, and the reason is the restart", async () => {
  const team = await closedSession();
  const createId = createIdFactory(systemClock);
  const store = createFileSessionStore({ home: team.tree.path("home/.troupe"), clock: systemClock, createId });
  const old = await store.create({ sessionId: createId<SessionId>("ses"), cwd: team.cwd });
  for (const { event } of (await store.read(team.id)).lead) {
    if (event.type === "tool.settled") delete event.files;
    await old.leadLog.record(event);
  }
  await old.close();
  expect(await editAfterRestart({ tree: team.tree, id: old.sessionId })).toContain(
    "was read before the program was restarted. Read it again",
  );
  expect(content(team.tree)).toBe("one\n");
});

test("fork edits a file that its parent has read", async () => {
  const team = await teamSession({
    files: { "project/index.js": "one\n" },
    flags: { forks: true },
    answer: ({ agent, turn }) => {
      if (agent !== "lead") return turn === 1 ? { calls: [edit] } : { text: "edited" };
      if (turn === 1) return { calls: [read] };
      if (turn === 2) return { calls: [{ tool: "Agent", input: { description: "edit", prompt: "Edit it." } }] };
      return { text: "done" };
    },
  });
  await team.ask("go");
  await team.quiet();
  expect(content(team.tree)).toBe("two\n");
});
