import { expect, test } from "vitest";
import { createMailbox } from "../../../src/team/mailbox/index.ts";
import {
  agrees,
  alpha,
  filesOf,
  inState,
  leading,
  mate,
  memberLog,
  membersOf,
  ports,
  say,
} from "../../support/team/scripted-team.ts";

test("promise 11: member that approved its shutdown receives and sends nothing more", async () => {
  const team = await alpha({
    answer: leading(
      [
        { calls: [mate("scout")] },
        { text: "waiting" },
        { calls: [say("scout", { type: "shutdown_request", reason: "the work is done" })] },
        { text: "asked" },
        { calls: [say("scout", "are you there?")] },
        ({ result }) => ({ text: `told: ${result?.text}` }),
      ],
      (ask) => agrees(ask) ?? { text: "done" },
    ),
  });
  await team.ask("go");
  await inState(team, "scout", "idle");
  await team.ask("end it");
  await inState(team, "scout", "ended");
  await team.until((event) => event.type === "turn.ended" && JSON.stringify(event.parts).includes("told: "));
  const told = team.all("turn.ended", "lead").map(({ parts }) => JSON.stringify(parts));
  expect(told.join()).toContain("scout has left the team (shutdown");
  expect(await membersOf(team.tree)).toMatchObject([{ name: "scout", ended: { reason: "shutdown" } }]);

  const files = await filesOf(team.tree);
  expect((await files.presence.look("scout"))?.alive).toBe("dead");
  const log = await memberLog(team.tree, "scout");
  expect(log.at(-1)).toMatchObject({ type: "session.closed" });
  // Its approval is its last message: no idle report follows.
  expect(log.filter((event) => event.type === "mail.sent").at(-1)).toMatchObject({ kind: "shutdown_approved" });
  const mailbox = createMailbox({
    ...ports,
    team: "alpha",
    store: files,
    members: () => files.record.current().members,
    keyOf: files.record.keyOf,
  });
  await expect(mailbox.send({ from: "team-lead", to: "scout", text: "hello?" })).rejects.toThrow(
    /scout has ended \(shutdown/,
  );
  await expect(mailbox.send({ from: "scout", to: "team-lead", text: "boo" })).rejects.toThrow(
    /scout has ended \(shutdown/,
  );
  await mailbox.close();
});
