import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createIdFactory } from "../../../src/platform/index.ts";
import type { StoredEvent } from "../../../src/protocol/index.ts";
import { createFileSessionStore } from "../../../src/store/index.ts";
import { systemClock } from "../../../src/testing.ts";
import { teamSession, textOf } from "../../support/team/team-session.ts";

const files = { "project/num.js": "outer\n", "project/test/num.js": "inner\n" };
const bash = (command: string) => ({ tool: "Bash", input: { command } });

test("cd in Bash moves neither the paths of the other tools nor the next command", async () => {
  const team = await teamSession({
    files,
    answer: ({ turn }) => {
      if (turn === 1)
        return { calls: [bash("cd test && cat num.js"), { tool: "Read", input: { file_path: "num.js" } }] };
      if (turn === 2)
        return {
          calls: [
            { tool: "Edit", input: { file_path: "num.js", old_string: "outer", new_string: "changed" } },
            bash("mkdir -p a/b"),
          ],
        };
      return { text: "done" };
    },
  });
  await team.ask("go");
  const said = textOf(team.asked("lead").at(-1)?.request.messages ?? []);
  expect(said).toContain(`[The next command starts in ${team.cwd} again.`);
  expect(said).toContain("1\\touter");
  expect(readFileSync(team.tree.path("project/num.js"), "utf8")).toBe("changed\n");
  expect(readFileSync(team.tree.path("project/test/num.js"), "utf8")).toBe("inner\n");
  expect(existsSync(team.tree.path("project/a/b"))).toBe(true);
  expect(team.all("agent.changed")).toEqual([]);
});

test("session that an earlier version left in another folder starts in its own again", async () => {
  const first = await teamSession({ files, stored: true, answer: () => ({ text: "hello" }) });
  await first.ask("go");
  await first.close();
  const moved: StoredEvent = { type: "agent.changed", cwd: first.tree.path("project/test") };
  const store = createFileSessionStore({
    home: first.tree.path("home/.troupe"),
    clock: systemClock,
    createId: createIdFactory(systemClock),
  });
  const log = await store.open(first.session.id);
  await log.leadLog.record(moved);
  await log.close();

  const again = await teamSession({
    tree: first.tree,
    stored: true,
    resume: first.session.id,
    answer: ({ request }) =>
      request.messages.at(-1)?.parts[0]?.type === "tool_result" ? { text: "done" } : { calls: [bash("pwd")] },
  });
  await again.ask("where are you?");
  const [settled] = again.all("tool.settled").slice(-1);
  expect(settled?.content).toEqual([{ type: "text", text: again.cwd }]);
  expect(again.all("agent.changed").at(-1)).toEqual({ type: "agent.changed", cwd: again.cwd });
});
