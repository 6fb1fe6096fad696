import { expect, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { openTeam } from "../../../src/team/index.ts";
import { teamSession } from "../../support/team/team-session.ts";

const write = (path: string) => ({ calls: [{ tool: "Write", input: { file_path: path, content: "new" } }] });

test("changing a file reserved by another member warns both, once for each file", async () => {
  const team = await teamSession({
    stored: true,
    flags: { team: "alpha" },
    answer: ({ turn }) =>
      turn === 1
        ? write("src/a.ts")
        : turn === 2
          ? write("src/a.ts")
          : turn === 3
            ? write("other.ts")
            : { text: "done" },
  });
  const outside = await openTeam("alpha", {
    home: team.tree.path("home/.troupe"),
    clock: systemClock,
    createId: createIdFactory(systemClock),
  });
  await outside.record.join({ name: "bot", cwd: team.cwd, backendType: "remote" });
  const until = new Date(Date.now() + 600_000).toISOString();
  await outside.record.reserve({ by: "bot", path: "src/", mode: "exclusive", until });

  await team.ask("go");
  const words = team.all("prompt.admitted").filter(({ source }) => source === "hook");
  expect(words.map(({ parts }) => parts[0])).toMatchObject([
    { text: expect.stringMatching(/^You changed "src\/a\.ts"\. bot has reserved "src\/"/) },
  ]);
  await expect
    .poll(async () => (await outside.mailbox.readUnread("bot")).map(({ body }) => body))
    .toMatchObject([{ kind: "text", text: expect.stringContaining("team-lead changed src/a.ts") }]);
  await outside.close();
});
