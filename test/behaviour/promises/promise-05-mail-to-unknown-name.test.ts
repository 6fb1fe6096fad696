import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { resultOf } from "../../support/team/team-session.ts";
import { alpha, inState, leading, mate, say } from "../../support/team/scripted-team.ts";

test("promise 05: mail to an unknown name is refused with the nearest name; no inbox is created", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [mate("researcher"), say("reseacher", "hello"), say("../../escape", "hello"), say("user", "hello")] },
        { text: "over" },
      ],
      ({ turn }) => (turn === 1 ? { calls: [say("team-laed", "hello")] } : { text: "not sent" }),
    ),
  });
  await team.ask("go");
  await inState(team, "researcher", "idle");
  const wrong = resultOf(team, 2);
  expect(wrong.outcome).toBe("failed");
  expect(wrong.text).toMatch(
    /There is no member or agent "reseacher"\. Nothing was sent\. Did you mean researcher\?.*In the team: researcher\./,
  );
  expect(resultOf(team, 3).outcome).toBe("failed");
  expect(resultOf(team, 4).outcome).toBe("failed");
  const refused = team.asked("researcher@alpha").at(1)?.result;
  expect(refused).toMatchObject({ isError: true });
  expect(refused?.text).toContain("Did you mean team-lead?");
  const byUser = await team.command({ type: "mail.send", to: "resercher", text: "hello" });
  expect(byUser).toMatchObject({ ok: false, message: expect.stringContaining("Did you mean researcher?") as string });
  const inboxes = readdirSync(team.tree.path("home/.troupe/teams/alpha/inboxes"));
  expect(inboxes.filter((name) => !/^(researcher|team-lead)\./.test(name))).toEqual([]);
});
